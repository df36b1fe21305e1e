import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { DialogForm } from '../../../components/forms/dialog-form.tsx';
import { WholeNumberInput } from '../../../components/forms/whole-number-input.tsx';
import { AmountInput } from '../../../components/money/amount-input.tsx';
import { i18n } from '../../../i18n/index.ts';
import { newKey } from '../../../lib/new-key.ts';
import { BackupDue } from '../backup-due.tsx';

const MODAL = 'wallet-consolidate';

function Consolidate({ onBuilt }: { onBuilt: (id: string) => void }) {
  const { t } = useTranslation();
  const [below, setBelow] = useState<number | string>('');
  const [feeRate, setFeeRate] = useState<number | string>('');
  // The same key for each try, so that a second click builds no second payment.
  const [idempotencyKey] = useState(() => newKey());
  const prepare = useMutation(api.wallet.consolidate.mutationOptions());
  // This does not run once the dialog is closed.
  const onSuccess = ({ id }: { id: string }): void => {
    modals.close(MODAL);
    onBuilt(id);
  };
  return (
    <DialogForm
      modalId={MODAL}
      submit={t('wallet.coins.consolidateSubmit')}
      save={prepare}
      onSubmit={() =>
        prepare.mutate(
          {
            ...(below === '' ? {} : { below: Number(below) }),
            ...(feeRate === '' ? {} : { feeRate: Number(feeRate) }),
            idempotencyKey,
          },
          { onSuccess },
        )
      }
    >
      <BackupDue onLeave={() => modals.close(MODAL)} />
      <Text>{t('wallet.coins.consolidateText')}</Text>
      <AmountInput
        data-autofocus
        label={t('wallet.coins.below')}
        description={t('wallet.coins.belowHint')}
        min={2}
        value={below}
        onChange={setBelow}
      />
      <WholeNumberInput
        label={t('wallet.sendPage.feeRate')}
        description={t('wallet.sendPage.feeRateHint')}
        min={1}
        max={100_000_000}
        value={feeRate}
        onChange={setFeeRate}
      />
    </DialogForm>
  );
}

/** Asks which coins to combine. @param onBuilt runs with the id of the payment that waits for approval */
export function openConsolidate(onBuilt: (id: string) => void): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('wallet.coins.consolidateTitle'),
    size: 520,
    children: <Consolidate onBuilt={onBuilt} />,
  });
}

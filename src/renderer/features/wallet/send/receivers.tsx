import { ActionIcon, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { AddressField } from '../../../components/address/address-field.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { AmountInput } from '../../../components/money/amount-input.tsx';
import classes from './send.module.css';
import { type Receiver, receiver, SMALLEST_AMOUNT, useSendDraft } from './send-draft.ts';

const MOST_RECEIVERS = 500;

function Row({
  row,
  n,
  tried,
  takesAll,
  onChange,
  onRemove,
}: {
  row: Receiver;
  n: number;
  /** Whether the form was submitted already: then missing values are reported. */
  tried: boolean;
  takesAll: boolean;
  onChange: (row: Receiver) => void;
  onRemove: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const missing = tried && row.address === '' ? t('wallet.sendPage.missing') : undefined;
  const tooSmall = (Number(row.satoshis) ? Number(row.satoshis) < SMALLEST_AMOUNT : tried) && !takesAll;
  return (
    <div className={classes.receiver}>
      <AddressField
        className={classes.address}
        label={n === 1 ? t('wallet.sendPage.address') : undefined}
        aria-label={t('wallet.sendPage.addressOf', { n })}
        paymail
        missing={missing}
        ownHint={t('wallet.sendPage.own')}
        value={row.address}
        onChange={(address) => onChange({ ...row, address })}
      />
      {takesAll ? (
        <TextInput
          className={classes.amount}
          label={n === 1 ? t('wallet.sendPage.amount') : undefined}
          aria-label={t('wallet.sendPage.amountOf', { n })}
          readOnly
          value={t('wallet.sendPage.all')}
        />
      ) : (
        <AmountInput
          className={classes.amount}
          label={n === 1 ? t('wallet.sendPage.amount') : undefined}
          aria-label={t('wallet.sendPage.amountOf', { n })}
          description={n === 1 && !tooSmall ? t('wallet.sendPage.amountHint') : undefined}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          error={tooSmall ? t('wallet.sendPage.tooSmall') : undefined}
          value={row.satoshis}
          onChange={(satoshis) => onChange({ ...row, satoshis })}
        />
      )}
      {onRemove !== undefined && (
        <ActionIcon
          className={n === 1 ? classes.besideLabel : undefined}
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('wallet.sendPage.remove', { n })}
          onClick={onRemove}
        >
          <IconTrash {...smallIcon} />
        </ActionIcon>
      )}
    </div>
  );
}

/** Who gets how much; the last may get all that is left. */
export function Receivers({ tried }: { tried: boolean }) {
  const { t } = useTranslation();
  const receivers = useSendDraft((state) => state.receivers);
  const all = useSendDraft((state) => state.all);
  const change = useSendDraft((state) => state.change);
  return (
    <Stack gap="sm">
      {receivers.map((row, index) => (
        <Row
          key={row.key}
          row={row}
          n={index + 1}
          tried={tried}
          takesAll={all && index === receivers.length - 1}
          onChange={(next) => change({ receivers: receivers.with(index, next) })}
          onRemove={receivers.length > 1 ? () => change({ receivers: receivers.toSpliced(index, 1) }) : undefined}
        />
      ))}
      <Group justify="space-between">
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus {...smallIcon} />}
          disabled={receivers.length >= MOST_RECEIVERS}
          onClick={() => change({ receivers: [...receivers, receiver()] })}
        >
          {t('wallet.sendPage.add')}
        </Button>
        <Checkbox
          size="xs"
          label={t('wallet.sendPage.all')}
          checked={all}
          onChange={(event) => change({ all: event.currentTarget.checked })}
        />
      </Group>
    </Stack>
  );
}

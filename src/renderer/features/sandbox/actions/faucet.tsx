import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { AmountInput } from '../../../components/money/amount-input.tsx';
import { Id } from '../../../components/values/values.tsx';
import { Outcome } from '../outcome.tsx';
import { useAction } from '../use-action.ts';
import classes from './actions.module.css';

const MOST = 100_000_000_000;

/** Sends coins of the sandbox to any address. */
export function Faucet() {
  const { t } = useTranslation();
  const own = useLive((state) => state.wallet?.address ?? '');
  const [address, setAddress] = useState<string>();
  const [amount, setAmount] = useState<number | ''>(100_000_000);
  const action = useAction<{ txid: string }>();
  const to = address ?? own;
  const valid = Number(amount) >= 1;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) void action.run(() => client.sandbox.fund({ address: to, satoshis: Number(amount) }));
      }}
    >
      <Stack gap="md">
        <div className={classes.form}>
          <TextInput
            className={classes.grow}
            label={t('sandbox.address')}
            spellCheck={false}
            value={to}
            onChange={(event) => setAddress(event.currentTarget.value.trim())}
          />
          <Button
            variant="subtle"
            className={classes.fieldButton}
            disabled={to === own}
            onClick={() => setAddress(undefined)}
          >
            {t('sandbox.ownWallet')}
          </Button>
        </div>
        <div className={classes.form}>
          <AmountInput
            className={classes.grow}
            label={t('sandbox.amount')}
            description={t('sandbox.amountHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            min={1}
            max={MOST}
            error={amount === '' ? t('common.number.needed') : undefined}
            value={amount}
            onChange={setAmount}
          />
          <Button
            type="submit"
            variant="default"
            className={classes.fieldButton}
            loading={action.busy}
            disabled={!valid || to === ''}
          >
            {t('sandbox.fund')}
          </Button>
        </div>
        <Outcome action={action}>
          {({ txid }) => (
            <>
              {t('sandbox.funded')} <Id value={txid} kind="transaction" />
            </>
          )}
        </Outcome>
      </Stack>
    </form>
  );
}

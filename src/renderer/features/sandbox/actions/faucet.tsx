import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { satoshisSchema } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
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
  const [amount, setAmount] = useState('100000000');
  const action = useAction<{ txid: string }>();
  const to = address ?? own;
  const satoshis = satoshisSchema.safeParse(Number(amount.replaceAll(',', '').trim() || '0'));
  const valid = satoshis.success && satoshis.data >= 1 && satoshis.data <= MOST;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (satoshis.success) void action.run(() => client.sandbox.fund({ address: to, satoshis: satoshis.data }));
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
          <TextInput
            className={classes.grow}
            label={t('sandbox.amount')}
            description={t('sandbox.amountHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            inputMode="numeric"
            error={valid ? undefined : t('sandbox.amountInvalid')}
            value={amount}
            onChange={(event) => setAmount(event.currentTarget.value)}
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

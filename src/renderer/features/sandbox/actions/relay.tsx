import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type RelayResult, relaySchema } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { Id } from '../../../components/values/values.tsx';
import { Outcome } from '../outcome.tsx';
import { useAction } from '../use-action.ts';
import classes from './actions.module.css';

/** Relays a transaction to the node as a peer would: the only way to submit one that waits for its parents. */
export function Relay() {
  const { t } = useTranslation();
  const [rawTx, setRawTx] = useState('');
  const action = useAction<RelayResult>();
  const valid = relaySchema.safeParse({ rawTx }).success;
  return (
    <>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(() => client.sandbox.relay({ rawTx }));
        }}
      >
        <Textarea
          className={classes.grow}
          label={t('sandbox.relayTx')}
          description={t('sandbox.relayHint')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          rows={2}
          spellCheck={false}
          error={rawTx === '' || valid ? undefined : t('sandbox.relayInvalid')}
          value={rawTx}
          onChange={(event) => setRawTx(event.currentTarget.value.replace(/\s/g, ''))}
        />
        <Button type="submit" variant="default" className={classes.fieldButton} loading={action.busy} disabled={!valid}>
          {t('sandbox.relay')}
        </Button>
      </form>
      <Outcome action={action}>
        {({ txid, outcome, reason }) => (
          <>
            {t(`sandbox.relayed.${outcome}`, { reason: reason ?? '' })}{' '}
            {txid !== null && <Id value={txid} kind="transaction" to={outcome === 'accepted' ? undefined : null} />}
          </>
        )}
      </Outcome>
    </>
  );
}

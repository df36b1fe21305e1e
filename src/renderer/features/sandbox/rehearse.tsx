import { Button, NumberInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SandboxStatus } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { Panel } from '../../components/page.tsx';
import { Id } from '../../components/values.tsx';
import { Outcome } from './outcome.tsx';
import { Relay } from './relay.tsx';
import classes from './sandbox.module.css';
import { useAction } from './use-action.ts';

const DAY_MS = 86_400_000;
/** The last second a block's time can hold. */
const LAST_MS = 4_294_967_295_000;

/** Milliseconds of a local date and time as the field writes it; null for none, and for one no block can have. */
function timeOf(text: string): number | null {
  const at = new Date(text).getTime();
  return at >= 0 && at <= LAST_MS ? at : null;
}

/** What a chain does to those who build on it: reorganisations, double spends, time. */
export function Rehearse({ clock }: { clock: SandboxStatus['clock'] }) {
  const { t } = useTranslation();
  const [depth, setDepth] = useState(1);
  const [txid, setTxid] = useState('');
  const [moment, setMoment] = useState('');
  const reorg = useAction<{ hashes: string[] }>();
  const spend = useAction<{ txid: string }>();
  const time = useAction<void>();
  const at = timeOf(moment);
  const known = /^[0-9a-f]{64}$/.test(txid);
  return (
    <Panel title={t('sandbox.rehearse')} hint={t('sandbox.rehearseHint')}>
      <Stack gap="md">
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            void reorg.run(() => client.sandbox.reorg({ depth }));
          }}
        >
          <NumberInput
            className={classes.grow}
            label={t('sandbox.depth')}
            min={1}
            max={1_000}
            allowDecimal={false}
            clampBehavior="strict"
            value={depth}
            onChange={(value) => setDepth(Number(value) || 1)}
          />
          <Button type="submit" variant="default" className={classes.fieldButton} loading={reorg.busy}>
            {t('sandbox.reorg')}
          </Button>
        </form>
        <Outcome action={reorg}>{({ hashes }) => t('sandbox.reorged', { count: hashes.length })}</Outcome>
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            void spend.run(() => client.sandbox.doubleSpend({ txid }));
          }}
        >
          <TextInput
            className={classes.grow}
            label={t('sandbox.doubleSpendId')}
            spellCheck={false}
            error={txid === '' || known ? undefined : t('sandbox.txidInvalid')}
            value={txid}
            onChange={(event) => setTxid(event.currentTarget.value.trim().toLowerCase())}
          />
          <Button
            type="submit"
            variant="default"
            className={classes.fieldButton}
            loading={spend.busy}
            disabled={!known}
          >
            {t('sandbox.doubleSpend')}
          </Button>
        </form>
        <Outcome action={spend}>
          {(other) => (
            <>
              {t('sandbox.doubleSpent')} <Id value={other.txid} kind="transaction" />
            </>
          )}
        </Outcome>
        <Relay />
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            void time.run(() => client.sandbox.clock({ at, frozen: clock.frozen }));
          }}
        >
          <TextInput
            className={classes.grow}
            type="datetime-local"
            label={t('sandbox.clockAt')}
            error={moment === '' || at !== null ? undefined : t('sandbox.clockAtInvalid')}
            value={moment}
            onChange={(event) => setMoment(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            className={classes.fieldButton}
            loading={time.busy}
            disabled={at === null}
          >
            {t('sandbox.clockSet')}
          </Button>
        </form>
        <div>
          <div className={classes.name}>{t('sandbox.setClock')}</div>
          <div className={classes.controls} style={{ marginTop: 4 }}>
            <Button
              size="xs"
              variant="default"
              disabled={time.busy}
              onClick={() => void time.run(() => client.sandbox.clock({ at: null }))}
            >
              {t('sandbox.clockNow')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={time.busy}
              onClick={() =>
                void time.run(() => client.sandbox.clock({ at: clock.now + DAY_MS, frozen: clock.frozen }))
              }
            >
              {t('sandbox.clockDay')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={time.busy || clock.frozen}
              onClick={() => void time.run(() => client.sandbox.clock({ at: clock.now, frozen: true }))}
            >
              {t('sandbox.clockFreeze')}
            </Button>
          </div>
        </div>
        <Outcome action={time} />
      </Stack>
    </Panel>
  );
}

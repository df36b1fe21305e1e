import { Button, TextInput } from '@mantine/core';
import { IconPinFilled } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type SandboxSnapshot, snapshotNameSchema } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { formatBytes, formatExact, formatInteger } from '../../../lib/format.ts';
import { Outcome } from '../outcome.tsx';
import { useAction } from '../use-action.ts';
import { ActionRow } from './action-row.tsx';
import classes from './actions.module.css';
import { freeName } from './free-name.ts';
import { SnapshotButtons } from './snapshot-buttons.tsx';

/** Saves a snapshot of the network, and lists the snapshots. */
export function SnapshotRow({ height, snapshots }: { height: number; snapshots: readonly SandboxSnapshot[] }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const [name, setName] = useState('');
  const action = useAction<unknown>();
  const proposed = freeName(height, snapshots);
  const valid = name === '' || snapshotNameSchema.safeParse(name).success;
  return (
    <ActionRow
      name={t('sandbox.snapshot')}
      hint={t('sandbox.snapshotsHint')}
      controls={
        <form
          className={classes.controls}
          onSubmit={(event) => {
            event.preventDefault();
            void action.run(async () => {
              await client.sandbox.snapshots.take({ name: name === '' ? proposed : name });
              setName('');
            });
          }}
        >
          <TextInput
            w={132}
            size="xs"
            aria-label={t('sandbox.snapshotName')}
            placeholder={proposed}
            error={valid ? undefined : t('sandbox.snapshotNameHint')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default" loading={action.busy} disabled={!valid}>
            {t('sandbox.take')}
          </Button>
        </form>
      }
      below={
        <>
          <Outcome action={action} />
          {snapshots.length > 0 && (
            <ul className={classes.snapshots} aria-label={t('sandbox.snapshots')}>
              {snapshots.map((snapshot) => (
                <li key={snapshot.name} className={classes.snapshot} data-snapshot={snapshot.name}>
                  <IconPinFilled size={14} className={classes.pin} aria-hidden />
                  <span className={classes.name}>{snapshot.name}</span>
                  <span className={`${classes.hint} ${classes.place}`} title={formatExact(snapshot.takenAt, language)}>
                    {snapshot.tip !== null &&
                      `${t('sandbox.chain.block', { height: formatInteger(snapshot.tip.height, language) })} · `}
                    {formatBytes(snapshot.bytes, language)}
                  </span>
                  <SnapshotButtons snapshot={snapshot} />
                </li>
              ))}
            </ul>
          )}
        </>
      }
    />
  );
}

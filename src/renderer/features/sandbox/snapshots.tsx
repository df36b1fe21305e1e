import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type SandboxStatus, snapshotNameSchema } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { Panel } from '../../components/page.tsx';
import { Ago } from '../../components/values.tsx';
import { formatBytes } from '../../lib/format.ts';
import { askFirst } from './confirm.tsx';
import { Outcome } from './outcome.tsx';
import classes from './sandbox.module.css';
import { useAction } from './use-action.ts';

/** The whole network at a moment, by name. */
export function Snapshots({ snapshots }: { snapshots: SandboxStatus['snapshots'] }) {
  const { t, i18n } = useTranslation();
  const [name, setName] = useState('');
  const action = useAction<unknown>();
  const valid = snapshotNameSchema.safeParse(name).success;
  const cancel = t('common.cancel');
  return (
    <Panel title={t('sandbox.snapshots')} hint={t('sandbox.snapshotsHint')}>
      <Stack gap="md">
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            void action.run(async () => {
              await client.sandbox.snapshots.take({ name });
              setName('');
            });
          }}
        >
          <TextInput
            className={classes.grow}
            label={t('sandbox.snapshotName')}
            error={name === '' || valid ? undefined : t('sandbox.snapshotNameHint')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            className={classes.fieldButton}
            loading={action.busy}
            disabled={!valid}
          >
            {t('sandbox.take')}
          </Button>
        </form>
        <Outcome action={action} />
        {snapshots.length === 0 && <div className={classes.hint}>{t('sandbox.noSnapshots')}</div>}
        {snapshots.map((snapshot) => (
          <div key={snapshot.name} className={classes.controls} data-snapshot={snapshot.name}>
            <div className={classes.grow}>
              <div className={classes.name}>{snapshot.name}</div>
              <div className={classes.hint}>
                <Ago at={snapshot.takenAt} /> · {formatBytes(snapshot.bytes, i18n.language)}
              </div>
            </div>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('sandbox.revertTo', { name: snapshot.name })}
              onClick={() =>
                askFirst({
                  title: t('sandbox.revertTitle', { name: snapshot.name }),
                  text: t('sandbox.revertText'),
                  confirm: t('sandbox.revert'),
                  cancel,
                  onConfirm: () => void action.run(() => client.sandbox.snapshots.revert({ name: snapshot.name })),
                })
              }
            >
              {t('sandbox.revert')}
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              aria-label={t('sandbox.removeNamed', { name: snapshot.name })}
              onClick={() =>
                askFirst({
                  title: t('sandbox.removeTitle', { name: snapshot.name }),
                  text: t('sandbox.removeText'),
                  confirm: t('sandbox.remove'),
                  cancel,
                  onConfirm: () => void action.run(() => client.sandbox.snapshots.remove({ name: snapshot.name })),
                })
              }
            >
              {t('sandbox.remove')}
            </Button>
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

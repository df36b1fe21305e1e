import { Button, NumberInput, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseDuration } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { Panel } from '../../components/page.tsx';
import { Outcome } from './outcome.tsx';
import classes from './sandbox.module.css';
import { useAction } from './use-action.ts';

function Interval() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const entry = useQuery(api.settings.list.queryOptions()).data?.find(({ key }) => key === 'sandbox.mineInterval');
  const [draft, setDraft] = useState<string>();
  const action = useAction<unknown>();
  const value = draft ?? String(entry?.value ?? '');
  const valid = parseDuration(value) !== undefined;
  return (
    <Stack gap="xs">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(async () => {
            await client.settings.set({ key: 'sandbox.mineInterval', value });
            await queries.invalidateQueries({ queryKey: api.settings.list.key() });
            setDraft(undefined);
          });
        }}
      >
        <TextInput
          className={classes.grow}
          label={t('sandbox.interval')}
          description={entry?.overridden ? t('sandbox.intervalFixed') : t('sandbox.intervalHint')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          disabled={entry === undefined || entry.overridden}
          error={entry === undefined || valid ? undefined : t('sandbox.intervalInvalid')}
          value={value}
          onChange={(event) => setDraft(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          className={classes.beside}
          loading={action.busy}
          disabled={!valid || draft === undefined || draft === entry?.value}
        >
          {t('sandbox.intervalSet')}
        </Button>
      </form>
      <Outcome action={action} />
    </Stack>
  );
}

/** Blocks by the number, and on a timer. */
export function Mining() {
  const { t } = useTranslation();
  const [blocks, setBlocks] = useState<number>(10);
  const action = useAction<{ hashes: string[] }>();
  return (
    <Panel title={t('sandbox.mine')} hint={t('sandbox.mineHint')}>
      <Stack gap="md">
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            void action.run(() => client.sandbox.mine({ blocks }));
          }}
        >
          <NumberInput
            className={classes.grow}
            label={t('sandbox.blocks')}
            min={1}
            max={1_000}
            allowDecimal={false}
            clampBehavior="strict"
            value={blocks}
            onChange={(value) => setBlocks(Number(value) || 1)}
          />
          <Button type="submit" variant="default" className={classes.beside} loading={action.busy}>
            {t('sandbox.mineN', { count: blocks })}
          </Button>
        </form>
        <Outcome action={action}>{({ hashes }) => t('sandbox.mined', { count: hashes.length })}</Outcome>
        <Interval />
      </Stack>
    </Panel>
  );
}

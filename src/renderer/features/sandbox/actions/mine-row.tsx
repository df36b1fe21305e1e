import { Button, SegmentedControl } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseDuration } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { WholeNumberInput } from '../../../components/forms/whole-number-input.tsx';
import { Outcome } from '../outcome.tsx';
import { useAction } from '../use-action.ts';
import { ActionRow } from './action-row.tsx';
import classes from './actions.module.css';
import { SettingField } from './setting-field.tsx';

const usual = [1, 6, 100] as const;
const readDuration = (text: string): string | undefined =>
  parseDuration(text.trim()) === undefined ? undefined : text.trim();

/** Mines a number of blocks at once. */
export function MineRow() {
  const { t } = useTranslation();
  const [blocks, setBlocks] = useState<number | ''>(10);
  const action = useAction<{ hashes: string[] }>();
  const mine = (count: number): void => void action.run(() => client.sandbox.mine({ blocks: count }));
  return (
    <ActionRow
      name={t('sandbox.mine')}
      hint={t('sandbox.mineHint')}
      controls={usual.map((count) => (
        <Button
          key={count}
          size="xs"
          variant="default"
          disabled={action.busy}
          aria-label={t('sandbox.mineN', { count })}
          onClick={() => mine(count)}
        >
          +{count}
        </Button>
      ))}
      below={<Outcome action={action}>{({ hashes }) => t('sandbox.mined', { count: hashes.length })}</Outcome>}
      more={
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (blocks !== '') mine(blocks);
          }}
        >
          <WholeNumberInput
            className={classes.grow}
            label={t('sandbox.blocks')}
            min={1}
            max={1_000}
            value={blocks}
            error={blocks === '' ? t('common.number.needed') : undefined}
            onChange={setBlocks}
          />
          <Button
            type="submit"
            variant="default"
            className={classes.fieldButton}
            disabled={!blocks}
            loading={action.busy}
          >
            {t('sandbox.mineN', { count: blocks || 0 })}
          </Button>
        </form>
      }
    />
  );
}

const intervals = ['0', '2s', '10s', '1m'] as const;

/** Automatic mining: on a timer, and when transactions arrive. */
export function IntervalRow() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const entry = useQuery(api.settings.list.queryOptions()).data?.find(({ key }) => key === 'sandbox.mineInterval');
  const action = useAction<unknown>();
  const value = String(entry?.value ?? '0');
  const milliseconds = parseDuration(value) ?? 0;
  const known = intervals.find((one) => parseDuration(one) === milliseconds);
  const wordsOf = (one: string): string => (parseDuration(one) ? one : t('sandbox.never'));
  return (
    <ActionRow
      name={t('sandbox.interval')}
      hint={entry?.overridden ? t('sandbox.settingFixed') : t('sandbox.intervalHint')}
      controls={
        <SegmentedControl
          size="xs"
          aria-label={t('sandbox.interval')}
          disabled={entry === undefined || entry.overridden || action.busy}
          data={[...intervals, ...(known === undefined ? [value] : [])].map((one) => ({
            value: one,
            label: wordsOf(one),
          }))}
          value={known ?? value}
          onChange={(next) =>
            void action.run(async () => {
              await client.settings.set({ key: 'sandbox.mineInterval', value: next });
              await queries.invalidateQueries({ queryKey: api.settings.list.key() });
            })
          }
        />
      }
      below={<Outcome action={action} />}
      more={
        <>
          <SettingField
            setting="sandbox.mineInterval"
            label={t('sandbox.interval')}
            hint={t('sandbox.durationHint')}
            invalid={t('sandbox.durationInvalid')}
            read={readDuration}
          />
          <SettingField
            setting="sandbox.mineOnArrival"
            label={t('sandbox.onArrival')}
            hint={t('sandbox.onArrivalHint')}
            invalid={t('sandbox.durationInvalid')}
            read={(text) => (text.trim() === '' ? '' : readDuration(text))}
          />
        </>
      }
    />
  );
}

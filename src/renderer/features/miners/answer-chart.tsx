import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Miner, MinerHour } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { formatMilliseconds } from '../../lib/format.ts';
import { MinerChart } from './miner-chart.tsx';

const DAYS = 7;
const DAY_MS = 86_400_000;

/** The response time of each miner, for each hour in which one was asked. @param past by miner, oldest first */
export function answerPoints(past: readonly (readonly MinerHour[])[]): { at: number; values: (number | null)[] }[] {
  const times = [...new Set(past.flatMap((hours) => hours.map(({ at }) => at)))].sort((a, b) => a - b);
  const byTime = past.map((hours) => new Map(hours.map((hour) => [hour.at, hour.meanMs])));
  return times.map((at) => ({ at, values: byTime.map((means) => means.get(at) ?? null) }));
}

/** Response times and failures of the miners over the last days. @param now time of the right edge, fixed while the page is open */
export function AnswerChart({ miners, now }: { miners: readonly Miner[]; now: number }) {
  const { t, i18n } = useTranslation();
  const since = now - DAYS * DAY_MS;
  const past = useQueries({
    queries: miners.map(({ id }) => api.miners.hours.queryOptions({ input: { id, since } })),
  }).map(({ data }) => data ?? []);
  if (past.every((hours) => hours.length === 0)) return null;
  const figures = past.map((hours) => ({
    ok: hours.reduce((sum, { succeeded }) => sum + succeeded, 0),
    failed: hours.reduce((sum, { failed }) => sum + failed, 0),
  }));
  const words = figures.map((figure) => t('miners.answered', figure));
  return (
    <MinerChart
      title={t('miners.answers')}
      hint={t('miners.answersHint')}
      hintSince={(time) => t('miners.answersHintSince', { time })}
      label={t('miners.answersLabel', {
        list: miners.map(({ name }, index) => `${name}: ${words[index]}`).join('; '),
      })}
      miners={miners}
      points={answerPoints(past)}
      since={since}
      now={now}
      show={(mean) => `${formatMilliseconds(mean, i18n.language)} ms`}
      words={words}
    />
  );
}

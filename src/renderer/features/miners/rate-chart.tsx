import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Miner, PastQuote } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { formatRate } from '../../lib/format.ts';
import { perThousand } from './compare.ts';
import { MinerChart } from './miner-chart.tsx';

const DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * The standard rates of all miners at each time at which one of them changed.
 * @param past by miner, oldest first
 */
export function ratePoints(
  past: readonly (readonly PastQuote[])[],
  until: number,
): { at: number; values: (number | null)[] }[] {
  const times = [
    ...new Set([...past.flatMap((quotes) => quotes.flatMap(({ from, until: end }) => [from, end])), until]),
  ];
  return times
    .sort((a, b) => a - b)
    .map((at) => ({
      at,
      values: past.map((quotes) => {
        const quote = quotes.findLast(({ from }) => from <= at);
        return quote === undefined ? null : perThousand(quote.standard);
      }),
    }));
}

/** The standard rates of the last 30 days. @param now time of the right edge, fixed while the page is open */
export function RateChart({ miners, now }: { miners: readonly Miner[]; now: number }) {
  const { t, i18n } = useTranslation();
  const since = now - DAYS * DAY_MS;
  const queries = useQueries({
    queries: miners.map(({ id }) => api.miners.quotes.queryOptions({ input: { id, since } })),
  });
  const past = queries.map(({ data }) => data ?? []);
  const points = ratePoints(past, now);
  if (past.every((quotes) => quotes.length === 0)) return null;
  const latest = points.at(-1)?.values ?? [];
  return (
    <MinerChart
      title={t('miners.chart')}
      hint={t('miners.chartHint')}
      hintSince={(time) => t('miners.chartHintSince', { time })}
      label={t('miners.chartLabel', {
        names: miners.map(({ name }) => name).join(', '),
        rates: latest.map((rate) => (rate === null ? '–' : formatRate(rate, i18n.language))).join(', '),
      })}
      miners={miners}
      points={points}
      since={since}
      now={now}
      isStepped
      show={(rate) => t('miners.perThousand', { rate })}
      words={latest.map((rate) => (rate === null ? t('miners.notStated') : t('miners.perThousand', { rate })))}
    />
  );
}

import { LineChart } from '@mantine/charts';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Miner, PastQuote } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { plainLines } from '../../components/chart.ts';
import { Panel } from '../../components/page.tsx';
import { formatExact, formatRate } from '../../lib/format.ts';
import { perThousand } from './compare.ts';
import classes from './miners.module.css';

const DAYS = 30;
const DAY_MS = 86_400_000;
/** Of the miners, in their order. */
export const COLORS = ['var(--pl-accent)', '#5f86a3', '#8d8b52', '#94709f', '#55937f'];

/**
 * The standard rate of every miner at each time at which one of them changed it.
 * @param past by miner, each oldest first
 */
export function ratePoints(
  past: readonly (readonly PastQuote[])[],
  until: number,
): { at: number; rates: (number | null)[] }[] {
  const times = [
    ...new Set([...past.flatMap((quotes) => quotes.flatMap(({ from, until: end }) => [from, end])), until]),
  ];
  return times
    .sort((a, b) => a - b)
    .map((at) => ({
      at,
      rates: past.map((quotes) => {
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
  const latest = points.at(-1)?.rates ?? [];
  return (
    <Panel title={t('miners.chart')} hint={t('miners.chartHint')}>
      <div
        role="img"
        aria-label={t('miners.chartLabel', {
          names: miners.map(({ name }) => name).join(', '),
          rates: latest.map((rate) => (rate === null ? '–' : formatRate(rate, i18n.language))).join(', '),
        })}
      >
        <LineChart
          {...plainLines}
          h={140}
          curveType="stepAfter"
          withDots={false}
          data={points.map(({ at, rates }) => ({
            at: formatExact(at, i18n.language),
            ...Object.fromEntries(rates.map((rate, index) => [`miner${index}`, rate])),
          }))}
          dataKey="at"
          series={miners.map(({ name }, index) => ({
            name: `miner${index}`,
            label: name,
            color: COLORS[index % COLORS.length] as string,
          }))}
          valueFormatter={(rate) => formatRate(rate, i18n.language)}
        />
      </div>
      <ul className={classes.legend}>
        {miners.map(({ id, name }, index) => (
          <li key={id}>
            <span className={classes.swatch} style={{ background: COLORS[index % COLORS.length] }} aria-hidden />
            {name}
            <span className="num">
              {latest[index] === null || latest[index] === undefined
                ? t('miners.notStated')
                : t('miners.perThousand', { rate: latest[index] })}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

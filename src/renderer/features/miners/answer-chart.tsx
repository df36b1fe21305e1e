import { LineChart } from '@mantine/charts';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Miner, MinerHour } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { plainLines } from '../../components/chart.ts';
import { Panel } from '../../components/page.tsx';
import { formatExact, formatMilliseconds } from '../../lib/format.ts';
import classes from './miners.module.css';
import { COLORS } from './rate-chart.tsx';

const DAYS = 7;
const DAY_MS = 86_400_000;

/** The time that each miner took to answer, for each hour in which one of them was asked. @param past by miner, each oldest first */
export function answerPoints(past: readonly (readonly MinerHour[])[]): { at: number; means: (number | null)[] }[] {
  const times = [...new Set(past.flatMap((hours) => hours.map(({ at }) => at)))].sort((a, b) => a - b);
  const byTime = past.map((hours) => new Map(hours.map((hour) => [hour.at, hour.meanMs])));
  return times.map((at) => ({ at, means: byTime.map((means) => means.get(at) ?? null) }));
}

/** How fast miners answered over the last days, and how often they did not. @param now time of the right edge, fixed while the page is open */
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
    <Panel title={t('miners.answers')} hint={t('miners.answersHint')}>
      <div
        role="img"
        aria-label={t('miners.answersLabel', {
          list: miners.map(({ name }, index) => `${name}: ${words[index]}`).join('; '),
        })}
      >
        <LineChart
          {...plainLines}
          h={140}
          connectNulls
          data={answerPoints(past).map(({ at, means }) => ({
            at: formatExact(at, i18n.language),
            ...Object.fromEntries(means.map((mean, index) => [`miner${index}`, mean])),
          }))}
          dataKey="at"
          series={miners.map(({ name }, index) => ({
            name: `miner${index}`,
            label: name,
            color: COLORS[index % COLORS.length] as string,
          }))}
          valueFormatter={(mean) => `${formatMilliseconds(mean, i18n.language)} ms`}
        />
      </div>
      <ul className={classes.legend}>
        {miners.map(({ id, name }, index) => (
          <li key={id}>
            <span className={classes.swatch} style={{ background: COLORS[index % COLORS.length] }} aria-hidden />
            {name}
            <span className="num">{words[index]}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

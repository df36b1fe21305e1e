import { LineChart } from '@mantine/charts';
import { useTranslation } from 'react-i18next';
import type { Miner } from '../../../contract/index.ts';
import { plainLines } from '../../components/chart.ts';
import { Panel } from '../../components/page.tsx';
import { formatDate, formatExact, formatHour } from '../../lib/format.ts';
import classes from './miners.module.css';

/** Colours by miner, in their order. */
const COLORS = ['var(--pl-accent)', '#5f86a3', '#8d8b52', '#94709f', '#55937f'];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A shorter time span has labels with the time of day. */
const SHOWN_AS_HOURS_MS = 2 * DAY_MS;
const TICKS = 5;
/** With more points only the line is drawn. */
const MOST_DOTS = 48;
const HEIGHT_PX = 180;

export interface MinerChartProps {
  title: string;
  /** The hint below the title. It mentions the complete time since `since`; if there is less to show, it says so. */
  hint: string;
  hintSince: (time: string) => string;
  /** Text alternative of the chart. */
  label: string;
  miners: readonly Miner[];
  /** By time; one figure per miner, in their order. */
  points: readonly { readonly at: number; readonly values: readonly (number | null)[] }[];
  /** Times of the left edge, if there is enough to show, and of the right edge. */
  since: number;
  now: number;
  /** A figure applies until the next one: the line has steps. */
  isStepped?: boolean;
  /** Formats a figure with its unit. */
  show: (value: number) => string;
  /** The figures of the miners in words, in their order. */
  words: readonly string[];
}

/** Ticks of the time axis: midnights if the chart shows days, otherwise times at equal distances. */
function timeTicks(from: number, until: number): number[] {
  if (until - from <= SHOWN_AS_HOURS_MS)
    return Array.from({ length: TICKS }, (_, index) => from + ((until - from) * index) / (TICKS - 1));
  const step = Math.ceil((until - from) / DAY_MS / TICKS);
  const today = new Date(until);
  return Array.from({ length: TICKS + 1 }, (_, index) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - step * index).getTime(),
  )
    .filter((at) => at >= from)
    .reverse();
}

/** A figure of each miner over time, with axes. */
export function MinerChart(props: MinerChartProps) {
  const { title, hint, hintSince, label, miners, points, since, now, isStepped = false, show, words } = props;
  const { i18n } = useTranslation();
  const from = Math.min(now - HOUR_MS, Math.max(since, points[0]?.at ?? now));
  const tick = now - from > SHOWN_AS_HOURS_MS ? formatDate : formatHour;
  return (
    <Panel
      title={title}
      hint={from > since ? hintSince((now - from > DAY_MS ? formatDate : formatHour)(from, i18n.language)) : hint}
    >
      <div role="img" aria-label={label}>
        <LineChart
          {...plainLines}
          withXAxis
          withYAxis
          gridAxis="x"
          lineChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 32, bottom: 0, left: 0 } }}
          h={HEIGHT_PX}
          curveType={isStepped ? 'stepAfter' : 'linear'}
          withDots={!isStepped && points.length <= MOST_DOTS}
          connectNulls
          lineProps={{ isAnimationActive: false }}
          data={points.map(({ at, values }) => ({
            at: Math.max(at, from),
            ...Object.fromEntries(values.map((value, index) => [`miner${index}`, value])),
          }))}
          dataKey="at"
          xAxisProps={{
            type: 'number',
            domain: [from, now],
            ticks: timeTicks(from, now),
            interval: 0,
            tickFormatter: (at: number) => tick(at, i18n.language),
          }}
          yAxisProps={{ domain: [0, 'auto'], tickCount: 4, width: 72 }}
          // There is no payload before the pointer is over the chart.
          tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? formatExact(at, i18n.language) : null) }}
          series={miners.map(({ name }, index) => ({
            name: `miner${index}`,
            label: name,
            color: COLORS[index % COLORS.length] as string,
          }))}
          valueFormatter={show}
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

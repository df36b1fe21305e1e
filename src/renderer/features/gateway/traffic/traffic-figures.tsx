import { BarChart, LineChart } from '@mantine/charts';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MethodHistory } from '../../../../contract/index.ts';
import { plainBars, plainLines } from '../../../components/chart.ts';
import { formatInteger, formatMilliseconds, formatRate, formatTime } from '../../../lib/format.ts';
import { newest, sum } from './series.ts';
import classes from './traffic-figures.module.css';

const HEIGHT_PX = 36;

function Figure({
  label,
  value,
  note,
  children,
}: Record<'label' | 'value' | 'note', string> & { children: ReactNode }) {
  return (
    <section className={classes.figure} aria-label={label}>
      <div className={classes.words}>
        <span className={classes.label}>{label}</span>
        <span className={classes.value}>{value}</span>
        <span className={classes.note}>{note}</span>
      </div>
      <div className={classes.plot} aria-hidden>
        {children}
      </div>
    </section>
  );
}

/** Number of calls of other programs, their failures and their duration over the last minutes. */
export function TrafficFigures({ history: { total, from, stepMs } }: { history: MethodHistory }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const count = (value: number): string => formatInteger(value, language);
  const ms = (value: number | null): string => (value === null ? '–' : formatMilliseconds(value, language));
  const all = sum(total.calls);
  const [refused, failed, stale] = [sum(total.refused), sum(total.failed), sum(total.stale)];
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const steps = total.calls.map((calls, at) => {
    const errors = (total.refused[at] ?? 0) + (total.failed[at] ?? 0);
    return {
      time: formatTime(from + at * stepMs, language),
      rate: (calls * 1_000) / stepMs,
      errors,
      p50: total.p50[at] ?? null,
      p95: total.p95[at] ?? null,
    };
  });
  // The last interval is incomplete, so the rate is that of the one before it.
  const rate = steps.at(-2)?.rate ?? 0;
  // Hidden from screen readers: the text next to it states the figure, and the charts by method have the figure of each interval.
  const bars = { ...plainBars, withTooltip: false, h: HEIGHT_PX, data: steps, dataKey: 'time' };
  return (
    <div className={classes.figures}>
      <Figure
        label={t('gateway.total.rate')}
        value={formatRate(rate, language)}
        note={t('gateway.total.calls', { count: all, visible: count(all) })}
      >
        <BarChart {...bars} series={[{ name: 'rate', label: t('gateway.total.rate'), color: 'var(--pl-accent)' }]} />
      </Figure>
      <Figure
        label={t('gateway.total.errors')}
        value={all === 0 ? '–' : percent.format((refused + failed) / all)}
        note={t('gateway.total.told', { refused: count(refused), failed: count(failed), stale: count(stale) })}
      >
        <BarChart {...bars} series={[{ name: 'errors', label: t('gateway.errors'), color: 'var(--pl-fail)' }]} />
      </Figure>
      <Figure
        label={t('gateway.total.latency')}
        value={t('gateway.total.latencyValue', { p50: ms(newest(total.p50)), p95: ms(newest(total.p95)) })}
        note={t('gateway.total.latencyNote')}
      >
        <LineChart
          {...plainLines}
          withTooltip={false}
          h={HEIGHT_PX}
          data={steps}
          dataKey="time"
          series={[
            { name: 'p95', label: 'p95', color: 'var(--pl-wait)' },
            { name: 'p50', label: 'p50', color: 'var(--pl-info)' },
          ]}
          curveType="linear"
          strokeWidth={1.5}
          connectNulls
          withDots={false}
          lineProps={{ isAnimationActive: false }}
        />
      </Figure>
    </div>
  );
}

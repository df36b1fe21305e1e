import { BarChart, LineChart } from '@mantine/charts';
import type { Key } from 'react';
import { useTranslation } from 'react-i18next';
import type { MethodHistory } from '../../../../contract/index.ts';
import { plainBars, plainLines } from '../../../components/chart.ts';
import { Panel } from '../../../components/page.tsx';
import { formatMilliseconds, formatRate, formatTime } from '../../../lib/format.ts';
import classes from './method-charts.module.css';
import { isAlone, newest, peak } from './series.ts';

type Method = MethodHistory['methods'][number];

const HEIGHT_PX = 48;
const ALONE_PX = 1.5;
/** Below the chart, since it would be hidden otherwise. */
const tooltipProps = { position: { y: HEIGHT_PX + 4 }, wrapperStyle: { zIndex: 2 } };

interface DotPlace {
  key?: Key | null | undefined;
  cx?: number | undefined;
  cy?: number | undefined;
  index?: number | undefined;
  stroke?: string | undefined;
}

/** Draws a dot if the point has no neighbour to connect to. */
function dotsOf(values: readonly (number | null)[]) {
  return ({ key, cx, cy, index = -1, stroke }: DotPlace) =>
    isAlone(values, index) ? <circle key={key} cx={cx} cy={cy} r={ALONE_PX} fill={stroke} /> : <g key={key} />;
}

function Chart({ method, rate, p50, p99, from, stepMs }: Method & Pick<MethodHistory, 'from' | 'stepMs'>) {
  const { t, i18n } = useTranslation();
  const ms = (value: number | null): string => (value === null ? '–' : formatMilliseconds(value, i18n.language));
  // The last interval is incomplete, so the rate is that of the one before it.
  const now = { rate: formatRate(rate.at(-2) ?? 0, i18n.language), p50: ms(newest(p50)), p99: ms(newest(p99)) };
  const top = formatRate(peak(rate), i18n.language);
  const steps = rate.map((perSecond, index) => ({
    time: formatTime(from + index * stepMs, i18n.language),
    rate: perSecond,
    p50: p50[index] ?? null,
    p99: p99[index] ?? null,
  }));
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.head}>
        <b className="mono">{method}</b>
        <span className={`num ${classes.legend}`}>
          <span>
            <span className={classes.swatch} data-of="rate" />
            {t('gateway.chartNow', { rate: now.rate, top })}
          </span>
        </span>
      </figcaption>
      <div className={classes.plot} role="img" aria-label={t('gateway.chartRate', { method, rate: now.rate, top })}>
        <BarChart
          {...plainBars}
          tooltipProps={tooltipProps}
          h={HEIGHT_PX}
          data={steps}
          dataKey="time"
          series={[{ name: 'rate', label: t('gateway.chartRateLabel'), color: 'var(--pl-accent)' }]}
          valueFormatter={(value) => formatRate(value, i18n.language)}
        />
      </div>
      <div
        className={classes.plot}
        role="img"
        aria-label={t('gateway.chartLatency', { method, p50: now.p50, p99: now.p99 })}
      >
        <LineChart
          {...plainLines}
          tooltipProps={tooltipProps}
          h={HEIGHT_PX}
          data={steps}
          dataKey="time"
          series={[
            { name: 'p99', label: t('gateway.p99Label'), color: 'var(--pl-wait)' },
            { name: 'p50', label: t('gateway.p50Label'), color: 'var(--pl-info)' },
          ]}
          curveType="linear"
          strokeWidth={1.5}
          connectNulls={false}
          valueFormatter={(value) => t('gateway.milliseconds', { ms: ms(value) })}
          lineProps={({ name }) => ({ isAnimationActive: false, dot: dotsOf(name === 'p50' ? p50 : p99) })}
        />
      </div>
      <div className={`num ${classes.legend}`}>
        <span>
          <span className={classes.swatch} data-of="p50" />
          {t('gateway.p50', { ms: now.p50 })}
        </span>
        <span>
          <span className={classes.swatch} data-of="p99" />
          {t('gateway.p99', { ms: now.p99 })}
        </span>
      </div>
    </figure>
  );
}

/** Rate and duration of the calls of each method over the last five minutes. */
export function MethodCharts({ history }: { history: MethodHistory | undefined }) {
  const { t } = useTranslation();
  if (history === undefined || history.methods.length === 0) return null;
  return (
    <Panel flush title={t('gateway.charts')} hint={t('gateway.chartsHint')}>
      <div className={classes.charts}>
        {history.methods.map((method) => (
          <Chart key={method.method} {...method} from={history.from} stepMs={history.stepMs} />
        ))}
      </div>
    </Panel>
  );
}

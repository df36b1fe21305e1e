import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { MethodHistory } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { Panel } from '../../components/page.tsx';
import { formatMilliseconds, formatRate } from '../../lib/format.ts';
import classes from './gateway.module.css';
import { linePath, newest, peak } from './series.ts';

type Method = MethodHistory['methods'][number];

/** Height of a drawing in its own units; one unit across is one step. */
const TALL = 40;

function Chart({ method, rate, p50, p99 }: Method) {
  const { t, i18n } = useTranslation();
  const ms = (value: number | null): string => (value === null ? '–' : formatMilliseconds(value, i18n.language));
  const steps = rate.length;
  const fastest = peak(rate);
  const slowest = peak(p99);
  // The last step still runs, so the one before it tells the rate.
  const now = { rate: formatRate(rate.at(-2) ?? 0, i18n.language), p50: ms(newest(p50)), p99: ms(newest(p99)) };
  const top = formatRate(fastest, i18n.language);
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.chartHead}>
        <b className="mono">{method}</b>
        <span className={`num ${classes.legend}`}>
          <span>
            <span className={classes.swatch} data-of="rate" />
            {t('gateway.chartNow', { rate: now.rate, top })}
          </span>
        </span>
      </figcaption>
      <svg
        className={classes.plot}
        viewBox={`0 0 ${steps} ${TALL}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('gateway.chartRate', { method, rate: now.rate, top })}
      >
        {rate.map((value, index) => {
          const height = fastest === 0 ? 0 : (value / fastest) * (TALL - 2);
          return value === 0 ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
            <rect key={index} className={classes.bar} x={index + 0.1} y={TALL - height} width={0.8} height={height} />
          );
        })}
      </svg>
      <svg
        className={classes.plot}
        viewBox={`0 0 ${steps} ${TALL}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('gateway.chartLatency', { method, p50: now.p50, p99: now.p99 })}
      >
        <path className={classes.p99} d={linePath(p99, slowest, TALL)} />
        <path className={classes.p50} d={linePath(p50, slowest, TALL)} />
      </svg>
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

/** How often each method is called and how long it takes, over the last five minutes. */
export function MethodCharts() {
  const { t } = useTranslation();
  const methods = useQuery({ ...api.gateway.history.queryOptions(), refetchInterval: 2_500 }).data?.methods ?? [];
  if (methods.length === 0) return null;
  return (
    <Panel flush title={t('gateway.charts')} hint={t('gateway.chartsHint')}>
      <div className={classes.charts}>
        {methods.map((method) => (
          <Chart key={method.method} {...method} />
        ))}
      </div>
    </Panel>
  );
}

import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatBytes, formatInteger } from '../../lib/format.ts';
import { CHART_HOURS, type UsageChart, type UsageSeries, usageChart } from './usage.ts';
import classes from './writer.module.css';

const REFRESH_MS = 10_000;
const HOUR_MS = 3_600_000;
/** Units of the drawing: it is stretched to the width there is. */
const BAR = 20;
const GAP = 4;
const HEIGHT = 120;
const WIDTH = CHART_HOURS * (BAR + GAP) - GAP;

function useTagName(): (series: UsageSeries) => string {
  const { t } = useTranslation();
  return (series) => (series.kind === 'others' ? t('writer.usage.others') : (series.tag ?? t('writer.usage.noTag')));
}

/** Bars of one hour each, the tags on top of each other. */
function Bars({ chart, what }: { chart: UsageChart; what: 'documents' | 'bytes' }) {
  const { t, i18n } = useTranslation();
  const nameOf = useTagName();
  const show = (value: number): string =>
    what === 'bytes' ? formatBytes(value, i18n.language) : formatInteger(value, i18n.language);
  const totals = chart.hours.map((_, hour) => chart.series.reduce((sum, one) => sum + (one[what][hour] ?? 0), 0));
  const top = Math.max(1, ...totals);
  const total = totals.reduce((sum, one) => sum + one, 0);
  const clock = new Intl.DateTimeFormat(i18n.language, { hour: '2-digit', minute: '2-digit' });
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.chartHead}>
        <span>{t(`writer.usage.${what}`)}</span>
        <span className="num">{show(total)}</span>
      </figcaption>
      <svg
        className={classes.bars}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('writer.usage.chart', { what: t(`writer.usage.${what}`), total: show(total) })}
      >
        {chart.hours.map((hour, index) => {
          let below = 0;
          return (
            <g key={hour} transform={`translate(${index * (BAR + GAP)} 0)`}>
              <title>
                {[
                  clock.format(hour),
                  ...chart.series
                    .filter((one) => (one[what][index] ?? 0) > 0)
                    .map((one) => `${nameOf(one)}: ${show(one[what][index] ?? 0)}`),
                ].join('\n')}
              </title>
              <rect className={classes.slot} width={BAR} height={HEIGHT} />
              {chart.series.map((one, series) => {
                const height = ((one[what][index] ?? 0) / top) * HEIGHT;
                below += height;
                return height === 0 ? null : (
                  <rect
                    key={`${one.kind}-${one.tag ?? ''}`}
                    data-series={one.kind === 'others' ? 'others' : series}
                    className={classes.bar}
                    y={HEIGHT - below}
                    width={BAR}
                    height={height}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <div className={classes.axis} aria-hidden>
        <span>{clock.format(chart.hours[0] ?? 0)}</span>
        <span>{clock.format(chart.hours[CHART_HOURS / 2] ?? 0)}</span>
        <span>{clock.format((chart.hours.at(-1) ?? 0) + HOUR_MS)}</span>
      </div>
    </figure>
  );
}

/** Documents and bytes of the last 24 hours. */
export function Usage() {
  const { t } = useTranslation();
  const nameOf = useTagName();
  const query = useQuery(api.writer.usage.queryOptions({ refetchInterval: REFRESH_MS }));
  const hour = Math.floor(useNow() / HOUR_MS) * HOUR_MS;
  const chart = useMemo(() => usageChart(query.data ?? [], hour), [query.data, hour]);
  return (
    <Panel title={t('writer.usage.title')} hint={t('writer.usage.hint')}>
      <QueryView
        query={query}
        skeleton={<Skeleton height={180} />}
        isEmpty={() => chart.series.length === 0}
        empty={<p className={classes.chartEmpty}>{t('writer.usage.empty')}</p>}
      >
        {() => (
          <>
            <div className={classes.charts}>
              <Bars chart={chart} what="documents" />
              <Bars chart={chart} what="bytes" />
            </div>
            <ul className={classes.legend}>
              {chart.series.map((one, index) => (
                <li key={`${one.kind}-${one.tag ?? ''}`}>
                  <span className={classes.swatch} data-series={one.kind === 'others' ? 'others' : index} aria-hidden />
                  <span className={classes.legendName}>{nameOf(one)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </QueryView>
    </Panel>
  );
}

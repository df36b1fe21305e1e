import { BarChart } from '@mantine/charts';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { plainBars } from '../../../components/chart.ts';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { useNow } from '../../../components/values/use-now.ts';
import { formatBytes, formatHour, formatInteger } from '../../../lib/format.ts';
import { CHART_HOURS, type UsageChart, type UsageSeries, usageChart } from './usage.ts';
import classes from './usage-charts.module.css';

const REFRESH_MS = 10_000;
const HOUR_MS = 3_600_000;
const HEIGHT_PX = 120;
/** Colours of the tags in the order of their documents; a chart has no more. */
const TAG_COLORS = ['var(--pl-accent)', '#5f86a3', '#8d8b52', '#94709f', '#55937f'];
const OTHERS_COLOR = '#9a948b';

function colorOf({ kind }: UsageSeries, index: number): string {
  return kind === 'others' ? OTHERS_COLOR : (TAG_COLORS[index] ?? OTHERS_COLOR);
}

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
  const total = chart.series.reduce((sum, one) => one[what].reduce((all, value) => all + value, sum), 0);
  const clock = (at: number): string => formatHour(at, i18n.language);
  // Tags are free text, so the keys of the chart are numbers.
  const data = chart.hours.map((hour, index) => ({
    hour: clock(hour),
    ...Object.fromEntries(chart.series.map((one, series) => [`tag${series}`, one[what][index] ?? 0])),
  }));
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.head}>
        <span>{t(`writer.usage.${what}`)}</span>
        <span className="num">{show(total)}</span>
      </figcaption>
      <div
        role="img"
        aria-label={t('writer.usage.chart', { what: t(`writer.usage.${what}`), total: show(total) })}
        className={classes.plot}
      >
        <BarChart
          {...plainBars}
          h={HEIGHT_PX}
          type="stacked"
          data={data}
          dataKey="hour"
          series={chart.series.map((one, index) => ({
            name: `tag${index}`,
            label: nameOf(one),
            color: colorOf(one, index),
          }))}
          valueFormatter={show}
        />
      </div>
      <div className={classes.axis} aria-hidden>
        <span>{clock(chart.hours[0] ?? 0)}</span>
        <span>{clock(chart.hours[CHART_HOURS / 2] ?? 0)}</span>
        <span>{clock((chart.hours.at(-1) ?? 0) + HOUR_MS)}</span>
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
        empty={<p className={classes.empty}>{t('writer.usage.empty')}</p>}
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
                  <span className={classes.swatch} style={{ background: colorOf(one, index) }} aria-hidden />
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

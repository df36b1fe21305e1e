import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { GatewayStatus, UpstreamHealth } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useNetwork } from '../../../api/live/live-store.ts';
import { numberColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Panel } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Badge } from '../../../components/values/values.tsx';
import { inPageLanguage } from '../../../i18n/errors.ts';
import { formatBytes, formatDuration, formatInteger, formatMilliseconds, formatRate } from '../../../lib/format.ts';
import classes from '../gateway.module.css';
import '../without-node/texts.ts';
import { Fact } from '../../../components/values/fact.tsx';
import { CallsUnderWay } from './calls-under-way.tsx';
import { LiveCalls } from './live-calls.tsx';
import { MethodCharts } from './method-charts.tsx';
import { Words } from './reason.tsx';
import { TrafficFigures } from './traffic-figures.tsx';

type MethodFigures = GatewayStatus['methods'][number];

const methodOf = ({ method }: MethodFigures): string => method;
const circuitKeys = {
  new: 'gateway.new',
  closed: 'gateway.healthy',
  open: 'gateway.open',
  barred: 'gateway.barred',
} as const;
const circuitTones = { new: 'wait', closed: 'done', open: 'fail', barred: 'fail' } as const;
const originOf = ({ origin }: UpstreamHealth): string => origin;

function Methods({ methods }: { methods: readonly MethodFigures[] }) {
  const { t, i18n } = useTranslation();
  const columns = useMemo<readonly ListColumn<MethodFigures>[]>(() => {
    const count = (value: number): string => formatInteger(value, i18n.language);
    const time = (value: number): string => formatMilliseconds(value, i18n.language);
    return [
      {
        key: 'method',
        title: t('gateway.method'),
        width: 'minmax(120px, 1fr)',
        value: methodOf,
        render: (figures) => <span className="mono">{figures.method}</span>,
      },
      numberColumn('calls', t('gateway.calls'), '64px', count),
      numberColumn('rate', t('gateway.rate'), '64px', (rate) => formatRate(rate, i18n.language)),
      numberColumn('errors', t('gateway.errors'), '64px', count),
      numberColumn('cached', t('gateway.cached'), '64px', count),
      numberColumn('p50', 'p50 ms', '64px', time),
      numberColumn('p99', 'p99 ms', '64px', time),
    ];
  }, [t, i18n.language]);
  return (
    <List
      name="methods"
      label={t('gateway.methods')}
      title={t('gateway.methods')}
      hint={t('gateway.methodsHint')}
      rows={methods}
      idOf={methodOf}
      columns={columns}
      initialSort={{ column: 'calls', direction: 'desc' }}
      empty={t('gateway.noCalls')}
      maxHeight={360}
    />
  );
}

function Upstreams({ upstreams, source }: Pick<GatewayStatus, 'upstreams' | 'source'>) {
  const { t, i18n } = useTranslation();
  const network = useNetwork();
  const columns = useMemo<readonly ListColumn<UpstreamHealth>[]>(() => {
    const count = (value: number): string => formatInteger(value, i18n.language);
    const time = (value: number | null): string => (value === null ? '–' : formatMilliseconds(value, i18n.language));
    return [
      {
        key: 'origin',
        title: t('gateway.upstream'),
        width: 'minmax(110px, 2fr)',
        value: originOf,
        render: (upstream) => (
          <span className="mono" title={upstream.origin}>
            {upstream.origin}
          </span>
        ),
      },
      {
        key: 'circuit',
        title: t('gateway.state'),
        width: '116px',
        value: (upstream) => upstream.circuit,
        render: (upstream) => <Badge tone={circuitTones[upstream.circuit]}>{t(circuitKeys[upstream.circuit])}</Badge>,
      },
      numberColumn('height', t('gateway.height'), '84px', count),
      numberColumn('behind', t('gateway.behind'), '60px', count),
      {
        key: 'latency',
        title: t('gateway.latency'),
        width: '148px',
        align: 'right',
        value: ({ latency }) => latency,
        render: ({ latency, p95 }) => <span className="num">{`${time(latency)} / ${time(p95)}`}</span>,
      },
      numberColumn('calls', t('gateway.calls'), '66px', count),
      numberColumn('failures', t('gateway.failures'), '66px', count),
    ];
  }, [t, i18n.language]);
  return (
    <List
      name="upstreams"
      label={t('gateway.upstreams')}
      title={t('gateway.upstreams')}
      hint={t(source === 'node' ? 'gateway.upstreamsHint' : `withoutNode.${source}`)}
      rows={upstreams}
      idOf={originOf}
      columns={columns}
      plain
      empty={t(
        source === 'public'
          ? 'withoutNode.noUpstreams'
          : network === 'sandbox'
            ? 'gateway.noUpstreamsSandbox'
            : 'gateway.noUpstreams',
      )}
      below={<Failures upstreams={upstreams} />}
    />
  );
}

/** Reasons why each upstream is not asked, is distrusted or failed last. These are sentences, too long for a column. */
function Failures({ upstreams }: { upstreams: readonly UpstreamHealth[] }) {
  const { t } = useTranslation();
  const failing = upstreams.filter(({ lastFailure }) => lastFailure !== null);
  if (failing.length === 0) return null;
  return (
    <dl className={classes.failures} aria-label={t('gateway.lastFailure')}>
      {failing.map(({ origin, circuit, lastFailure, failure }) => (
        <div key={origin} data-now={circuit === 'open' || circuit === 'barred' || undefined}>
          <dt>{t('gateway.lastFailure')}</dt>
          <dd>
            <Words failure={failure} text={failure === null ? (lastFailure ?? '') : inPageLanguage(failure).message} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Cache({ status }: { status: GatewayStatus }) {
  const { t, i18n } = useTranslation();
  const { cache, tip } = status;
  const count = (value: number): string => formatInteger(value, i18n.language);
  const used = (bytes: number, limit: number): string =>
    t('gateway.used', { used: formatBytes(bytes, i18n.language), limit: formatBytes(limit, i18n.language) });
  const facts = [
    { name: t('gateway.hits'), value: count(cache.hits) },
    { name: t('gateway.shared'), value: count(cache.shared) },
    { name: t('gateway.local'), value: count(cache.local) },
    { name: t('gateway.misses'), value: count(cache.misses) },
    { name: t('gateway.memory'), value: used(cache.bytes, cache.limit) },
    { name: t('gateway.disk'), value: used(cache.diskBytes, cache.diskLimit) },
    { name: t('gateway.dropped'), value: count(cache.dropped) },
    { name: t('gateway.reorganisations'), value: count(status.reorganisations) },
    { name: t('gateway.connections'), value: count(status.connections) },
    {
      name: t('gateway.tip'),
      value:
        tip === null
          ? '–'
          : t(tip.age < 1_000 ? 'gateway.tipNow' : 'gateway.tipValue', {
              height: count(tip.height),
              age: formatDuration(tip.age),
            }),
    },
  ];
  return (
    <Panel title={t('gateway.cache')} hint={t('gateway.cacheHint')}>
      <dl className={layout.facts}>
        {facts.map(({ name, value }) => (
          <Fact key={name} name={name} num>
            {value}
          </Fact>
        ))}
      </dl>
    </Panel>
  );
}

/** Calls by client, how they were answered, and the state of the upstream nodes. */
export function Traffic() {
  const query = useQuery({ ...api.gateway.status.queryOptions(), refetchInterval: 1_000 });
  const history = useQuery({ ...api.gateway.history.queryOptions(), refetchInterval: 2_500 });
  return (
    <Stack gap="md">
      {history.data === undefined ? <Skeleton height={84} radius="md" /> : <TrafficFigures history={history.data} />}
      {query.data && <CallsUnderWay underWay={query.data.underWay} />}
      <LiveCalls />
      {query.isPending || history.isPending ? (
        <SkeletonRows />
      ) : (
        <>
          <MethodCharts history={history.data} />
          <QueryView query={query}>
            {(status) => (
              <>
                <Methods methods={status.methods} />
                <Upstreams upstreams={status.upstreams} source={status.source} />
                <Cache status={status} />
              </>
            )}
          </QueryView>
        </>
      )}
    </Stack>
  );
}

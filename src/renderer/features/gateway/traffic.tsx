import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GatewayCall } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive } from '../../api/live-store.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Callout, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { SortedTable } from '../../components/sorted-table.tsx';
import { Badge } from '../../components/values.tsx';
import { VirtualRows } from '../../components/virtual-rows.tsx';
import { formatBytes } from '../../lib/format.ts';
import classes from './gateway.module.css';

const KEPT = 5_000;

function useTraffic(paused: boolean): { calls: readonly GatewayCall[]; skipped: number; lost: string | undefined } {
  const [calls, setCalls] = useState<readonly GatewayCall[]>([]);
  const [skipped, setSkipped] = useState(0);
  const [lost, setLost] = useState<string>();
  const held = useRef(paused);
  held.current = paused;
  useEffect(() => {
    const stop = new AbortController();
    const listen = async (): Promise<void> => {
      for await (const step of await client.gateway.traffic(undefined, { signal: stop.signal })) {
        if (stop.signal.aborted) return;
        if (held.current) continue;
        setSkipped((count) => count + step.skipped);
        setCalls((list) => {
          const seen = list[0]?.number ?? -1;
          const fresh = step.calls.filter((call) => call.number > seen).toSorted((a, b) => b.number - a.number);
          return fresh.length === 0 ? list : [...fresh, ...list].slice(0, KEPT);
        });
      }
    };
    listen().catch((error: unknown) => {
      if (!stop.signal.aborted) setLost(failureOf(error).message);
    });
    return () => stop.abort();
  }, []);
  return { calls, skipped, lost };
}

function Live() {
  const { t, i18n } = useTranslation();
  const [paused, setPaused] = useState(false);
  const [filter, setFilter] = useState('');
  const { calls, skipped, lost } = useTraffic(paused);
  const rpc = useLive((state) => state.app?.endpoints.rpc) ?? '';
  const wanted = filter.trim().toLowerCase();
  const shown = calls.filter((call) =>
    [call.method, call.caller, call.source, String(call.status), call.reason ?? ''].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
  const cell = (index: number, column: string) => {
    const call = shown[index];
    if (call === undefined) return null;
    switch (column) {
      case 'time':
        return new Date(call.at).toLocaleTimeString(i18n.language);
      case 'method':
        return (
          <>
            <span className="mono">{call.method}</span>
            <CopyButton
              value={`curl --user USER:PASSWORD -H 'Content-Type: application/json' --data '${JSON.stringify({ method: call.method })}' ${rpc}`}
              what={t('gateway.copyCurl')}
            />
          </>
        );
      case 'source':
        return (
          <span title={call.reason ?? undefined}>
            <Badge tone={call.source === 'refused' ? 'fail' : call.source === 'upstream' ? 'neutral' : 'done'}>
              {t(`gateway.sources.${call.source}`)}
            </Badge>{' '}
            {call.reason}
          </span>
        );
      case 'ms':
        return call.milliseconds.toFixed(1);
      case 'size':
        return formatBytes(call.bytes, i18n.language);
      case 'status':
        return call.status;
      default:
        return call.caller;
    }
  };
  return (
    <Panel
      flush
      title={t('gateway.live')}
      hint={skipped === 0 ? undefined : t('gateway.skippedCalls', { count: skipped })}
      actions={
        <div className={classes.form}>
          <TextInput
            size="xs"
            aria-label={t('gateway.filter')}
            placeholder={t('gateway.filter')}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <Button size="xs" variant="default" onClick={() => setPaused(!paused)}>
            {t(paused ? 'gateway.resume' : 'gateway.pause')}
          </Button>
        </div>
      }
    >
      {lost !== undefined && <Callout tone="fail" role="alert" title={lost} />}
      {calls.length === 0 ? (
        <div className={`${classes.pad} ${classes.dim}`}>{t('gateway.noCalls')}</div>
      ) : (
        <VirtualRows
          label={t('gateway.live')}
          count={shown.length}
          keyOf={(index) => shown[index]?.number ?? index}
          cell={cell}
          maxHeight={400}
          columns={[
            { key: 'time', title: t('gateway.time'), width: '88px' },
            { key: 'caller', title: t('gateway.caller'), width: '88px' },
            { key: 'method', title: t('gateway.method'), width: 'minmax(0, 3fr)' },
            { key: 'source', title: t('gateway.source'), width: 'minmax(0, 2fr)' },
            { key: 'ms', title: t('gateway.ms'), width: '64px', align: 'right' },
            { key: 'size', title: t('gateway.size'), width: '72px', align: 'right' },
            { key: 'status', title: t('gateway.status'), width: '56px', align: 'right' },
          ]}
        />
      )}
    </Panel>
  );
}

/** Who calls what, how it was answered, and how the upstream nodes do. */
export function Traffic() {
  const { t } = useTranslation();
  const query = useQuery({ ...api.gateway.status.queryOptions(), refetchInterval: 2_000 });
  return (
    <Stack gap="md">
      <Live />
      <QueryView query={query}>
        {(status) => (
          <>
            <SortedTable
              records={status.methods}
              idOf={(figures) => figures.method}
              initialSort={{ column: 'calls', direction: 'desc' }}
              columns={[
                { accessor: 'method', title: t('gateway.method'), sortBy: (figures) => figures.method },
                {
                  accessor: 'calls',
                  title: t('gateway.calls'),
                  textAlign: 'right',
                  sortBy: (figures) => figures.calls,
                },
                {
                  accessor: 'rate',
                  title: t('gateway.rate'),
                  textAlign: 'right',
                  sortBy: (figures) => figures.rate,
                  render: (figures) => figures.rate.toFixed(1),
                },
                {
                  accessor: 'errors',
                  title: t('gateway.errors'),
                  textAlign: 'right',
                  sortBy: (figures) => figures.errors,
                },
                {
                  accessor: 'cached',
                  title: t('gateway.cached'),
                  textAlign: 'right',
                  sortBy: (figures) => figures.cached,
                },
                {
                  accessor: 'p50',
                  title: 'p50 ms',
                  textAlign: 'right',
                  sortBy: (figures) => figures.p50,
                  render: (figures) => figures.p50.toFixed(1),
                },
                {
                  accessor: 'p99',
                  title: 'p99 ms',
                  textAlign: 'right',
                  sortBy: (figures) => figures.p99,
                  render: (figures) => figures.p99.toFixed(1),
                },
              ]}
            />
            <Panel flush title={t('gateway.upstreams')}>
              {status.upstreams.length === 0 && (
                <div className={`${classes.pad} ${classes.dim}`}>{t('gateway.noUpstreams')}</div>
              )}
              {status.upstreams.map((upstream) => (
                <div key={upstream.origin} className={classes.line}>
                  <span className={`mono ${classes.value}`}>{upstream.origin}</span>
                  <span className={classes.dim}>
                    {t('gateway.figures', {
                      latency: upstream.latency?.toFixed(1) ?? '–',
                      p95: upstream.p95?.toFixed(1) ?? '–',
                      failures: upstream.failures,
                    })}
                  </span>
                  <Badge tone={upstream.circuit === 'closed' ? 'done' : 'fail'}>
                    {t(upstream.circuit === 'closed' ? 'gateway.healthy' : 'gateway.open')}
                  </Badge>
                </div>
              ))}
            </Panel>
          </>
        )}
      </QueryView>
    </Stack>
  );
}

import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure, GatewayCall, GatewayConnection } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useStream } from '../../../api/use-stream.ts';
import { Hint } from '../../../components/hint.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { FailureNote } from '../../../components/page.tsx';
import { Badge } from '../../../components/values.tsx';
import { formatBytes, formatMilliseconds, isoTime } from '../../../lib/format.ts';
import { curlOf } from '../connect/curl.ts';
import classes from '../gateway.module.css';

const KEPT = 5_000;

const idOf = (call: GatewayCall): string => String(call.number);

async function openTraffic(signal: AbortSignal) {
  const traffic = await client.gateway.traffic(undefined, { signal });
  return (async function* () {
    for await (const { calls, skipped } of traffic) yield { items: calls, skipped };
  })();
}

/** The call with all of its parameters. */
async function whole(call: GatewayCall): Promise<GatewayCall> {
  if (!call.paramsCut) return call;
  const { params } = await client.gateway.params({ number: call.number });
  return { ...call, params, paramsCut: false };
}

function CopyCurl({
  call,
  connection,
  onFailure,
}: {
  call: GatewayCall;
  connection: GatewayConnection;
  onFailure: (failure: Failure) => void;
}) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 1_500 });
  const label = clipboard.copied ? t('common.copied') : t('gateway.copyCurl');
  return (
    <Hint text={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label={label}
        onClick={() =>
          void whole(call)
            .then((found) => clipboard.copy(curlOf(found, connection)))
            .catch((error: unknown) => onFailure(failureOf(error)))
        }
      >
        {clipboard.copied ? <IconCheck {...smallIcon} color="var(--pl-done)" /> : <IconTerminal2 {...smallIcon} />}
      </ActionIcon>
    </Hint>
  );
}

function useColumns(
  connection: GatewayConnection | undefined,
  onFailure: (failure: Failure) => void,
): readonly ListColumn<GatewayCall>[] {
  const { t, i18n } = useTranslation();
  return useMemo(
    () => [
      {
        key: 'time',
        title: t('gateway.time'),
        width: '64px',
        value: (call) => call.number,
        text: (call) => isoTime(call.at),
        // The hours of a day, as logs have them: what fails needs the room.
        render: (call) => (
          <span className="num">{new Date(call.at).toLocaleTimeString(i18n.language, { hourCycle: 'h23' })}</span>
        ),
      },
      { key: 'caller', title: t('gateway.caller'), width: '72px', value: (call) => call.caller },
      {
        key: 'method',
        title: t('gateway.method'),
        width: 'minmax(140px, 1fr)',
        value: (call) => call.method,
        // What was refused before it was read has no method: its place shows the reason alone.
        render: (call) => (
          <span className={classes.called} title={[call.method, call.reason ?? ''].join('\n').trim()}>
            {call.method !== '' && <span className="mono">{call.method}</span>}
            {call.reason !== null && <span className={classes.reason}>{call.reason}</span>}
          </span>
        ),
      },
      {
        key: 'params',
        title: t('gateway.parameters'),
        width: 'minmax(80px, 2fr)',
        extra: true,
        value: (call) => call.params,
        render: (call) => <span className="mono">{call.params}</span>,
      },
      {
        key: 'source',
        title: t('gateway.source'),
        width: '100px',
        value: (call) => t(`gateway.sources.${call.source}`),
        text: (call) => [t(`gateway.sources.${call.source}`), call.reason ?? ''].join(' ').trim(),
        render: (call) => (
          <Badge tone={call.source === 'refused' ? 'fail' : call.source === 'upstream' ? 'neutral' : 'done'}>
            {t(`gateway.sources.${call.source}`)}
          </Badge>
        ),
      },
      {
        key: 'milliseconds',
        title: t('gateway.ms'),
        width: '52px',
        align: 'right',
        value: (call) => call.milliseconds,
        render: (call) => <span className="num">{formatMilliseconds(call.milliseconds, i18n.language)}</span>,
      },
      {
        key: 'bytes',
        title: t('gateway.size'),
        width: '64px',
        align: 'right',
        value: (call) => call.bytes,
        render: (call) => <span className="num">{formatBytes(call.bytes, i18n.language)}</span>,
      },
      { key: 'status', title: t('gateway.status'), width: '46px', align: 'right', value: (call) => call.status },
      {
        key: 'curl',
        title: t('gateway.curl'),
        width: '40px',
        sortable: false,
        action: true,
        value: () => null,
        render: (call) =>
          call.method === '' || connection === undefined ? null : (
            <CopyCurl key={call.number} call={call} connection={connection} onFailure={onFailure} />
          ),
      },
    ],
    [t, i18n.language, connection, onFailure],
  );
}

/** Every call as it comes. */
export function LiveCalls() {
  const { t } = useTranslation();
  const [paused, setPaused] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const { items, skipped, lost } = useStream(openTraffic, { paused, keep: KEPT });
  const connection = useQuery(api.gateway.connection.queryOptions()).data;
  const columns = useColumns(connection, setFailure);
  const complete = useCallback((calls: readonly GatewayCall[]) => {
    setFailure(undefined);
    return Promise.all(calls.map(whole)).catch((error: unknown) => {
      setFailure(failureOf(error));
      return calls;
    });
  }, []);
  const visible = lost ?? failure;
  return (
    <>
      {visible !== undefined && <FailureNote failure={visible} />}
      <List
        name="calls"
        label={t('gateway.live')}
        title={t('gateway.live')}
        hint={skipped === 0 ? undefined : t('gateway.skippedCalls', { count: skipped })}
        rows={items}
        idOf={idOf}
        columns={columns}
        filter={t('gateway.filter')}
        tools={
          <Button size="xs" variant="default" onClick={() => setPaused(!paused)}>
            {t(paused ? 'gateway.resume' : 'gateway.pause')}
          </Button>
        }
        {...(connection === undefined
          ? {}
          : {
              copies: {
                label: t('gateway.copyAsCurl'),
                of: (call: GatewayCall) => (call.method === '' ? '' : curlOf(call, connection)),
              },
            })}
        complete={complete}
        empty={t(lost === undefined ? 'gateway.noCalls' : 'gateway.notListening')}
        maxHeight={400}
      />
    </>
  );
}

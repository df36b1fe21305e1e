import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answerSources, type Failure, type GatewayCall, type GatewayConnection } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useStream } from '../../../api/use-stream.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { numberColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { useOverRow } from '../../../components/list/use-steady.ts';
import { Hint } from '../../../components/values/hint.tsx';
import { Badge } from '../../../components/values/values.tsx';
import { reasonOf } from '../../../i18n/reason.ts';
import { formatBytes, formatInteger, formatMilliseconds, formatTime, isoTime } from '../../../lib/format.ts';
import { curlOf } from '../connect/curl.ts';
import classes from '../gateway.module.css';
import { CallDetail } from './call-detail.tsx';
import { chipsOf, filterCalls, isError, toneOf } from './call-filter.ts';
import { FilterChips } from './filter-chips.tsx';
import { Words } from './reason.tsx';
import { useCallFilter } from './use-call-filter.ts';

const KEPT = 10_000;
/** Height of the list: the rest of the window below the figures; in a low window the height of the window. */
const HEIGHT = 'max(360px, calc(100vh - 330px))';

const idOf = (call: GatewayCall): string => String(call.number);

const openTraffic = (signal: AbortSignal) => client.gateway.traffic(undefined, { signal });
const callsOf = ({ calls }: { calls: readonly GatewayCall[] }) => calls;

async function whole(call: GatewayCall): Promise<GatewayCall> {
  if (!call.paramsCut) return call;
  const { params } = await client.gateway.params({ number: call.number });
  return { ...call, params, paramsCut: false };
}

interface CopyCurlProps {
  call: GatewayCall;
  connection: GatewayConnection;
  onFailure: (failure: Failure) => void;
}

function CopyCurl({ call, connection, onFailure }: CopyCurlProps) {
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
  onOpen: (call: GatewayCall) => void,
): readonly ListColumn<GatewayCall>[] {
  const { t, i18n } = useTranslation();
  // Read once per render: a search reads the source of thousands of calls.
  const sources = useMemo(
    () =>
      Object.fromEntries(answerSources.map((source) => [source, t(`gateway.sources.${source}`)])) as Record<
        GatewayCall['source'],
        string
      >,
    [t],
  );
  return useMemo<readonly ListColumn<GatewayCall>[]>(
    () => [
      {
        key: 'time',
        title: t('gateway.time'),
        width: '84px',
        value: (call) => call.number,
        text: (call) => isoTime(call.at),
        render: (call) => <span className="num">{formatTime(call.at, i18n.language)}</span>,
      },
      {
        key: 'caller',
        title: t('gateway.caller'),
        width: 'minmax(72px, 0.6fr)',
        value: (call) => call.caller,
        render: (call) => (
          <span data-untranslated className={classes.client} title={call.caller}>
            {call.caller}
          </span>
        ),
      },
      {
        key: 'method',
        title: t('gateway.method'),
        width: 'minmax(140px, 1.8fr)',
        value: (call) => call.method,
        // A call refused before it was parsed has no method. Its cell shows only the reason.
        render: (call) => {
          const reason = reasonOf(call);
          return (
            <span className={classes.called}>
              {call.method !== '' && (
                <button type="button" className={classes.open} tabIndex={-1} onClick={() => onOpen(call)}>
                  <span className="mono" title={call.method}>
                    {call.method}
                  </span>
                </button>
              )}
              {reason !== null && <Words className={classes.reason} failure={call.failure} text={reason} />}
            </span>
          );
        },
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
        value: (call) => sources[call.source],
        text: (call) => `${sources[call.source]} ${reasonOf(call) ?? ''}`.trim(),
        render: (call) => <Badge tone={toneOf(call)}>{sources[call.source]}</Badge>,
      },
      numberColumn('milliseconds', t('gateway.ms'), '52px', (ms) => formatMilliseconds(ms, i18n.language)),
      numberColumn('bytes', t('gateway.size'), '64px', (bytes) => formatBytes(bytes, i18n.language)),
      {
        key: 'status',
        title: t('gateway.status'),
        width: '46px',
        align: 'right',
        value: (call) => call.status,
        render: (call) => (
          <span className={`num ${classes.httpStatus}`} data-tone={isError(call) ? 'fail' : toneOf(call)}>
            {call.status}
          </span>
        ),
      },
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
    [t, i18n.language, connection, onFailure, onOpen, sources],
  );
}

export function LiveCalls() {
  const { t, i18n } = useTranslation();
  const [paused, setPaused] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [opened, setOpened] = useState<GatewayCall>();
  const [filter, setFilter] = useCallFilter();
  // The list stands still while the pointer is over it, so that a row does not move away before a click.
  const { isOver, handlers } = useOverRow();
  const stream = useStream(openTraffic, callsOf, { paused: paused || isOver, keep: KEPT });
  const { items, skipped, waiting, lost, loaded } = stream;
  // Bursts are rendered with low priority, after clicks and keys.
  const painted = useDeferredValue(items);
  const isLoaded = useDeferredValue(loaded);
  const rows = useMemo(() => filterCalls(painted, filter), [painted, filter]);
  const chips = useMemo(() => chipsOf(painted, filter), [painted, filter]);
  const connection = useQuery(api.gateway.connection.queryOptions()).data;
  const columns = useColumns(connection, setFailure, setOpened);
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
      <div {...handlers}>
        <List<GatewayCall>
          name="calls"
          label={t('gateway.live')}
          title={t('gateway.live')}
          hint={
            isOver && !paused && waiting > 0
              ? t('gateway.held', { count: waiting, visible: formatInteger(waiting, i18n.language) })
              : skipped === 0
                ? undefined
                : t('gateway.skippedCalls', { count: skipped })
          }
          rows={rows}
          idOf={idOf}
          columns={columns}
          filter={t('gateway.filter')}
          tools={
            <Button size="xs" variant="default" onClick={() => setPaused(!paused)}>
              {paused && waiting > 0
                ? t('gateway.resumeWaiting', { count: waiting, visible: formatInteger(waiting, i18n.language) })
                : t(paused ? 'gateway.resume' : 'gateway.pause')}
            </Button>
          }
          copies={
            connection && {
              label: t('gateway.copyAsCurl'),
              of: (call) => (call.method === '' ? '' : curlOf(call, connection)),
            }
          }
          complete={complete}
          above={<FilterChips chips={chips} filter={filter} onChange={setFilter} />}
          onOpen={setOpened}
          empty={t(
            lost !== undefined
              ? 'gateway.notListening'
              : painted.length === 0
                ? 'gateway.noCalls'
                : 'gateway.noCallsLeft',
          )}
          loading={!isLoaded}
          height={HEIGHT}
        />
      </div>
      <CallDetail call={opened} connection={connection} onClose={() => setOpened(undefined)} />
    </>
  );
}

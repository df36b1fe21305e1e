import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ZmqMessage, ZmqTopicCounts } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useStream } from '../../../api/use-stream.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { numberColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { QueryView } from '../../../components/query-view.tsx';
import { StateNote } from '../../../components/status/service.tsx';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Ago, Badge } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger, formatRate, formatTime, isoTime } from '../../../lib/format.ts';

const KEPT = 2_000;
const HEIGHT_PX = 480;

const topicOf = ({ topic }: ZmqTopicCounts): string => topic;
const idOf = ({ number }: ZmqMessage): string => String(number);

const openFeed = (signal: AbortSignal) => client.zmq.feed(undefined, { signal });
const messagesOf = ({ messages }: { messages: readonly ZmqMessage[] }) => messages;

function Topics({ topics, hint }: { topics: readonly ZmqTopicCounts[]; hint: string }) {
  const { t, i18n } = useTranslation();
  const columns = useMemo<readonly ListColumn<ZmqTopicCounts>[]>(() => {
    const count = (
      key: 'messages' | 'missed' | 'repaired' | 'restarts',
      title: string,
    ): ListColumn<ZmqTopicCounts> => ({
      key,
      title,
      width: '70px',
      align: 'right',
      value: (topic) => topic[key],
      render: (topic) =>
        key === 'missed' && topic.missed > topic.repaired ? (
          <Badge tone="wait">{formatInteger(topic.missed, i18n.language)}</Badge>
        ) : (
          <span className="num">{formatInteger(topic[key], i18n.language)}</span>
        ),
    });
    return [
      {
        key: 'topic',
        title: t('gateway.topic'),
        width: 'minmax(176px, 1fr)',
        value: topicOf,
        render: (topic) => <span className="mono">{topic.topic}</span>,
      },
      count('messages', t('gateway.messages')),
      numberColumn('rate', t('gateway.rate'), '84px', (rate) => formatRate(rate, i18n.language)),
      count('missed', t('gateway.missed')),
      count('repaired', t('gateway.repaired')),
      count('restarts', t('gateway.restarts')),
      {
        key: 'lastAt',
        title: t('gateway.last'),
        width: '92px',
        value: (topic) => topic.lastAt,
        render: (topic) => (topic.lastAt === null ? t('gateway.never') : <Ago at={topic.lastAt} />),
      },
    ];
  }, [t, i18n.language]);
  return (
    <List
      name="topics"
      label={t('gateway.zmqTitle')}
      title={t('gateway.zmqTitle')}
      hint={hint}
      rows={topics}
      idOf={topicOf}
      columns={columns}
      initialSort={{ column: 'topic', direction: 'asc' }}
      plain
      maxHeight="none"
    />
  );
}

function Messages() {
  const { t, i18n } = useTranslation();
  const [paused, setPaused] = useState(false);
  const { items, skipped, lost, loaded } = useStream(openFeed, messagesOf, { paused, keep: KEPT });
  const columns = useMemo<readonly ListColumn<ZmqMessage>[]>(
    () => [
      {
        key: 'time',
        title: t('gateway.time'),
        width: '92px',
        value: (message) => message.number,
        text: (message) => isoTime(message.at),
        render: (message) => <span className="num">{formatTime(message.at, i18n.language)}</span>,
      },
      {
        key: 'topic',
        title: t('gateway.topic'),
        width: 'minmax(84px, 180px)',
        value: (message) => message.topic,
        render: (message) => <span className="mono">{message.topic}</span>,
      },
      {
        key: 'sequence',
        title: t('gateway.sequence'),
        width: '76px',
        align: 'right',
        value: (message) => message.sequence,
      },
      {
        key: 'gap',
        title: t('gateway.gap'),
        width: '84px',
        align: 'right',
        value: (message) => message.gap,
        render: (message) =>
          message.gap === 0 ? '–' : <Badge tone="wait">{formatInteger(message.gap, i18n.language)}</Badge>,
      },
      numberColumn('bytes', t('gateway.size'), '72px', (bytes) => formatBytes(bytes, i18n.language)),
      {
        key: 'body',
        title: t('gateway.body'),
        width: 'minmax(80px, 1fr)',
        sortable: false,
        value: (message) => message.body,
        render: (message) => <span className="mono">{message.body}</span>,
      },
      {
        key: 'copy',
        title: t('common.copy'),
        width: '40px',
        sortable: false,
        action: true,
        value: () => null,
        render: (message) => <CopyButton value={message.body} what={t('gateway.bodyName')} />,
      },
    ],
    [t, i18n.language],
  );
  return (
    <>
      {lost !== undefined && <FailureNote failure={lost} />}
      <List
        name="messages"
        label={t('gateway.feedTitle')}
        title={t('gateway.feedTitle')}
        hint={skipped === 0 ? t('gateway.feedHint') : t('gateway.skippedMessages', { count: skipped })}
        rows={items}
        idOf={idOf}
        columns={columns}
        filter={t('gateway.filterMessages')}
        tools={
          <Button size="xs" variant="default" onClick={() => setPaused(!paused)}>
            {t(paused ? 'gateway.resume' : 'gateway.pause')}
          </Button>
        }
        copies={{ label: t('gateway.copyBodies'), of: ({ body }) => body }}
        empty={t(lost === undefined ? 'gateway.noMessages' : 'gateway.notListening')}
        loading={!loaded}
        height={HEIGHT_PX}
      />
    </>
  );
}

/** Messages of the ZMQ feed as they are published, and the figures of each topic. */
export function Feed() {
  const { t } = useTranslation();
  const query = useQuery({ ...api.zmq.counts.queryOptions(), refetchInterval: 1_000 });
  return (
    <Stack gap="md">
      <Messages />
      <QueryView query={query}>
        {({ source, degraded, topics, subscribers, dropped }) => {
          const hints = [t(`gateway.zmqSource.${source}`), t('gateway.listeners', { count: subscribers })];
          if (dropped > 0) hints.push(t('gateway.leftOut', { count: dropped }));
          return (
            <>
              {degraded !== null && <StateNote failure={degraded} />}
              <Topics topics={topics} hint={hints.join(' ')} />
            </>
          );
        }}
      </QueryView>
    </Stack>
  );
}

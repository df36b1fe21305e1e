import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { SortedTable } from '../../components/sorted-table.tsx';
import { Ago } from '../../components/values.tsx';

/** What the ZMQ feed published, topic by topic. */
export function Feed() {
  const { t } = useTranslation();
  const query = useQuery({ ...api.zmq.counts.queryOptions(), refetchInterval: 1_000 });
  return (
    <QueryView query={query}>
      {({ source, topics }) => (
        <Panel flush title={t('gateway.zmqTitle')} hint={t(`gateway.zmqSource.${source}`)}>
          <SortedTable
            records={topics}
            idOf={(topic) => topic.topic}
            initialSort={{ column: 'topic', direction: 'asc' }}
            columns={[
              { accessor: 'topic', title: t('gateway.topic'), sortBy: (topic) => topic.topic },
              {
                accessor: 'messages',
                title: t('gateway.messages'),
                textAlign: 'right',
                sortBy: (topic) => topic.messages,
              },
              {
                accessor: 'rate',
                title: t('gateway.rate'),
                textAlign: 'right',
                sortBy: (topic) => topic.rate,
                render: (topic) => topic.rate.toFixed(1),
              },
              { accessor: 'missed', title: t('gateway.missed'), textAlign: 'right', sortBy: (topic) => topic.missed },
              { accessor: 'repaired', title: t('gateway.repaired'), textAlign: 'right' },
              {
                accessor: 'lastAt',
                title: t('gateway.last'),
                render: (topic) => (topic.lastAt === null ? t('gateway.never') : <Ago at={topic.lastAt} />),
              },
            ]}
          />
        </Panel>
      )}
    </QueryView>
  );
}

import { Button, Stack } from '@mantine/core';
import { IconMoodCheck, IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { icon, smallIcon } from '../../../components/icon.ts';
import { Empty } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { reasonOf } from '../../../i18n/reason.ts';
import { DocumentsTable } from './documents-table.tsx';
import { Pager, useCursors } from './pager.tsx';

const PAGE_SIZE = 50;

/** What was given up, why, and the way back into the queue. */
export function DeadLetters() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const cursors = useCursors('dead-letters');
  const query = useQuery(
    api.writer.dead.list.queryOptions({
      input: { limit: PAGE_SIZE, ...(cursors.cursor === undefined ? {} : { cursor: cursors.cursor }) },
      placeholderData: keepPreviousData,
    }),
  );
  const retry = useMutation(
    api.writer.dead.retry.mutationOptions({
      onSuccess: () => {
        cursors.reset();
        void queries.invalidateQueries({ queryKey: api.writer.key() });
      },
    }),
  );
  return (
    <Stack gap="sm">
      <ErrorNote error={retry.error} />
      {retry.data !== undefined && (retry.data.retried > 0 || retry.data.kept === 0) && (
        <Callout tone="done" role="status" title={t('writer.dead.retried', { count: retry.data.retried })} />
      )}
      {retry.data !== undefined && retry.data.kept > 0 && (
        <Callout tone="wait" role="status" title={t('writer.dead.kept', { count: retry.data.kept })}>
          {reasonOf(retry.data)}
        </Callout>
      )}
      <QueryView
        query={query}
        isEmpty={(page) => page.documents.length === 0 && cursors.page === 1}
        empty={
          <Empty
            icon={<IconMoodCheck {...icon} size={24} />}
            title={t('writer.dead.emptyTitle')}
            text={t('writer.dead.emptyText')}
          />
        }
      >
        {(page) => (
          <div>
            <DocumentsTable
              // A new key clears the selection after a retry and on another page.
              key={`${cursors.page} ${retry.data === undefined ? '' : retry.submittedAt}`}
              documents={page.documents}
              fetching={query.isPlaceholderData}
              dead={{
                retrying: retry.isPending,
                onRetry: (documents) => retry.mutate({ ids: documents.map(({ id }) => id) }),
                tools: (
                  <Button
                    size="xs"
                    variant="default"
                    leftSection={<IconRefresh {...smallIcon} />}
                    loading={retry.isPending}
                    onClick={() => retry.mutate({})}
                  >
                    {t('writer.dead.retryAll')}
                  </Button>
                ),
              }}
            />
            <Pager cursors={cursors} next={page.next} />
          </div>
        )}
      </QueryView>
    </Stack>
  );
}

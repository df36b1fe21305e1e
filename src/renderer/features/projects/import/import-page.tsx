import { Button, Progress, SegmentedControl, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { ImportStatus } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useActions } from '../../../api/use-actions.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Failures } from '../../../components/callouts/failures.tsx';
import { ListFilter } from '../../../components/list/list.tsx';
import { Page, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { routes } from '../../../lib/routes.ts';
import classes from './import.module.css';
import { CollectionChoices } from './import-collection.tsx';
import { Found, Mapping, type MappingChange, Pairing } from './import-mapping.tsx';
import { ImportRows } from './import-rows.tsx';
import './texts.ts';

const PAGE = 200;
const POLL_MS = 400;
const filters = ['errors', 'warnings', 'ready', 'excluded', 'all'] as const;
type Filter = (typeof filters)[number];

function countsOf(status: ImportStatus): Readonly<Record<Filter, number>> {
  return {
    errors: status.withErrors,
    warnings: status.withWarnings,
    ready: status.ready,
    excluded: status.excluded,
    all: status.rows,
  };
}

function Review({ status }: { status: ImportStatus }) {
  const { t } = useTranslation();
  const { id, imported } = status;
  const queries = useQueryClient();
  const [chosen, setFilter] = useState<Filter>(status.withErrors > 0 ? 'errors' : 'all');
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 200);
  const counts = countsOf(status);
  // When the last problem is solved there is nothing left to see among the problems.
  const filter = chosen !== 'all' && counts[chosen] === 0 ? 'all' : chosen;
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: api.import.key() });
  const mapping = useQuery(api.import.mapping.get.queryOptions({ input: { id }, staleTime: 0 }));
  const rows = useInfiniteQuery(
    api.import.rows.infiniteOptions({
      input: (offset: number) => ({ id, filter, search, offset, limit: PAGE }),
      initialPageParam: 0,
      getNextPageParam: (last, pages) => (pages.length * PAGE < last.total ? pages.length * PAGE : undefined),
      placeholderData: keepPreviousData,
      staleTime: 0,
    }),
  );
  const edit = useActions(api.import.edit.mutationOptions({ onSettled: again }));
  const map = useMutation(api.import.mapping.set.mutationOptions({ onSettled: again }));
  // A small commit may finish before its progress is shown.
  useEffect(() => {
    if (imported > 0) void queries.invalidateQueries({ queryKey: api.import.rows.key() });
  }, [queries, imported]);
  const failed = edit.error ?? map.error;
  const list = rows.data?.pages.flatMap((page) => page.rows) ?? [];
  // Once every row is in the project there is nothing that a choice could change.
  const isOver = status.phase === 'done' && status.ready + status.withErrors + status.excluded === 0;
  const choices = {
    disabled: map.isPending || isOver,
    onChange: (change: MappingChange) => map.mutate({ id, ...change }),
  };
  return (
    <div className={classes.columns}>
      <QueryView query={mapping}>
        {(found) => (
          <Stack gap="md">
            <Found status={status} mapping={found} {...choices} />
            <CollectionChoices importId={id} mapping={found} {...choices} />
            <Mapping mapping={found} {...choices} />
          </Stack>
        )}
      </QueryView>
      <Stack gap="sm" miw={0}>
        {mapping.data !== undefined && <Pairing status={status} mapping={mapping.data} {...choices} />}
        <div className={classes.tools}>
          <SegmentedControl
            size="xs"
            aria-label={t('import.filterLabel')}
            value={filter}
            onChange={(value) => setFilter(value as Filter)}
            data={filters
              .filter((value) => value === 'all' || counts[value] > 0)
              .map((value) => ({ value, label: t(`import.filter.${value}`, { count: counts[value] }) }))}
          />
          <ListFilter label={t('import.search')} value={text} onChange={setText} />
        </div>
        {failed !== null && <FailureNote failure={failureOf(failed)} />}
        <QueryView query={rows}>
          {() =>
            list.length === 0 ? (
              <p className={classes.none}>{t('import.noRows')}</p>
            ) : (
              <>
                <ImportRows
                  importId={id}
                  rows={list}
                  onEdit={(row, field, value) => edit.mutate({ id, edits: [{ row, field, value }] })}
                />
                {rows.hasNextPage && (
                  <Button variant="default" loading={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
                    {t('import.more', { shown: list.length, total: rows.data?.pages[0]?.total ?? 0 })}
                  </Button>
                )}
              </>
            )
          }
        </QueryView>
      </Stack>
    </div>
  );
}

function Working({ status }: { status: ImportStatus }) {
  const { t } = useTranslation();
  const { phase, done, total } = status;
  return (
    <Panel title={t(phase === 'reading' ? 'import.reading' : 'import.committing', { done, total })}>
      <Progress.Root size={6}>
        <Progress.Section value={(done / Math.max(1, total)) * 100} animated aria-label={t('import.progress')} />
      </Progress.Root>
    </Panel>
  );
}

/** An import from what was found to the items it made. */
export function ImportPage({ id }: { id: string }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const query = useQuery(
    api.import.status.queryOptions({
      input: { id },
      staleTime: 0,
      refetchInterval: ({ state: { data } }) =>
        data?.phase === 'reading' || data?.phase === 'committing' ? POLL_MS : false,
    }),
  );
  const commit = useMutation(api.import.commit.mutationOptions({ onSettled: () => query.refetch() }));
  const discard = useMutation(
    api.import.discard.mutationOptions({
      onSuccess: () => queries.removeQueries({ queryKey: api.import.key() }),
    }),
  );
  const status = query.data;
  const left = (status?.withErrors ?? 0) + (status?.excluded ?? 0);
  const ready = status?.ready ?? 0;
  const reviewing = status?.phase === 'ready' || status?.phase === 'done';
  const ask = (): void => {
    modals.openConfirmModal({
      title: t('import.discardTitle'),
      children: t('import.discardText'),
      labels: { confirm: t('import.discard'), cancel: t('common.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => discard.mutate({ id }, { onSuccess: () => navigate(routes.import) }),
    });
  };
  return (
    <Page
      wide
      title={status === undefined ? t('import.title') : t('import.titleOf', { name: status.projectName })}
      purpose={t('import.purpose')}
      crumbs={[
        { label: t('projects.title'), to: routes.projects },
        { label: t('import.title'), to: routes.import },
      ]}
      actions={
        status !== undefined && (
          <>
            {status.phase !== 'done' && (
              <Button variant="default" onClick={ask}>
                {t('import.discard')}
              </Button>
            )}
            {reviewing && (status.phase === 'ready' || ready > 0) && (
              <Button disabled={ready === 0} loading={commit.isPending} onClick={() => commit.mutate({ id })}>
                {ready === 0
                  ? t('import.nothing')
                  : left > 0
                    ? t('import.commitLeave', { count: ready, left })
                    : t('import.commit', { count: ready })}
              </Button>
            )}
          </>
        )
      }
    >
      <QueryView query={query}>
        {(found) => (
          <Stack gap="md">
            <Failures of={[commit, discard]} />
            {found.failure !== null && (
              <FailureNote
                failure={found.failure}
                actions={
                  found.phase === 'failed' && (
                    <Button size="xs" variant="default" component={Link} href={routes.import}>
                      {t('import.again')}
                    </Button>
                  )
                }
              />
            )}
            {found.phase === 'done' && found.projectUid !== null && (
              <Callout
                tone="done"
                role="status"
                title={t('import.doneTitle', { count: found.imported })}
                actions={
                  <Button component={Link} href={routes.project(found.projectUid)} size="xs">
                    {t('import.openProject')}
                  </Button>
                }
              >
                {left > 0 && t('import.doneLeft', { count: left })}
              </Callout>
            )}
            {(found.phase === 'reading' || found.phase === 'committing') && <Working status={found} />}
            {(found.phase === 'ready' || found.phase === 'done') && <Review status={found} />}
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

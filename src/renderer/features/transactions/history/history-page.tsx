import { Button, Group, Select } from '@mantine/core';
import { IconArrowsExchange, IconSend } from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type TrackedTransaction, transactionOrigins, transactionStates } from '../../../../contract/index.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { icon } from '../../../components/icon.ts';
import { List, ListFilter } from '../../../components/list/list.tsx';
import { Empty, Page, Panel } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import { formatDay, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { retryHelps } from '../page/submission/reason.tsx';
import { useColumns } from './columns.tsx';
import classes from './history.module.css';
import { fetchAll, useFilter, useHistory, useRetry } from './use-history.ts';

/** Rows before the end at which the next page is fetched. */
const AHEAD = 40;

const idOf = ({ txid }: TrackedTransaction): string => txid;

type Filter = ReturnType<typeof useFilter>;

function FilterFields({ filter, counts }: { filter: Filter; counts: ReturnType<typeof useHistory>['counts'] }) {
  const { t, i18n } = useTranslation();
  return (
    <div className={classes.tools}>
      <ListFilter label={t('submitted.list.search')} value={filter.typed} onChange={filter.setTyped} />
      <Select
        w={168}
        size="xs"
        aria-label={t('submitted.list.filterState')}
        placeholder={t('submitted.list.anyState')}
        clearable
        clearButtonProps={{ 'aria-label': t('common.clearFilter') }}
        data={transactionStates.names.map((value) => {
          const state = t(transactionStates.row(value).label);
          const n = formatInteger(counts?.[value] ?? 0, i18n.language);
          return { value, label: counts === undefined ? state : t('submitted.list.stateCount', { state, n }) };
        })}
        value={filter.state ?? null}
        onChange={(value) => filter.choose({ state: transactionStates.names.find((name) => name === value) })}
      />
      <Select
        w={160}
        size="xs"
        aria-label={t('submitted.list.filterOrigin')}
        placeholder={t('submitted.list.anyOrigin')}
        clearable
        clearButtonProps={{ 'aria-label': t('common.clearFilter') }}
        data={transactionOrigins.map((value) => ({ value, label: t(`common.origin.${value}`) }))}
        value={filter.origin ?? null}
        onChange={(value) => filter.choose({ origin: transactionOrigins.find((name) => name === value) })}
      />
    </div>
  );
}

function Rows({ filter, history }: { filter: Filter; history: ReturnType<typeof useHistory> }) {
  const { t, i18n } = useTranslation();
  const columns = useColumns();
  const retry = useRetry();
  const { pages, counts } = history;
  const { data, hasNextPage, isFetching, fetchNextPage } = pages;
  const headingOf = useCallback(
    ({ createdAt }: TrackedTransaction) => formatDay(createdAt, Date.now(), i18n.language),
    [i18n.language],
  );
  const rows = useMemo(() => data?.pages.flatMap(({ transactions }) => transactions) ?? [], [data]);
  return (
    <>
      <ErrorNote error={retry.error} />
      {retry.isSuccess && <p role="status">{t('submitted.list.retried', retry.data)}</p>}
      <List
        name="transactions"
        label={t('submitted.list.label')}
        rows={rows}
        idOf={idOf}
        columns={columns}
        headingOf={headingOf}
        tools={<FilterFields filter={filter} counts={counts} />}
        bulk={[{ label: t('submitted.list.retry'), fits: retryHelps, run: (chosen) => retry.mutate(chosen.map(idOf)) }]}
        copies={{ label: t('submitted.list.copy'), of: idOf }}
        onOpen={({ txid }) => {
          location.hash = routes.submittedTransaction(txid);
        }}
        onRange={(_, end) => {
          if (hasNextPage && !isFetching && end >= rows.length - AHEAD) void fetchNextPage();
        }}
        // What was not loaded yet is shown as well, only further down; chosen rows are complete.
        complete={async (list) => (list === rows && hasNextPage ? fetchAll(filter.query) : list)}
        empty={t('common.noMatches')}
        below={
          hasNextPage && (
            <Group justify="flex-end" gap="sm" className={classes.below}>
              <span role="status">{t('submitted.list.loaded', { n: formatInteger(rows.length, i18n.language) })}</span>
              <Button
                size="xs"
                variant="default"
                loading={pages.isFetchingNextPage}
                onClick={() => void fetchNextPage()}
              >
                {t('submitted.list.older')}
              </Button>
            </Group>
          )
        }
      />
    </>
  );
}

/** All that Planchet submitted, newest first. */
export function HistoryPage() {
  const { t } = useTranslation();
  const filter = useFilter();
  const history = useHistory(filter.query);
  return (
    <Page
      wide
      title={t('submitted.title')}
      purpose={t('submitted.purpose')}
      actions={
        <Button component={Link} href={routes.submit} leftSection={<IconSend {...icon} />}>
          {t('submitted.submit.open')}
        </Button>
      }
    >
      <QueryView
        query={history.pages}
        skeleton={<SkeletonRows rows={10} height={32} />}
        isEmpty={({ pages }) => pages[0]?.transactions.length === 0 && !filter.isOn}
        empty={
          <Panel>
            <Empty
              icon={<IconArrowsExchange {...icon} size={24} />}
              title={t('submitted.list.emptyTitle')}
              text={t('submitted.list.emptyText')}
              action={
                <Button component={Link} href={routes.submit} variant="default">
                  {t('submitted.submit.open')}
                </Button>
              }
            />
          </Panel>
        }
      >
        {() => <Rows filter={filter} history={history} />}
      </QueryView>
    </Page>
  );
}

import { Button } from '@mantine/core';
import { IconHammer } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { type Failure, type MintJobSummary, mintStates } from '../../../../contract/index.ts';
import { allJobsKey, fetchAllJobs } from '../../../api/all-jobs.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useRuns } from '../../../api/run-list.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { icon } from '../../../components/icon.ts';
import { amountColumn, idColumn, timeColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Empty, Page } from '../../../components/page.tsx';
import { ThumbStack } from '../../../components/preview/art.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { artTitle } from '../../../components/values/art-title.ts';
import { StateBadge, stateText } from '../../../components/values/values.tsx';
import { inPageLanguage } from '../../../i18n/errors.ts';
import { routes } from '../../../lib/routes.ts';
import { RunList } from '../run/run-list.tsx';
import classes from './jobs.module.css';

const idOf = (job: MintJobSummary): string => job.id;

function stateOf({ state, failure, awaitingApproval, active }: MintJobSummary) {
  return { state, failed: failure !== null, awaiting: awaitingApproval, active };
}

function useColumns(projectName: (uid: string) => string): readonly ListColumn<MintJobSummary>[] {
  const { t, i18n } = useTranslation();
  return useMemo<readonly ListColumn<MintJobSummary>[]>(() => {
    const titleOf = (job: MintJobSummary): string => artTitle(t, job.art, job.tokenCount, i18n.language);
    return [
      {
        key: 'job',
        title: t('jobs.column.job'),
        width: 'minmax(176px, 3fr)',
        value: titleOf,
        render: (job) => (
          <Link href={routes.job(job.id)} className={`link ${classes.job}`}>
            <ThumbStack files={job.art.map(({ file }) => file)} size={26} />
            <span className={classes.name}>{titleOf(job)}</span>
          </Link>
        ),
      },
      {
        key: 'project',
        title: t('jobs.column.project'),
        width: 'minmax(80px, 1fr)',
        value: (job) => projectName(job.projectUid),
        render: (job) => (
          <Link href={routes.project(job.projectUid)} className="link">
            {projectName(job.projectUid)}
          </Link>
        ),
      },
      {
        key: 'tokens',
        title: t('jobs.column.tokens'),
        width: '56px',
        align: 'right',
        value: (job) => job.tokenCount,
        extra: true,
      },
      {
        key: 'state',
        title: t('jobs.column.state'),
        width: '132px',
        value: (job) => (job.failure === null ? mintStates.indexOf(job.state) : -1),
        text: (job) => {
          const words = stateText(t, stateOf(job));
          return job.failure === null ? words : `${words}: ${inPageLanguage(job.failure).message}`;
        },
        render: (job) => <StateBadge {...stateOf(job)} />,
      },
      amountColumn({ key: 'fee', title: t('jobs.column.fee'), width: '88px' }, (job) => job.fee),
      idColumn(
        { key: 'txid', title: t('jobs.column.txid'), width: '124px', extra: true },
        'transaction',
        (job) => job.txid,
      ),
      timeColumn({ key: 'updated', title: t('jobs.column.updated'), width: '136px' }, (job) => job.updatedAt),
      timeColumn(
        { key: 'created', title: t('jobs.column.created'), width: '92px', extra: true },
        (job) => job.createdAt,
      ),
      idColumn(
        { key: 'id', title: t('jobs.column.id'), width: '124px', extra: true },
        { what: t('jobs.column.id') },
        idOf,
      ),
    ];
  }, [t, i18n.language, projectName]);
}

/** Every mint there was, the newest change first. */
export function Jobs() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [failure, setFailure] = useState<Failure>();
  const query = useQuery({ queryKey: allJobsKey, queryFn: fetchAllJobs });
  const projects = useQuery(api.projects.list.queryOptions()).data;
  const projectName = useMemo(() => {
    const names = new Map(projects?.map(({ uid, name }) => [uid, name]));
    return (uid: string): string => names.get(uid) ?? t('jobs.unknownProject');
  }, [projects, t]);
  const columns = useColumns(projectName);
  const runs = useRuns();
  const each = async (
    jobs: readonly MintJobSummary[],
    act: (input: { id: string }) => Promise<unknown>,
  ): Promise<void> => {
    setFailure(undefined);
    for (const { id } of jobs) await act({ id }).catch((error: unknown) => setFailure(failureOf(error)));
    await queries.invalidateQueries({ queryKey: allJobsKey });
  };
  return (
    <Page wide title={t('jobs.title')} purpose={t('jobs.purpose')}>
      <QueryView
        query={query}
        isEmpty={(list) => list.length === 0 && runs.length === 0}
        empty={
          <Empty
            icon={<IconHammer {...icon} size={24} />}
            title={t('jobs.emptyTitle')}
            text={t('jobs.emptyText')}
            action={
              <Button component={Link} href={routes.projects}>
                {t('jobs.emptyAction')}
              </Button>
            }
          />
        }
      >
        {(list) => (
          <>
            {failure !== undefined && <FailureNote failure={failure} />}
            <RunList runs={runs} />
            {list.length > 0 && (
              <List
                name="jobs"
                label={t('jobs.title')}
                rows={list}
                idOf={idOf}
                columns={columns}
                initialSort={{ column: 'updated', direction: 'desc' }}
                filter={t('jobs.filterPlaceholder')}
                copies={{ label: t('jobs.copyIds'), of: idOf }}
                onOpen={(job) => navigate(routes.job(job.id))}
                bulk={[
                  {
                    label: t('jobs.retry'),
                    fits: (job) => job.canRetry,
                    run: (jobs) => void each(jobs, client.mint.retry),
                  },
                  {
                    label: t('jobs.cancel'),
                    fits: (job) => job.canCancel,
                    run: (jobs) => void each(jobs, client.mint.cancel),
                  },
                ]}
              />
            )}
          </>
        )}
      </QueryView>
    </Page>
  );
}

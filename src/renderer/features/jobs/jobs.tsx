import { Button, CloseButton, TextInput } from '@mantine/core';
import { IconHammer, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type MintJob, mintStates } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { routes } from '../../app/routes.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Empty, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { SortedTable } from '../../components/sorted-table.tsx';
import { Ago, Amount, Id, StateBadge } from '../../components/values.tsx';
import { shortenId } from '../../lib/format.ts';
import classes from '../projects/projects.module.css';

function JobTable({ jobs, projectName }: { jobs: readonly MintJob[]; projectName: (uid: string) => string }) {
  const { t } = useTranslation();
  return (
    <SortedTable
      records={jobs}
      idOf={(job) => job.id}
      initialSort={{ column: 'updatedAt', direction: 'desc' }}
      columns={[
        {
          accessor: 'id',
          title: t('jobs.column.job'),
          render: (job) => (
            <Link href={routes.job(job.id)} aria-label={t('jobs.openJob', { id: job.id })} className="mono link">
              {shortenId(job.id, 4)}
            </Link>
          ),
        },
        {
          accessor: 'projectUid',
          title: t('jobs.column.project'),
          sortBy: (job) => projectName(job.projectUid).toLowerCase(),
          render: (job) => (
            <Link href={routes.project(job.projectUid)} className="link">
              {projectName(job.projectUid)}
            </Link>
          ),
        },
        {
          accessor: 'itemIds',
          title: t('jobs.column.tokens'),
          textAlign: 'right',
          sortBy: (job) => job.itemIds.length,
          render: (job) => <span className="num">{job.itemIds.length}</span>,
        },
        {
          accessor: 'state',
          title: t('jobs.column.state'),
          sortBy: (job) => mintStates.indexOf(job.state),
          render: (job) => (
            <StateBadge
              state={job.state}
              failed={job.failure !== null}
              awaiting={job.awaitingApproval}
              active={job.active}
            />
          ),
        },
        {
          accessor: 'fee',
          title: t('jobs.column.fee'),
          textAlign: 'right',
          sortBy: (job) => job.fee ?? -1,
          render: (job) => (job.fee === null ? '–' : <Amount satoshis={job.fee} />),
        },
        {
          accessor: 'txid',
          title: t('jobs.column.txid'),
          render: (job) =>
            job.txid === null ? (
              '–'
            ) : (
              <Id value={job.txid} what={t('common.txidName')} to={routes.transaction(job.txid)} />
            ),
        },
        {
          accessor: 'updatedAt',
          title: t('jobs.column.updated'),
          sortBy: (job) => job.updatedAt,
          render: (job) => <Ago at={job.updatedAt} />,
        },
      ]}
    />
  );
}

/** Every mint there was, the newest change first. */
export function Jobs() {
  const { t } = useTranslation();
  const [filter, setFilter] = useState('');
  const query = useQuery(api.mint.list.queryOptions());
  const projects = useQuery(api.projects.list.queryOptions()).data;
  const projectName = (uid: string): string =>
    projects?.find((project) => project.uid === uid)?.name ?? t('jobs.unknownProject');
  const wanted = filter.trim().toLowerCase();
  return (
    <Page title={t('jobs.title')} purpose={t('jobs.purpose')}>
      <QueryView
        query={query}
        isEmpty={(list) => list.length === 0}
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
            <div className={classes.toolbar}>
              <TextInput
                w={280}
                size="xs"
                aria-label={t('jobs.filterPlaceholder')}
                placeholder={t('jobs.filterPlaceholder')}
                leftSection={<IconSearch {...smallIcon} />}
                rightSection={
                  filter === '' ? undefined : (
                    <CloseButton size="xs" aria-label={t('common.clearFilter')} onClick={() => setFilter('')} />
                  )
                }
                value={filter}
                onChange={(event) => setFilter(event.currentTarget.value)}
              />
            </div>
            <JobTable
              projectName={projectName}
              jobs={list.filter((job) =>
                [job.id, job.txid ?? '', projectName(job.projectUid)].some((text) =>
                  text.toLowerCase().includes(wanted),
                ),
              )}
            />
          </>
        )}
      </QueryView>
    </Page>
  );
}

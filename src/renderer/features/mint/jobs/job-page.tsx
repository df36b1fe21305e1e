import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { useItems } from '../../../api/use-items.ts';
import { Page } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import { artTitle } from '../../../components/values/art-title.ts';
import { StateBadge } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import { JobView } from './job-view.tsx';

/** One job by its own address, to come back to after a restart. */
export function JobPage({ id }: { id: string }) {
  const { t, i18n } = useTranslation();
  const job = useQuery(api.mint.get.queryOptions({ input: { id } }));
  const project = useQuery(
    api.projects.get.queryOptions({ input: { uid: job.data?.projectUid ?? '' }, enabled: job.data !== undefined }),
  );
  const items = useItems(job.data?.projectUid).data ?? [];
  return (
    <Page
      title={job.data === undefined ? t('jobs.job') : artTitle(t, job.data.art, job.data.itemIds.length, i18n.language)}
      crumbs={[
        { label: t('jobs.title'), to: routes.jobs },
        ...(project.data === undefined ? [] : [{ label: project.data.name, to: routes.project(project.data.uid) }]),
      ]}
      purpose={project.data === undefined ? undefined : t('jobs.jobPurpose', { project: project.data.name })}
      aside={
        job.data === undefined ? undefined : (
          <StateBadge
            state={job.data.state}
            failed={job.data.failure !== null}
            awaiting={job.data.awaitingApproval}
            active={job.data.active}
          />
        )
      }
    >
      <QueryView query={job} skeleton={<SkeletonRows rows={4} height={96} />}>
        {(found) => (
          <Stack>
            <JobView job={found} items={items} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

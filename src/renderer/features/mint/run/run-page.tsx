import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../../api/client.ts';
import { Page } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import { Badge } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import { stateOf } from './run-end.ts';
import { runTone } from './run-states.ts';
import { RunView } from './run-view.tsx';

/** One run by its own address, to come back to after a restart. */
export function RunPage({ id }: { id: string }) {
  const { t } = useTranslation();
  const query = useQuery(api.runs.get.queryOptions({ input: { id } }));
  const run = query.data?.run;
  return (
    <Page
      wide
      title={run === undefined ? t('jobs.job') : t('run.title', { project: run.projectName })}
      purpose={t('run.purpose')}
      crumbs={[
        { label: t('jobs.title'), to: routes.jobs },
        ...(run === undefined ? [] : [{ label: run.projectName, to: routes.project(run.projectUid) }]),
      ]}
      aside={
        run === undefined ? undefined : (
          <Badge tone={runTone(run)} busy={run.state === 'minting'}>
            {t(`run.state.${stateOf(run)}`)}
          </Badge>
        )
      }
      actions={
        run !== undefined && (
          <Button component={Link} href={routes.project(run.projectUid)} variant="default">
            {t('mint.backToProject')}
          </Button>
        )
      }
    >
      <QueryView query={query} skeleton={<SkeletonRows rows={4} height={96} />}>
        {(found) => <RunView run={found.run} plan={found.plan} />}
      </QueryView>
    </Page>
  );
}

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Rehearsal, Tone } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Page } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import { Badge } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import { RehearsalView } from './rehearsal-view.tsx';
import './texts.ts';

const tones: Readonly<Record<Rehearsal['state'], Tone>> = {
  preparing: 'info',
  minting: 'info',
  done: 'done',
  failed: 'fail',
  cancelled: 'neutral',
};

/** A dress rehearsal: its progress, then what the project would cost and look like. */
export function RehearsalPage({ id }: { id: string }) {
  const { t } = useTranslation();
  const query = useQuery(api.rehearsals.get.queryOptions({ input: { id } }));
  const rehearsal = query.data;
  return (
    <Page
      wide
      title={rehearsal === undefined ? t('rehearsal.plain') : t('rehearsal.title', { project: rehearsal.projectName })}
      purpose={t('rehearsal.purpose')}
      crumbs={[
        { label: t('projects.title'), to: routes.projects },
        ...(rehearsal === undefined
          ? []
          : [{ label: rehearsal.projectName, to: routes.project(rehearsal.projectUid) }]),
      ]}
      aside={
        rehearsal && (
          <Badge tone={tones[rehearsal.state]} busy={rehearsal.state === 'preparing' || rehearsal.state === 'minting'}>
            {t(`rehearsal.state.${rehearsal.state}`)}
          </Badge>
        )
      }
      actions={
        rehearsal && (
          <Button component={Link} href={routes.project(rehearsal.projectUid)} variant="default">
            {t('mint.backToProject')}
          </Button>
        )
      }
    >
      <QueryView query={query} skeleton={<SkeletonRows rows={4} height={96} />}>
        {(found) => <RehearsalView rehearsal={found} />}
      </QueryView>
    </Page>
  );
}

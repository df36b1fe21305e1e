import { Button, Group, Stack } from '@mantine/core';
import { IconHammer, IconMasksTheater } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { Project } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { openCreateProject } from '../../../components/create-project.tsx';
import { icon } from '../../../components/icon.ts';
import layout from '../../../components/styles/layout.module.css';
import { Ago } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import type { GoingLive } from './use-going-live.ts';

/** A rehearsal on the sandbox, and then the mint, which needs its own approval. */
export function MintBody({ live: { project, drafts } }: { live: GoingLive }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const rehearsals = useQuery(api.rehearsals.list.queryOptions());
  const last = rehearsals.data?.find(({ projectUid }) => projectUid === project?.uid);
  const rehearse = useMutation({
    mutationFn: ({ uid: projectUid, direct }: Project) => client.rehearsals.start({ projectUid, direct }),
  });
  if (project === undefined) {
    return (
      <Stack gap="sm" align="flex-start">
        <p>{t('goingLive.mint.noProject')}</p>
        <Button size="xs" onClick={() => openCreateProject(({ uid }) => navigate(routes.project(uid)))}>
          {t('goingLive.project.create')}
        </Button>
      </Stack>
    );
  }
  return (
    <Stack gap="sm">
      <p>{t(drafts === 0 ? 'goingLive.mint.nothingLeft' : 'goingLive.mint.text')}</p>
      {last !== undefined && (
        <div className={layout.dim}>
          <Link href={routes.rehearsal(last.id)} className="link">
            {t(`goingLive.mint.rehearsed.${last.state}`)}
          </Link>{' '}
          <Ago at={last.endedAt ?? last.startedAt} />
        </div>
      )}
      <ErrorNote error={rehearse.error} />
      <Group gap="xs">
        {drafts === 0 ? (
          <Button size="xs" variant="default" component={Link} href={routes.project(project.uid)}>
            {t('goingLive.mint.open')}
          </Button>
        ) : (
          <>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconMasksTheater {...icon} />}
              loading={rehearse.isPending}
              onClick={() => rehearse.mutate(project, { onSuccess: ({ id }) => navigate(routes.rehearsal(id)) })}
            >
              {t('goingLive.mint.rehearse')}
            </Button>
            <Button size="xs" component={Link} href={routes.mint(project.uid)} leftSection={<IconHammer {...icon} />}>
              {t('goingLive.mint.mint')}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}

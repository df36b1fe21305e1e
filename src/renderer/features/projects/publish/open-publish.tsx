import { Skeleton } from '@mantine/core';
import { modals } from '@mantine/modals';
import { lazy, Suspense } from 'react';
import type { Project } from '../../../../contract/index.ts';
import { i18n } from '../../../i18n/index.ts';

const MODAL = 'publish-project';
const PublishProject = lazy(() => import('./publish-project.tsx'));

/** Its code and its texts are loaded when it is opened. */
export function openPublish(project: Project): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('projects.publish.title', { name: project.name }),
    size: 560,
    children: (
      <Suspense fallback={<Skeleton height={220} />}>
        <PublishProject project={project} onClose={() => modals.close(MODAL)} />
      </Suspense>
    ),
  });
}

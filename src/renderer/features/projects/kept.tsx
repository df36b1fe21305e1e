import { Tooltip } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Project } from '../../../contract/index.ts';
import { Badge } from '../../components/values/values.tsx';

/** Where a project is kept: this computer, or the token service by its name. */
export function keptText(t: TFunction, { service }: Project): string {
  if (service === null) return t('projects.kept.here');
  if (service === 'sandbox') return t('projects.kept.sandbox');
  return service === '' ? t('projects.kept.service') : service;
}

/** Says where a project is kept, and what that means for its mint. */
export function KeptBadge({ project }: { project: Project }) {
  const { t } = useTranslation();
  const { service, direct } = project;
  const hint = service === null ? 'hereHint' : direct ? 'awayHint' : 'serviceHint';
  return (
    <Tooltip multiline w={280} label={t(`projects.kept.${hint}`)}>
      <span>
        <Badge tone="neutral">{keptText(t, project)}</Badge>
      </span>
    </Tooltip>
  );
}

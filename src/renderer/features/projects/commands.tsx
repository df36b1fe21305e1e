import type { SpotlightActionGroupData } from '@mantine/spotlight';
import { IconFolder, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import { routes } from '../../lib/routes.ts';

/** Creates a project and opens each of them. */
export function useProjectCommands(): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const projects = useQuery(api.projects.list.queryOptions()).data ?? [];
  const create = async (): Promise<void> => {
    const { openCreateProject } = await import('../../components/create-project.tsx');
    openCreateProject((project) => navigate(routes.project(project.uid)));
  };
  return [
    {
      group: t('common.commandGroup.actions'),
      actions: [
        {
          id: 'new-project',
          label: t('projects.commands.create'),
          description: t('projects.commands.createHint'),
          leftSection: <IconPlus {...icon} />,
          onClick: () => void create(),
        },
      ],
    },
    {
      group: t('common.commandGroup.projects'),
      actions: projects.map(({ uid, name }) => ({
        id: `project-${uid}`,
        label: name,
        leftSection: <IconFolder {...icon} />,
        onClick: () => navigate(routes.project(uid)),
      })),
    },
  ];
}

import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** Creates a project. The search finds the projects there are. */
export function useProjectCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
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
  ];
}

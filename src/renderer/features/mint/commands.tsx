import { IconHammer } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** Starts a mint in each project. */
export function useMintCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const projects = useQuery(api.projects.list.queryOptions()).data ?? [];
  return [
    {
      group: t('common.commandGroup.projects'),
      actions: projects.map(({ uid, name }) => ({
        id: `mint-${uid}`,
        label: t('mint.commands.mintIn', { name }),
        leftSection: <IconHammer {...icon} />,
        onClick: () => navigate(routes.mint(uid)),
      })),
    },
  ];
}

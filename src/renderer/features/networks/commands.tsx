import { IconWorld } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

const all = ['sandbox', 'private', 'test', 'main'] as const;

export function useNetworkCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return [
    {
      group: t('common.commandGroup.actions'),
      actions: all.map((network) => ({
        id: `network-${network}`,
        label: t('app.network.label', { network: t(`common.network.${network}`) }),
        leftSection: <IconWorld {...icon} />,
        onClick: () => navigate(routes.network(network)),
      })),
    },
  ];
}

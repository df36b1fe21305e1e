import { IconArrowRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

export function useMinerCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return [
    {
      group: t('miners.commands.group'),
      actions: [
        {
          id: 'miners-open',
          label: t('miners.commands.open'),
          leftSection: <IconArrowRight {...icon} />,
          onClick: () => navigate(routes.miners),
        },
      ],
    },
  ];
}

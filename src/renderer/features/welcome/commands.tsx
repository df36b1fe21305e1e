import { IconRocket } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useNetwork } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** Opens the start page again. The first token is free on the sandbox only. */
export function useWelcomeCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  if (useNetwork() !== 'sandbox') return [];
  return [
    {
      group: t('common.commandGroup.actions'),
      actions: [
        {
          id: 'welcome',
          label: t('welcome.command'),
          leftSection: <IconRocket {...icon} />,
          onClick: () => navigate(routes.welcome),
        },
      ],
    },
  ];
}

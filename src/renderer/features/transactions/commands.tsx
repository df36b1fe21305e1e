import { IconAlertTriangle, IconArrowRight, IconSend } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** Opens the history of transactions, and what failed in it. */
export function useTransactionCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return [
    {
      group: t('submitted.commands.group'),
      actions: [
        {
          id: 'submitted-submit',
          label: t('submitted.commands.submit'),
          leftSection: <IconSend {...icon} />,
          onClick: () => navigate(routes.submit),
        },
        {
          id: 'submitted-history',
          label: t('submitted.commands.history'),
          leftSection: <IconArrowRight {...icon} />,
          onClick: () => navigate(routes.submitted),
        },
        {
          id: 'submitted-failed',
          label: t('submitted.commands.failed'),
          leftSection: <IconAlertTriangle {...icon} />,
          onClick: () => navigate(routes.submittedIn('failed')),
        },
      ],
    },
  ];
}

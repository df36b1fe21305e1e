import { IconHandStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

export function useApprovalCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return [
    {
      group: t('gateway.nav'),
      actions: [
        {
          id: 'approvals-open',
          label: t('approvals.open'),
          leftSection: <IconHandStop {...icon} />,
          onClick: () => navigate(routes.approvals),
        },
      ],
    },
  ];
}

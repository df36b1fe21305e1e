import { IconAlertTriangle, IconArrowRight, IconSend } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** Pages that a command opens. */
const pages = [
  ['submit', IconSend, routes.submit],
  ['history', IconArrowRight, routes.submitted],
  ['failed', IconAlertTriangle, routes.submittedIn('failed')],
] as const;

/** Opens the history of transactions, and what failed in it. */
export function useTransactionCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return [
    {
      group: t('submitted.commands.group'),
      actions: pages.map(([name, Icon, to]) => ({
        id: `submitted-${name}`,
        label: t(`submitted.commands.${name}`),
        leftSection: <Icon {...icon} />,
        onClick: () => navigate(to),
      })),
    },
  ];
}

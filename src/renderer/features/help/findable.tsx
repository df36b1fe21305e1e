import { IconHelp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** The troubleshooting pages. */
export function useFindableHelp(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const parts = (['checks', 'notices', 'log', 'report'] as const).map((part) => ({
    id: `help-${part}`,
    label: t(`help.${part}.title`),
    description: t(`help.${part}.link`),
    keywords: t(`help.${part}.purpose`),
    leftSection: <IconHelp {...icon} />,
    onClick: () => navigate(routes.helpPart(part)),
  }));
  return [{ group: t('help.title'), explains: true, actions: parts }];
}

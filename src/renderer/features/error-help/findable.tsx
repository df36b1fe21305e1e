import { IconHelp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { codeTexts, errorCodes } from '../../../contract/index.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** The page of every error code, found by the code and its meaning. */
export function useFindableErrors(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return [
    {
      group: t('errorHelp.found'),
      explains: true,
      actions: errorCodes.map((code) => ({
        id: `error-${code}`,
        label: code,
        description: codeTexts[code].meaning,
        leftSection: <IconHelp {...icon} />,
        onClick: () => navigate(routes.errorHelp(code)),
      })),
    },
  ];
}

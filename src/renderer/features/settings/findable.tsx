import { IconAdjustments } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useSettingNames } from './use-setting-names.ts';

/** Every setting by its name, key and meaning. It opens the settings at its row. */
export function useFindableSettings(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const words = useSettingNames();
  const entries = useQuery(api.settings.list.queryOptions()).data ?? [];
  return [
    {
      group: t('settings.title'),
      actions: entries.map(({ key }) => {
        const { name, help } = words(key);
        return {
          id: `setting-${key}`,
          label: name,
          description: key,
          keywords: help,
          leftSection: <IconAdjustments {...icon} />,
          onClick: () => navigate(routes.setting(key)),
        };
      }),
    },
  ];
}

import { IconDeviceDesktop, IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import { showFailure } from '../../components/toasts/show-failure.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { lockPage } from './lock.ts';

/** Locks this page, or opens the list of browsers. */
export function useSessionCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const { data } = useQuery(api.sessions.list.queryOptions());
  const lock = {
    id: 'sessions-lock',
    label: t('sessions.lock'),
    leftSection: <IconLock {...icon} />,
    onClick: () => {
      lockPage().catch((error: unknown) => showFailure('page-lock', error));
    },
  };
  const list = {
    id: 'sessions-open',
    label: t('sessions.open'),
    leftSection: <IconDeviceDesktop {...icon} />,
    onClick: () => navigate(routes.sessions),
  };
  return [{ group: t('sessions.group'), actions: data?.current == null ? [list] : [lock, list] }];
}

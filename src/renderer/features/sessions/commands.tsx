import { IconDeviceDesktop, IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { icon } from '../../components/icon.ts';
import { showToast } from '../../components/toasts/toast-store.ts';
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
      lockPage().catch((error: unknown) => {
        const { message, hint } = failureOf(error);
        showToast({ id: 'page-lock', tone: 'fail', title: message, text: hint });
      });
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

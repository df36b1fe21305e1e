import { ActionIcon } from '@mantine/core';
import { IconLock, IconLockOpen } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { icon } from '../../../components/icon.ts';
import { showFailure } from '../../../components/toasts/show-failure.ts';
import { routes } from '../../../lib/routes.ts';

/** Locks the wallet from any page. If it is locked, links to the page that unlocks it. */
export function WalletLock() {
  const { t } = useTranslation();
  const state = useLive(({ wallet }) => wallet?.state);
  const lock = useMutation(
    api.wallet.lock.mutationOptions({
      onSuccess: (wallet) => useLive.setState({ wallet }),
      onError: (error) => showFailure('wallet-lock', error),
    }),
  );
  if (state === undefined || state === 'missing') return null;
  if (state === 'locked') {
    const label = t('app.lock.locked');
    return (
      <ActionIcon
        component={Link}
        href={routes.wallet}
        variant="subtle"
        color="yellow.9"
        size={32}
        aria-label={label}
        title={label}
      >
        <IconLock {...icon} />
      </ActionIcon>
    );
  }
  const label = t('app.lock.lock');
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={32}
      aria-label={label}
      title={label}
      loading={lock.isPending}
      onClick={() => lock.mutate(undefined)}
    >
      <IconLockOpen {...icon} />
    </ActionIcon>
  );
}

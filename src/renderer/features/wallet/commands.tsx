import { IconArrowDownLeft, IconArrowUpRight, IconCoin, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useLive } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** What can be done with money now, for the palette. */
export function useWalletCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const address = useLive(({ wallet }) => (wallet?.state === 'ready' ? wallet.address : null));
  if (address === null) return [];
  return [
    {
      group: t('wallet.commands.group'),
      actions: [
        {
          id: 'wallet-send',
          label: t('wallet.commands.send'),
          leftSection: <IconArrowUpRight {...icon} />,
          onClick: () => navigate(routes.walletSend),
        },
        {
          id: 'wallet-receive',
          label: t('wallet.commands.receive'),
          leftSection: <IconArrowDownLeft {...icon} />,
          onClick: () => navigate(routes.walletPart('receive')),
        },
        {
          id: 'wallet-coins',
          label: t('wallet.commands.coins'),
          leftSection: <IconCoin {...icon} />,
          onClick: () => navigate(routes.walletPart('coins')),
        },
        {
          id: 'wallet-address',
          label: t('wallet.commands.copyAddress'),
          description: address,
          leftSection: <IconCopy {...icon} />,
          onClick: () => void navigator.clipboard.writeText(address),
        },
      ],
    },
  ];
}

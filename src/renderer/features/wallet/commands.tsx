import { IconArrowDownLeft, IconArrowUpRight, IconCoin, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useLive } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';

/** Pages that a command opens. */
const pages = [
  ['send', IconArrowUpRight, routes.walletSend],
  ['receive', IconArrowDownLeft, routes.walletPart('receive')],
  ['coins', IconCoin, routes.walletPart('coins')],
] as const;

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
        ...pages.map(([name, Icon, to]) => ({
          id: `wallet-${name}`,
          label: t(`wallet.commands.${name}`),
          leftSection: <Icon {...icon} />,
          onClick: () => navigate(to),
        })),
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

import { IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLive } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { endpointKeys } from './endpoints.ts';

function copy(text: string): void {
  void navigator.clipboard.writeText(text);
}

/** Copies the wallet's address and the addresses other tools connect to. */
export function useDashboardCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const endpoints = useLive((state) => state.app?.endpoints);
  const wallet = useLive((state) => state.wallet?.address ?? undefined);
  return [
    {
      group: t('common.commandGroup.actions'),
      actions:
        wallet === undefined
          ? []
          : [
              {
                id: 'copy-wallet',
                label: t('dashboard.commands.copyWallet'),
                description: wallet,
                leftSection: <IconCopy {...icon} />,
                onClick: () => copy(wallet),
              },
            ],
    },
    {
      group: t('dashboard.commands.endpoints'),
      actions: endpointKeys.flatMap((key) => {
        const address = endpoints?.[key];
        if (address == null) return [];
        return {
          id: `copy-${key}`,
          label: t(`dashboard.endpoint.${key}`),
          description: address,
          keywords: t('common.copy'),
          leftSection: <IconCopy {...icon} />,
          onClick: () => copy(address),
        };
      }),
    },
  ];
}

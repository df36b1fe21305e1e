import { IconCube } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { client } from '../../api/client.ts';
import { useNetwork } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { showFailure } from '../../components/toasts/show-failure.ts';
import type { CommandGroup } from '../../lib/feature.ts';

/** Mines a block on the sandbox network. */
export function useSandboxCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const network = useNetwork();
  if (network !== 'sandbox') return [];
  return [
    {
      group: t('common.commandGroup.actions'),
      actions: [
        {
          id: 'mine',
          label: t('sandbox.commands.mine'),
          description: t('sandbox.commands.mineHint'),
          leftSection: <IconCube {...icon} />,
          onClick: () =>
            void client.sandbox.mine({ blocks: 1 }).catch((error: unknown) => showFailure('sandbox-mine', error)),
        },
      ],
    },
  ];
}

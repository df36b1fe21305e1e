import type { SpotlightActionGroupData } from '@mantine/spotlight';
import { IconArrowRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useLive } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { shortenId } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';

/** More than anybody reads through; the rest is found in its project. */
const MAX_TOKENS = 50;

/** Opens the transaction of each minted token. */
export function useExplorerCommands(): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const tokens = useLive((state) => state.tokens);
  return [
    {
      group: t('explorer.commands.tokens'),
      actions: tokens.slice(0, MAX_TOKENS).map((token) => ({
        id: `token-${token.outpoint}`,
        label: token.name,
        description: shortenId(token.txid, 8),
        keywords: token.txid,
        leftSection: <IconArrowRight {...icon} />,
        onClick: () => navigate(routes.transaction(token.txid)),
      })),
    },
  ];
}

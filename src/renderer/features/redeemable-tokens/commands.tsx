import { IconArrowRight, IconCoins, IconCopy, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useMoney } from '../../api/money.ts';
import { icon } from '../../components/icon.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import type { ActionSubject } from './action-dialog.tsx';
import { issueOf, stepOf, tokenSteps } from './subjects.ts';
import { useRedeemableTokens } from './use-redeemable-tokens.ts';

/** What can be done with redeemable tokens now, for the palette: design, issue each contract, and each step with each token. */
export function useTokenCommands(): CommandGroup[] {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const { address, contracts = [], holdings = [] } = useRedeemableTokens().data ?? {};
  const own = address ?? '';
  const open = async (subject: ActionSubject): Promise<void> => {
    const { openAction } = await import('./action-dialog.tsx');
    openAction(subject, (id) => navigate(routes.tokenJob(id)));
  };
  const money = useMoney();
  return [
    {
      group: t('redeemableTokens.commands.group'),
      actions: [
        {
          id: 'token-design',
          label: t('redeemableTokens.commands.design'),
          leftSection: <IconPlus {...icon} />,
          onClick: () => navigate(routes.tokenDesign),
        },
        ...(own === ''
          ? []
          : [
              {
                id: 'token-address',
                label: t('redeemableTokens.commands.copyAddress'),
                description: own,
                leftSection: <IconCopy {...icon} />,
                onClick: () => void navigator.clipboard.writeText(own),
              },
            ]),
        ...contracts.flatMap((contract) => {
          const subject = issueOf(contract, own);
          if (subject === undefined) return [];
          return {
            id: `token-issue-${contract.outpoint}`,
            label: t('redeemableTokens.dialog.issue', { symbol: subject.symbol }),
            description: money(contract.satoshis),
            keywords: contract.outpoint,
            leftSection: <IconCoins {...icon} />,
            onClick: () => void open(subject),
          };
        }),
        ...holdings.flatMap((holding) =>
          holding.tokens.flatMap((token) => [
            ...tokenSteps.flatMap((step) => {
              const subject = stepOf(step, token, holding, own);
              if (subject === undefined) return [];
              return {
                id: `token-${step}-${token.outpoint}`,
                label: t(`redeemableTokens.dialog.${step}`, { symbol: holding.symbol }),
                description: money(token.satoshis),
                keywords: token.outpoint,
                leftSection: <IconCoins {...icon} />,
                onClick: () => void open(subject),
              };
            }),
            {
              id: `token-history-${token.outpoint}`,
              label: t('redeemableTokens.commands.history', { symbol: holding.symbol, amount: money(token.satoshis) }),
              keywords: token.outpoint,
              leftSection: <IconArrowRight {...icon} />,
              onClick: () => navigate(routes.tokenHistory(token.outpoint)),
            },
          ]),
        ),
      ],
    },
  ];
}

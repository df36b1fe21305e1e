import { Button, Group } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { HeldToken, TokenHolding } from '../../../contract/index.ts';
import { useMoney } from '../../api/money.ts';
import { amountColumn, idColumn } from '../../components/list/columns.tsx';
import { List } from '../../components/list/list.tsx';
import type { ListColumn } from '../../components/list/rows.ts';
import { Badge, Id } from '../../components/values/values.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import type { ActionSubject } from './action-dialog.tsx';
import { stepOf, tokenSteps } from './subjects.ts';

const idOf = ({ outpoint }: HeldToken): string => outpoint;

const tones = {
  notGenuine: 'fail',
  inUse: 'wait',
  unchecked: 'wait',
  checking: 'info',
  confirmed: 'done',
  unconfirmed: 'info',
} as const;

/** The most important state of a token; a token that is not genuine comes first. */
function stateOf({ inUse, confirmed, history }: HeldToken): keyof typeof tones {
  if (history === 'notGenuine' || (history !== 'genuine' && !inUse)) return history;
  return inUse ? 'inUse' : confirmed ? 'confirmed' : 'unconfirmed';
}

/** The tokens of one symbol, and what can be done with each. */
export function TokenList({
  holding,
  own,
  onAction,
}: {
  holding: TokenHolding;
  own: string;
  onAction: (subject: ActionSubject) => void;
}) {
  const { t, i18n } = useTranslation();
  const money = useMoney();
  const [, navigate] = useLocation();
  const { symbol, splittable, ownIssue, satoshis, satsPerToken, tokens } = holding;
  const columns = useMemo<readonly ListColumn<HeldToken>[]>(
    () => [
      {
        key: 'outpoint',
        title: t('redeemableTokens.token'),
        width: 'minmax(120px, 1fr)',
        value: idOf,
        render: ({ outpoint }) => <Id value={outpoint} kind="output" to={routes.tokenHistory(outpoint)} keep={6} />,
      },
      amountColumn({ key: 'satoshis', title: t('redeemableTokens.amount'), width: '96px' }, (token) => token.satoshis),
      idColumn(
        { key: 'address', title: t('common.addressName'), width: '132px', extra: true },
        'address',
        (token) => token.address,
      ),
      {
        key: 'state',
        title: t('redeemableTokens.state'),
        width: '116px',
        value: (token) => t(`redeemableTokens.${stateOf(token)}`),
        render: (token) => <Badge tone={tones[stateOf(token)]}>{t(`redeemableTokens.${stateOf(token)}`)}</Badge>,
      },
      {
        key: 'steps',
        title: t('redeemableTokens.actionsColumn'),
        width: '312px',
        action: true,
        sortable: false,
        value: () => null,
        render: (token) => (
          <Group gap={6} wrap="nowrap">
            {tokenSteps.map((step) => {
              const subject = stepOf(step, token, holding, own);
              return (
                <Button
                  key={step}
                  size="compact-sm"
                  variant="default"
                  disabled={subject === undefined}
                  aria-label={`${t(`redeemableTokens.action.${step}`)} ${symbol} ${token.satoshis}`}
                  onClick={() => subject && onAction(subject)}
                >
                  {t(`redeemableTokens.action.${step}`)}
                </Button>
              );
            })}
          </Group>
        ),
      },
    ],
    [t, holding, own, onAction, symbol],
  );
  const base = money(satoshis);
  const count = satsPerToken !== null && satoshis % satsPerToken === 0 ? satoshis / satsPerToken : null;
  const notes = [
    count === null
      ? base
      : t('redeemableTokens.tokensOf', { count, tokens: formatInteger(count, i18n.language), satoshis: base }),
    ...(ownIssue ? [t('redeemableTokens.ownIssue')] : []),
    ...(splittable ? [] : [t('redeemableTokens.unsplittable')]),
  ];
  return (
    <List
      name="tokens"
      label={symbol}
      title={symbol}
      hint={notes.join(' · ')}
      rows={tokens}
      idOf={idOf}
      columns={columns}
      initialSort={{ column: 'satoshis', direction: 'desc' }}
      copies={{ label: t('redeemableTokens.copyOutpoints'), of: idOf }}
      onOpen={({ outpoint }) => navigate(routes.tokenHistory(outpoint))}
      maxHeight={420}
    />
  );
}

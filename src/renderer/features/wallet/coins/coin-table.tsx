import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { WalletCoin } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { amountColumn, idColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Note } from '../../../components/note.tsx';
import { Hint } from '../../../components/values/hint.tsx';
import { Badge, Id } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import { useActiveAccount } from '../accounts/use-account.ts';
import { type CoinActions, canFreeze, isFree, isFrozen, isMined } from './coin-rules.ts';

const idOf = ({ outpoint }: WalletCoin): string => outpoint;
const tones = { spendable: 'done', elsewhere: 'done', waiting: 'wait', locked: 'info', frozen: 'neutral' } as const;

function toneOf({ kind, state, dispute }: WalletCoin) {
  if (dispute !== null) return 'wait';
  return kind === 'funding' ? tones[state] : 'neutral';
}

/** Stores the label of a coin and reads the list again. */
export function useCoinLabelling(): (outpoint: string, label: string) => Promise<void> {
  const queries = useQueryClient();
  return async (outpoint, label) => {
    await client.wallet.coins.label({ outpoint, label });
    await queries.invalidateQueries({ queryKey: api.wallet.coins.key() });
  };
}

/** What part of the balance a coin is in, and what it is locked for. */
export function useStateName(): (coin: WalletCoin) => string {
  const { t } = useTranslation();
  return ({ kind, state, lockedBy, dispute }) => {
    if (dispute !== null)
      return t('wallet.coins.disputed', {
        count: dispute.sources.length,
        of: dispute.of,
        sources: dispute.sources.join(', '),
      });
    if (kind !== 'funding' && state !== 'locked') return t(`wallet.coins.kindOf.${kind}`);
    const name = t(`wallet.balance.part.${state}`);
    return lockedBy === null ? name : `${name} ${t(`wallet.coins.lockedBy.${lockedBy}`)}`;
  };
}

function useColumns(): readonly ListColumn<WalletCoin>[] {
  const { t } = useTranslation();
  const label = useCoinLabelling();
  const stateName = useStateName();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what labels and names does the same in every rendering.
  return useMemo<readonly ListColumn<WalletCoin>[]>(
    () => [
      amountColumn({ key: 'satoshis', title: t('wallet.coins.amount'), width: '144px' }, ({ satoshis }) => satoshis),
      {
        key: 'state',
        title: t('wallet.coins.state'),
        width: 'minmax(112px, 0.8fr)',
        value: stateName,
        // The sources that report the coin as spent have no room in the column.
        render: (coin) => (
          <Hint text={stateName(coin)}>
            <span>
              <Badge tone={toneOf(coin)}>
                {coin.dispute === null ? stateName(coin) : t('wallet.coins.disputedShort')}
              </Badge>
            </span>
          </Hint>
        ),
      },
      {
        key: 'label',
        title: t('wallet.coins.note'),
        width: 'minmax(112px, 1fr)',
        value: (coin) => coin.label,
        render: (coin) => <Note key={coin.outpoint} text={coin.label} save={(text) => label(coin.outpoint, text)} />,
      },
      idColumn(
        { key: 'address', title: t('wallet.coins.address'), width: '132px' },
        'address',
        ({ address }) => address,
      ),
      {
        key: 'confirmations',
        title: t('wallet.coins.confirmations'),
        width: '108px',
        align: 'right',
        extra: true,
        value: ({ confirmations }) => confirmations,
      },
      {
        key: 'outpoint',
        title: t('wallet.coins.outpoint'),
        width: '132px',
        sortable: false,
        value: idOf,
        render: ({ outpoint }) => (
          <Id value={outpoint} kind="output" to={routes.transaction(outpoint.split('_')[0] ?? outpoint)} />
        ),
      },
      {
        key: 'kind',
        title: t('wallet.coins.kind'),
        width: '92px',
        extra: true,
        value: ({ kind }) => t(`wallet.coins.kindOf.${kind}`),
      },
    ],
    [t],
  );
}

/** Every unspent output, with its rows chosen to freeze, thaw or send them. */
export function CoinTable({
  coins,
  actions,
  tools,
}: {
  coins: readonly WalletCoin[];
  actions: CoinActions;
  tools: ReactNode;
}) {
  const canSend = useActiveAccount()?.canSend === true;
  const { t } = useTranslation();
  const columns = useColumns();
  return (
    <List
      name="wallet-coins"
      label={t('wallet.coins.label')}
      title={t('wallet.coins.title')}
      filter={t('wallet.coins.filter')}
      tools={tools}
      rows={coins}
      idOf={idOf}
      columns={columns}
      copies={{ label: t('wallet.coins.copy'), of: idOf }}
      bulk={[
        { label: t('wallet.coins.freeze'), fits: canFreeze, run: (rows) => actions.freeze(rows, true) },
        { label: t('wallet.coins.thaw'), fits: isFrozen, run: (rows) => actions.freeze(rows, false) },
        { label: t('wallet.coins.beef'), fits: isMined, run: (rows) => rows.forEach(actions.beef) },
        ...(canSend ? [{ label: t('wallet.coins.sendThese'), fits: isFree, run: actions.send }] : []),
      ]}
    />
  );
}

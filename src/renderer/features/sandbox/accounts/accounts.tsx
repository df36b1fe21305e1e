import { Button, Skeleton } from '@mantine/core';
import { IconDroplet } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { WalletAccount, WalletCoin } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useMoney, useShortMoney } from '../../../api/money.ts';
import { smallIcon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { Amount, Badge, Id } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { SpendTwice } from '../actions/spend-twice.tsx';
import { Outcome } from '../outcome.tsx';
import { PickList } from '../picture/pick-list.tsx';
import { coinSide } from '../picture/scale.ts';
import { useAction } from '../use-action.ts';
import classes from './accounts.module.css';

/** Amount that the button sends: one BSV. */
const GIFT = 100_000_000;
/** Number of coins that are drawn. */
const MOST_COINS = 24;

const outpointOf = ({ outpoint }: WalletCoin): string => outpoint;

function Coins() {
  const { t, i18n } = useTranslation();
  const money = useMoney();
  const shortMoney = useShortMoney();
  const { language } = i18n;
  const query = useQuery(api.wallet.coins.list.queryOptions());
  const [picked, setPicked] = useState<string>();
  return (
    <QueryView
      query={query}
      skeleton={<Skeleton height={56} />}
      isEmpty={(coins) => coins.length === 0}
      empty={<p className={classes.nothing}>{t('sandbox.accounts.noCoins')}</p>}
    >
      {(coins) => {
        const coin = coins.find(({ outpoint }) => outpoint === picked);
        const shown = coins.slice(0, MOST_COINS);
        return (
          <>
            <PickList
              label={t('sandbox.accounts.coins')}
              items={shown}
              keyOf={outpointOf}
              picked={picked}
              onPick={({ outpoint }) => setPicked(outpoint === picked ? undefined : outpoint)}
              className={classes.coins}
              itemClass={classes.coin}
              nameOf={({ satoshis, height, kind }) =>
                t(height === null ? 'sandbox.accounts.coinWaits' : 'sandbox.accounts.coinName', {
                  amount: kind === 'token' ? t('sandbox.accounts.token') : money(satoshis),
                  height: formatInteger(height ?? 0, language),
                })
              }
              marksOf={({ height, kind }) => ({ 'data-kind': kind, 'data-waits': height === null || undefined })}
            >
              {({ satoshis }) => (
                <span className={classes.square} style={{ width: coinSide(satoshis), height: coinSide(satoshis) }}>
                  {shortMoney(satoshis)}
                </span>
              )}
            </PickList>
            {coins.length > shown.length && (
              <Link href={routes.walletPart('coins')} className="link">
                {t('sandbox.accounts.moreCoins', { count: coins.length - shown.length })}
              </Link>
            )}
            {coin !== undefined && (
              <div className={classes.detail}>
                <Amount satoshis={coin.satoshis} />
                <Id value={coin.outpoint} kind="output" to={routes.transaction(coin.outpoint.split('_')[0] ?? '')} />
                <span className={classes.quiet}>
                  {coin.height === null
                    ? t('sandbox.accounts.waits')
                    : t('sandbox.chain.block', { height: formatInteger(coin.height, language) })}
                </span>
                <span className={classes.detailActions}>
                  <SpendTwice
                    key={coin.outpoint}
                    txid={coin.outpoint.split('_')[0] ?? ''}
                    onDone={() => setPicked(undefined)}
                  />
                </span>
              </div>
            )}
          </>
        );
      }}
    </QueryView>
  );
}

function Account({ account }: { account: WalletAccount }) {
  const { t } = useTranslation();
  const action = useAction<{ txid: string }>();
  const { address } = account;
  const name = account.name || t('sandbox.accounts.main');
  return (
    <div className={classes.account}>
      <div className={classes.head}>
        <div className={classes.name}>
          {name}
          {account.active && <Badge tone="done">{t('sandbox.accounts.active')}</Badge>}
          {address !== null && <Id value={address} kind="address" unnamed />}
        </div>
        <Amount satoshis={account.total} />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDroplet {...smallIcon} />}
          loading={action.busy}
          disabled={address === null}
          aria-label={t('sandbox.accounts.fundNamed', { name })}
          onClick={() => address !== null && void action.run(() => client.sandbox.fund({ address, satoshis: GIFT }))}
        >
          {t('sandbox.accounts.fund')}
        </Button>
      </div>
      <Outcome action={action}>
        {({ txid }) => (
          <>
            {t('sandbox.funded')} <Id value={txid} kind="transaction" />
          </>
        )}
      </Outcome>
      {account.active && account.state === 'ready' && <Coins />}
      {account.state !== 'ready' && <p className={classes.nothing}>{t('sandbox.accounts.locked')}</p>}
    </div>
  );
}

/** The accounts of the wallet on this network, with the coins of the active one. */
export function Accounts() {
  const { t } = useTranslation();
  const query = useQuery(api.wallet.accounts.list.queryOptions());
  return (
    <Panel
      flush
      title={t('sandbox.accounts.title')}
      hint={t('sandbox.accounts.hint')}
      actions={
        <Link href={routes.wallet} className={`link ${classes.away}`}>
          {t('sandbox.accounts.wallet')}
        </Link>
      }
    >
      <QueryView
        query={query}
        skeleton={<Skeleton height={118} radius={0} />}
        isEmpty={(accounts) => accounts.length === 0}
        empty={<p className={classes.nothing}>{t('sandbox.accounts.none')}</p>}
      >
        {(accounts) => accounts.map((account) => <Account key={account.id} account={account} />)}
      </QueryView>
    </Panel>
  );
}

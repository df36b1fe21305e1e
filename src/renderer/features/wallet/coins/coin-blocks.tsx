import { Button, Group, Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WalletCoin } from '../../../../contract/index.ts';
import { useMoney, useShortMoney } from '../../../api/money.ts';
import { Note } from '../../../components/note.tsx';
import { Panel } from '../../../components/page.tsx';
import pairs from '../../../components/styles/pairs.module.css';
import { Amount, Id } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { useActiveAccount } from '../accounts/use-account.ts';
import classes from './coin-blocks.module.css';
import { type CoinActions, canFreeze, isFree, isFrozen, isMined, sideOf } from './coin-rules.ts';
import { useCoinLabelling, useStateName } from './coin-table.tsx';

/** Blocks that are drawn at most. */
const MOST_BLOCKS = 400;

function Details({ coin, actions, onDone }: { coin: WalletCoin; actions: CoinActions; onDone: () => void }) {
  const canSend = useActiveAccount()?.canSend === true;
  const { t, i18n } = useTranslation();
  const stateName = useStateName();
  const label = useCoinLabelling();
  const txid = coin.outpoint.split('_')[0] ?? '';
  const frozen = isFrozen(coin);
  return (
    <Stack gap="sm">
      <div>
        <Text fw={620} size="lg">
          <Amount satoshis={coin.satoshis} />
        </Text>
        <Text size="sm" c="dimmed">
          {stateName(coin)}
        </Text>
      </div>
      <dl className={pairs.pairs} data-small>
        <dt>{t('wallet.coins.note')}</dt>
        <dd>
          <Note text={coin.label} save={(text) => label(coin.outpoint, text)} />
        </dd>
        <dt>{t('wallet.coins.address')}</dt>
        <dd>
          <Id value={coin.address} kind="address" keep={6} />
        </dd>
        <dt>{t('wallet.coins.outpoint')}</dt>
        <dd>
          <Id value={coin.outpoint} kind="output" to={routes.transaction(txid)} keep={6} />
        </dd>
        <dt>{t('wallet.coins.confirmations')}</dt>
        <dd className="num">{formatInteger(coin.confirmations, i18n.language)}</dd>
      </dl>
      <Group gap="xs">
        {isMined(coin) && (
          <Button size="xs" variant="default" onClick={() => actions.beef(coin)}>
            {t('wallet.coins.beef')}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          disabled={!frozen && !canFreeze(coin)}
          onClick={() => {
            actions.freeze([coin], !frozen);
            onDone();
          }}
        >
          {t(frozen ? 'wallet.coins.thaw' : 'wallet.coins.freeze')}
        </Button>
        {canSend && (
          <Button size="xs" variant="default" disabled={!isFree(coin)} onClick={() => actions.send([coin])}>
            {t('wallet.coins.sendThis')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Block({ coin, actions }: { coin: WalletCoin; actions: CoinActions }) {
  const { t } = useTranslation();
  const money = useMoney();
  const shortMoney = useShortMoney();
  const [open, setOpen] = useState(false);
  const stateName = useStateName();
  const side = sideOf(coin.satoshis);
  return (
    <Popover width={320} opened={open} onChange={setOpen} trapFocus returnFocus position="bottom-start">
      <Popover.Target>
        <UnstyledButton
          className={classes.block}
          data-state={coin.state}
          style={{ width: side, height: side }}
          title={coin.label === '' ? undefined : coin.label}
          aria-label={t('wallet.coins.block', { amount: money(coin.satoshis), state: stateName(coin) })}
          onClick={() => setOpen(!open)}
        >
          <span className={classes.value}>{shortMoney(coin.satoshis)}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('wallet.coins.outpoint')}>
        <Details coin={coin} actions={actions} onDone={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Money as squares sized by value on a logarithmic scale. Tokens are only in the table. */
export function CoinBlocks({
  coins,
  actions,
  tools,
}: {
  coins: readonly WalletCoin[];
  actions: CoinActions;
  tools: ReactNode;
}) {
  const { t } = useTranslation();
  const money = coins.filter(({ kind }) => kind === 'funding');
  const left = money.length - MOST_BLOCKS;
  const states = (['spendable', 'elsewhere', 'waiting', 'locked', 'frozen'] as const).filter((state) =>
    money.some((coin) => coin.state === state),
  );
  return (
    <Panel
      title={t('wallet.coins.title')}
      hint={t('wallet.coins.hint')}
      actions={
        <Group gap="xs" wrap="nowrap">
          {tools}
        </Group>
      }
    >
      <ul className={classes.blocks} aria-label={t('wallet.coins.blocksLabel')}>
        {money.slice(0, MOST_BLOCKS).map((coin) => (
          <li key={coin.outpoint}>
            <Block coin={coin} actions={actions} />
          </li>
        ))}
      </ul>
      <Group gap="lg" mt="md" className={classes.legend}>
        {states.map((state) => (
          <span key={state} className={classes.entry}>
            <span className={classes.key} data-state={state} aria-hidden />
            {t(`wallet.balance.part.${state}`)}
          </span>
        ))}
        <span>{left > 0 ? t('wallet.coins.more', { count: left }) : t('wallet.coins.scale')}</span>
      </Group>
    </Panel>
  );
}

import { Checkbox, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { useMoney } from '../../../api/money.ts';
import { sum } from '../../../components/review/sum.ts';
import { shortenId } from '../../../lib/format.ts';
import { isFree } from '../coins/coin-rules.ts';
import classes from './send.module.css';
import { useSendDraft } from './send-draft.ts';

/** More are chosen in the table of coins. */
const MOST_LISTED = 200;

/** Lets the wallet choose what to spend, or takes exactly the coins a person ticks. */
export function CoinChoice({ error }: { error: string | undefined }) {
  const { t } = useTranslation();
  const money = useMoney();
  const chosen = useSendDraft((state) => state.coins);
  const change = useSendDraft((state) => state.change);
  const coins = useQuery(api.wallet.coins.list.queryOptions()).data ?? [];
  const free = coins.filter(isFree);
  const ticked = new Set(chosen);
  const spent = free.filter(({ outpoint }) => ticked.has(outpoint));
  // Those that were chosen elsewhere come first, so that none is spent unseen.
  const others = free.filter(({ outpoint }) => !ticked.has(outpoint));
  const listed = [...spent, ...others].slice(0, Math.max(MOST_LISTED, ticked.size));
  return (
    <Stack gap="xs">
      <Checkbox
        label={t('wallet.sendPage.choose')}
        description={t('wallet.sendPage.chooseHint')}
        checked={chosen !== null}
        onChange={(event) => change({ coins: event.currentTarget.checked ? [] : null })}
      />
      {chosen !== null && (
        <>
          <ul className={classes.coins} aria-label={t('wallet.sendPage.coinsLabel')}>
            {listed.map(({ outpoint, satoshis, label, address }) => (
              <li key={outpoint}>
                <Checkbox
                  size="xs"
                  label={
                    <span className={classes.coin}>
                      <span className="num">{money(satoshis)}</span>
                      <span className={classes.coinName}>{label === '' ? shortenId(address, 6) : label}</span>
                    </span>
                  }
                  checked={ticked.has(outpoint)}
                  onChange={(event) =>
                    change({
                      coins: event.currentTarget.checked
                        ? [...chosen, outpoint]
                        : chosen.filter((other) => other !== outpoint),
                    })
                  }
                />
              </li>
            ))}
            {listed.length === 0 && <li className={classes.none}>{t('wallet.sendPage.noCoins')}</li>}
          </ul>
          <Text size="sm" c={error === undefined ? 'dimmed' : 'var(--mantine-color-error)'} role="status">
            {error ?? t('wallet.sendPage.coinsChosen', { count: ticked.size, amount: money(sum(spent)) })}
          </Text>
        </>
      )}
    </Stack>
  );
}

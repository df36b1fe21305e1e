import { asFundingUtxo, formatOutpoint, type Utxo } from '../../../chain/index.ts';
import {
  type Balance,
  type Network,
  PlanchetError,
  type WalletBalance,
  type WalletCoin,
} from '../../../contract/index.ts';
import type { CoinsFrom } from '../../ports/wallet.ts';
import { type Candidate, sumOf } from './coin-selection.ts';
import type { Coin } from './storage/coin-edit.ts';
import { type CoinStore, FROZEN } from './storage/coin-store.ts';

/** New money may be spent in the block after so many (consensus rule). */
const COINBASE_MATURITY = 100;

/** Index of the key of the main address. */
const MAIN_INDEX = 0;

/** Which part of the balance an unspent coin is in: see `walletBalanceSchema`. */
export function partOf(coinStore: CoinStore, outpoint: string, coin: Coin): WalletCoin['state'] {
  const holder = coinStore.holderOf(outpoint);
  if (holder === FROZEN) return 'frozen';
  if (holder !== undefined || coinStore.heldBySigned.has(outpoint)) return 'locked';
  if (!isUsable(coinStore, coin)) return 'waiting';
  return coin.keyIndex === MAIN_INDEX ? 'spendable' : 'elsewhere';
}

export const EMPTY_BALANCE: Readonly<WalletBalance> = {
  total: 0,
  confirmed: 0,
  unconfirmed: 0,
  spendable: 0,
  elsewhere: 0,
  waiting: 0,
  locked: 0,
  frozen: 0,
  tokens: 0,
};

/** The sums of a wallet's coins, in satoshis; tokens are counted. @param coinStore undefined while the keys are missing or locked */
export function fullBalanceOf(coinStore: CoinStore | undefined): WalletBalance {
  const balance = { ...EMPTY_BALANCE };
  if (coinStore === undefined) return balance;
  for (const [outpoint, coin] of coinStore.coins) {
    if (coin.spentBy !== null) continue;
    if (coin.kind === 'token') balance.tokens += 1;
    if (coin.kind !== 'funding') continue;
    balance.total += coin.satoshis;
    balance[coin.height === null ? 'unconfirmed' : 'confirmed'] += coin.satoshis;
    balance[partOf(coinStore, outpoint, coin)] += coin.satoshis;
  }
  return balance;
}

/** Satoshis of the coins that are locked, frozen, or wait. */
export function setAside(coinStore: CoinStore | undefined): number {
  const { locked, frozen, waiting } = fullBalanceOf(coinStore);
  return locked + frozen + waiting;
}

/** The short form of the balance, for status and live events: what is free at any address is spendable. */
export function balanceOf(coinStore: CoinStore | undefined): Balance {
  const { spendable, elsewhere, confirmed, unconfirmed, locked: reserved, tokens } = fullBalanceOf(coinStore);
  return { spendable: spendable + elsewhere, confirmed, unconfirmed, reserved, tokens };
}

/**
 * The coins that may pay for something of this owner: its own and those that nobody holds.
 * @param from `main`: coins of the main address alone, since the token project API and the token library spend one key's coins
 * @param replaced ids of open signed transactions whose coins may pay for what replaces them
 */
export function candidatesOf(
  coinStore: CoinStore,
  owner: string,
  from: CoinsFrom,
  replaced: ReadonlySet<string> = new Set(),
): Candidate[] {
  const candidates: Candidate[] = [];
  const { heldBySigned } = coinStore;
  for (const [outpoint, coin] of coinStore.coins) {
    const holder = coinStore.holderOf(outpoint);
    if (coin.kind !== 'funding' || coin.spentBy !== null || (holder !== undefined && holder !== owner)) continue;
    if (from === 'main' && coin.keyIndex !== MAIN_INDEX) continue;
    const signed = heldBySigned.get(outpoint);
    if (signed && !signed.some((txid) => replaced.has(txid))) continue;
    const funding = asFundingUtxo(plainUtxo(coin));
    if (funding && isUsable(coinStore, coin)) candidates.push({ coin: funding, confirmed: coin.height !== null });
  }
  return candidates;
}

/**
 * The failure where all candidates together are too little.
 * @param needed satoshis, the fee among them
 * @param aside satoshis that the wallet has and that cannot be spent now, see {@link setAside}
 */
export function tooLittle(
  candidates: readonly Candidate[],
  needed: number,
  address: string,
  network: Network,
  aside = 0,
): PlanchetError {
  const spendable = sumOf(candidates.map(({ coin }) => coin));
  const missing = Math.max(1, needed - spendable);
  if (aside > 0 && spendable + aside >= needed)
    return new PlanchetError('wallet.funds-set-aside', { spendable, needed, aside }, { detail: { needed, spendable } });
  return new PlanchetError(
    network === 'sandbox' ? 'wallet.sandbox-funds-insufficient' : 'wallet.funds-insufficient',
    { spendable, needed, address, missing },
    { detail: { needed, spendable } },
  );
}

/** An output as the chain reports it, without the wallet's own notes. */
export function plainUtxo({ txid, vout, satoshis, lockingScript }: Coin): Utxo {
  return { txid, vout, satoshis, lockingScript };
}

/** Whether a coin is of an unconfirmed transaction that others made and that may build on nothing. */
export function isUnproven(coinStore: CoinStore, coin: Coin): boolean {
  return coin.height === null && coinStore.pending.get(coin.txid)?.unproven === true;
}

/**
 * Whether the node would take a transaction that spends the coin now, and whatever others do takes it to a block: what builds on a
 * malleable transaction is void when its id changes, and one that others made may build on nothing, so their outputs wait until they are
 * mined. One that somebody says is spent waits until that is resolved.
 */
function isUsable(coinStore: CoinStore, coin: Coin): boolean {
  if (coinStore.disputes.has(formatOutpoint(coin))) return false;
  if (coin.height === null) {
    if (coin.coinbase) return false;
    const pending = coinStore.pending.get(coin.txid);
    return pending === undefined || (pending.missingSince === null && !pending.malleable && !pending.unproven);
  }
  const tipHeight = coinStore.tip?.height ?? coin.height;
  return !coin.coinbase || tipHeight + 1 - coin.height >= COINBASE_MATURITY;
}

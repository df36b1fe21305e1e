import { type FundingUtxo, formatOutpoint, parseOutpoint } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { TransactionFate } from '../../ports/wallet.ts';
import type { Candidate } from './coin-selection.ts';
import type { SignedSpend, StoredCoins } from './storage/coin-edit.ts';

/** The part of a coin store that decides what can still be mined. */
export type SpendView = Pick<StoredCoins, 'coins' | 'signed'>;

/**
 * What became of a signed transaction, as far as the wallet knows. See {@link TransactionFate}.
 * @param seen transactions that this one needs and that were looked at already, as several of its coins may lead to the same one
 */
export function fateOf(view: SpendView, txid: string, seen = new Set<string>()): TransactionFate {
  const spend = view.signed.get(txid);
  if (spend === undefined) return 'unknown';
  const coins = spend.inputs.map((input) => view.coins.get(input));
  const inBlock = coins.find((coin) => coin !== undefined && coin.spentHeight !== null);
  if (inBlock?.spentBy) return { spentBy: inBlock.spentBy };
  if (coins.some((coin) => coin?.spentBy === txid)) return 'waiting';
  // A coin that is gone was made by a transaction that is gone: it comes back with that one alone.
  for (const [index, input] of spend.inputs.entries()) {
    const maker = parseOutpoint(input).txid;
    if (coins[index] !== undefined || seen.has(maker)) continue;
    seen.add(maker);
    const parent = fateOf(view, maker, seen);
    if (parent !== 'open' && parent !== 'waiting') return parent;
  }
  return 'open';
}

/** Coins that open signed transactions hold, by outpoint: the ids of these transactions. */
export function heldBySigned(view: SpendView): Map<string, string[]> {
  const held = new Map<string, string[]>();
  for (const [txid, { inputs }] of view.signed) {
    if (fateOf(view, txid) !== 'open') continue;
    for (const input of inputs) held.set(input, [...(held.get(input) ?? []), txid]);
  }
  return held;
}

/**
 * The open transactions of these owners, and those that share a coin with one of them: what was to replace one, or what one was to replace,
 * may be mined in its place.
 */
export function openOf(view: SpendView, owners: readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [...view.signed].filter(([txid]) => fateOf(view, txid) === 'open');
  const inputs = new Set<string>();
  const add = (txid: string, spend: SignedSpend): void => {
    found.add(txid);
    for (const input of spend.inputs) inputs.add(input);
  };
  for (const [txid, spend] of open) if (owners.includes(spend.owner)) add(txid, spend);
  for (let before = -1; found.size > before; ) {
    before = found.size;
    for (const [txid, spend] of open)
      if (!found.has(txid) && spend.inputs.some((input) => inputs.has(input))) add(txid, spend);
  }
  return found;
}

/** Outpoints of coins with which no transaction can be mined beside this one: what it spends, and what its unconfirmed rivals made. */
function excludingCoins(view: SpendView, txid: string): Set<string> {
  const found = new Set<string>();
  const rivals = new Set<string>();
  const spenders = new Set<string>();
  const addMadeBy = (rival: string): void => {
    if (rivals.has(rival)) return;
    rivals.add(rival);
    for (const [outpoint, coin] of view.coins) {
      if (coin.txid !== rival) continue;
      if (coin.spentBy === null) found.add(outpoint);
      else addMadeBy(coin.spentBy);
    }
  };
  const addSpentBy = (spender: string): void => {
    if (spenders.has(spender)) return;
    spenders.add(spender);
    for (const input of view.signed.get(spender)?.inputs ?? []) {
      const coin = view.coins.get(input);
      if (coin === undefined) addSpentBy(parseOutpoint(input).txid);
      else if (coin.spentBy === null) found.add(input);
      else if (coin.spentBy !== txid) addMadeBy(coin.spentBy);
    }
  };
  addSpentBy(txid);
  return found;
}

/** Filters the transactions that could be mined beside one that spends these outpoints. */
export function notExcludedBy(view: SpendView, txids: Iterable<string>, inputs: readonly string[]): string[] {
  return [...txids].filter((txid) => {
    const excluding = excludingCoins(view, txid);
    return !inputs.some((input) => excluding.has(input));
  });
}

/**
 * The fewest candidates that a transaction spends so that none of these others can be mined beside it.
 * @throws PlanchetError `conflict` where no free coin can do that now
 */
export function coinsThatExclude(
  view: SpendView,
  txids: readonly string[],
  candidates: readonly Candidate[],
): FundingUtxo[] {
  const chosen: FundingUtxo[] = [];
  const waiting = new Map(txids.map((txid) => [txid, excludingCoins(view, txid)]));
  while (waiting.size > 0) {
    const counted = candidates.map(({ coin }) => {
      const outpoint = formatOutpoint(coin);
      return { coin, outpoint, count: [...waiting.values()].filter((coins) => coins.has(outpoint)).length };
    });
    const [best] = counted.sort(
      (a, b) => b.count - a.count || b.coin.satoshis - a.coin.satoshis || (a.outpoint < b.outpoint ? -1 : 1),
    );
    if (best === undefined || best.count === 0) {
      throw new PlanchetError('wallet.replacement-waits', { txid: [...waiting.keys()][0] as string });
    }
    chosen.push(best.coin);
    for (const [txid, coins] of waiting) if (coins.has(best.outpoint)) waiting.delete(txid);
  }
  return chosen;
}

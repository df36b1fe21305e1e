import { asFundingUtxo, type FundingUtxo, formatOutpoint, type Satoshis, satoshis } from '../../../chain/index.ts';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import type { CoinsFrom } from '../../ports/wallet.ts';
import { type Candidate, selectCoins, sumOf, worthTheirCost } from './coin-selection.ts';
import { coinsThatExclude, notExcludedBy, openOf } from './signed-spends.ts';
import { candidatesOf, isUnproven, plainUtxo, setAside, tooLittle } from './spendable.ts';
import { type CoinStore, FROZEN } from './storage/coin-store.ts';

interface Reservation {
  readonly owner: string;
  readonly outputsTotal: Satoshis;
  /** Fee in satoshis for a number of P2PKH inputs. */
  readonly feeFor: (inputs: number) => Satoshis;
  readonly from: CoinsFrom;
  /** Owners of the signed transactions that must not be mined beside the one that is paid for. */
  readonly replaces: readonly string[];
  /** Named in the failure where there is too little: money can be paid to it. */
  readonly address: string;
  readonly network: Network;
}

export function reservedOf(coinStore: CoinStore, owner: string): FundingUtxo[] {
  const held = [...coinStore.owners].filter(([, holder]) => holder === owner);
  return held.flatMap(([outpoint]) => {
    const coin = coinStore.coins.get(outpoint);
    const funding = coin?.kind === 'funding' ? asFundingUtxo(plainUtxo(coin)) : undefined;
    return funding ? [funding] : [];
  });
}

/**
 * Selects coins and holds them for an owner, who keeps what it holds where that is enough. One coin at least makes each transaction that is
 * replaced impossible.
 * @throws PlanchetError `funds-insufficient`, `conflict` where what is replaced cannot be made impossible now
 */
export function reserveCoins(
  coinStore: CoinStore,
  { owner, outputsTotal, feeFor, from, replaces, address, network }: Reservation,
): Promise<FundingUtxo[]> {
  return coinStore.change((edit) => {
    const held = reservedOf(coinStore, owner);
    const sum = sumOf(held);
    const replaced = openOf(coinStore, [owner, ...replaces]);
    const own = outpointsOf(coinStore, owner);
    const isReplaced = notExcludedBy(coinStore, replaced, own).length === 0;
    if (held.length > 0 && isReplaced && sum >= outputsTotal + feeFor(held.length)) return held;
    const money = new Set(held.map(formatOutpoint));
    const tokens = own.filter((outpoint) => coinStore.coins.has(outpoint) && !money.has(outpoint));
    const candidates = candidatesOf(coinStore, owner, from, replaced);
    const first = coinsThatExclude(coinStore, notExcludedBy(coinStore, replaced, tokens), candidates);
    const coins = selectWith(first, candidates, outputsTotal, feeFor);
    if (!coins) {
      const worth = worthTheirCost(candidates, feeFor);
      const needed = outputsTotal + feeFor(Math.max(1, worth.length));
      const all = candidatesOf(coinStore, owner, from, new Set(coinStore.signed.keys()));
      const holder = selectCoins(all, outputsTotal, feeFor)?.flatMap(
        (coin) => coinStore.heldBySigned.get(formatOutpoint(coin)) ?? [],
      )[0];
      const spendable = sumOf(worth.map(({ coin }) => coin));
      const detail = { needed, spendable };
      // The coins of a signed transaction would be enough.
      if (holder !== undefined)
        throw new PlanchetError('wallet.funds-held', { spendable, needed, txid: holder }, { detail });
      // Coins at further addresses would be enough, and only those of the main address may pay.
      const isElsewhere =
        from === 'main' &&
        selectCoins(candidatesOf(coinStore, owner, 'all', replaced), outputsTotal, feeFor) !== undefined;
      throw isElsewhere
        ? new PlanchetError('wallet.funds-elsewhere', { spendable, needed }, { detail })
        : tooLittle(worth, needed, address, network, setAside(coinStore));
    }
    // what it holds beside money, such as the token that it moves, stays held
    for (const outpoint of own) if (!tokens.includes(outpoint)) edit.release(outpoint);
    for (const coin of coins) edit.hold(formatOutpoint(coin), owner);
    return coins;
  });
}

/** @returns the first coins, and as many others as it takes; undefined where all are not enough */
function selectWith(
  first: readonly FundingUtxo[],
  candidates: readonly Candidate[],
  outputsTotal: Satoshis,
  feeFor: (inputs: number) => Satoshis,
): FundingUtxo[] | undefined {
  if (first.length === 0) return selectCoins(candidates, outputsTotal, feeFor);
  const missing = outputsTotal - sumOf(first);
  if (missing + feeFor(first.length) <= 0) return [...first];
  const rest = candidates.filter(({ coin }) => !first.includes(coin));
  // A fee for no further coin is not asked for: these alone are not enough.
  const others = selectCoins(rest, satoshis(Math.max(0, missing)), (inputs) =>
    satoshis(Math.max(0, feeFor(first.length + inputs) + Math.min(0, missing))),
  );
  return others && [...first, ...others];
}

function outpointsOf(coinStore: CoinStore, owner: string): string[] {
  return [...coinStore.owners].flatMap(([outpoint, holder]) => (holder === owner ? outpoint : []));
}

/**
 * How many coins {@link reserveCoins} would choose for an owner who holds none: all that are worth their cost where they are not enough, at
 * least 1.
 */
export function inputsFor(
  coinStore: CoinStore,
  { outputsTotal, feeFor, from }: Pick<Reservation, 'outputsTotal' | 'feeFor' | 'from'>,
): number {
  const candidates = candidatesOf(coinStore, '', from);
  return Math.max(1, (selectCoins(candidates, outputsTotal, feeFor) ?? worthTheirCost(candidates, feeFor)).length);
}

/** See {@link FundingWallet.most}. */
export function mostOf(coinStore: CoinStore, feeFor: Reservation['feeFor']): number {
  const worth = worthTheirCost(candidatesOf(coinStore, '', 'all'), feeFor);
  return Math.max(0, sumOf(worth.map(({ coin }) => coin)) - feeFor(worth.length));
}

/** See {@link MintWallet.worth}. */
export function worthOf(coinStore: CoinStore, feeFor: Reservation['feeFor'], from: CoinsFrom): number {
  return sumOf(worthTheirCost(candidatesOf(coinStore, '', from), feeFor).map(({ coin }) => coin));
}

/**
 * Holds all of the named coins for an owner, or none.
 * @param replaces owners of signed transactions whose coins may be held again
 * @throws PlanchetError `not-found`, `conflict` where one is frozen, another's, held by a signed transaction, or not proven
 */
export function holdCoins(
  coinStore: CoinStore,
  owner: string,
  outpoints: readonly string[],
  replaces: readonly string[],
): Promise<void> {
  return coinStore.change((edit) => {
    const replaced = openOf(coinStore, [owner, ...replaces]);
    for (const outpoint of outpoints) {
      const coin = coinStore.coins.get(outpoint);
      if (!coin || coin.spentBy !== null) throw new PlanchetError('wallet.coin-missing', { outpoint });
      const holder = coinStore.holderOf(outpoint);
      if (isUnproven(coinStore, coin)) throw new PlanchetError('wallet.coin-unproven', { outpoint });
      const dispute = coinStore.disputes.get(outpoint);
      if (dispute) throw new PlanchetError('wallet.coin-disputed', { outpoint, sources: dispute.sources.join(', ') });
      if (holder === FROZEN) throw new PlanchetError('wallet.coin-frozen', { outpoint });
      if (holder !== undefined && holder !== owner) throw new PlanchetError('wallet.coin-in-use', { outpoint });
      const signed = coinStore.heldBySigned.get(outpoint);
      if (signed && !signed.some((txid) => replaced.has(txid)))
        throw new PlanchetError('wallet.coin-signed', { outpoint, txid: signed[0] as string });
      edit.hold(outpoint, owner);
    }
  });
}

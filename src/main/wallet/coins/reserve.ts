import { asFundingUtxo, type FundingUtxo, formatOutpoint, type Satoshis } from '../../../chain/index.ts';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import { type CoinBook, FROZEN } from './coin-book.ts';
import { selectCoins, worthTheirCost } from './coin-selection.ts';
import { candidatesOf, plainUtxo, tooLittle } from './spendable.ts';

interface Reservation {
  readonly owner: string;
  readonly outputsTotal: Satoshis;
  /** Fee in satoshis for a number of P2PKH inputs. */
  readonly feeFor: (inputs: number) => Satoshis;
  readonly from: 'main' | 'all';
  /** Where money can be paid to, for whoever has too little. */
  readonly address: string;
  readonly network: Network;
}

/** Coins that an owner holds. */
export function reservedOf(book: CoinBook, owner: string): FundingUtxo[] {
  const held = [...book.owners].filter(([, holder]) => holder === owner);
  return held.flatMap(([outpoint]) => {
    const coin = book.coins.get(outpoint);
    const funding = coin?.kind === 'funding' ? asFundingUtxo(plainUtxo(coin)) : undefined;
    return funding ? [funding] : [];
  });
}

/** Selects coins and holds them for an owner, who keeps what it holds where that is enough. @throws PlanchetError `funds-insufficient` */
export function reserveCoins(
  book: CoinBook,
  { owner, outputsTotal, feeFor, from, address, network }: Reservation,
): Promise<FundingUtxo[]> {
  return book.change((edit) => {
    const held = reservedOf(book, owner);
    const sum = held.reduce((total, { satoshis }) => total + satoshis, 0);
    if (held.length > 0 && sum >= outputsTotal + feeFor(held.length)) return held;
    const candidates = candidatesOf(book, owner, from);
    const coins = selectCoins(candidates, outputsTotal, feeFor);
    if (!coins) {
      const worth = worthTheirCost(candidates, feeFor);
      throw tooLittle(worth, outputsTotal + feeFor(Math.max(1, worth.length)), address, network);
    }
    for (const [outpoint, holder] of book.owners) {
      // what it holds beside money, such as the token that it moves, stays held
      const isMoney = (book.coins.get(outpoint)?.kind ?? 'funding') === 'funding';
      if (holder === owner && isMoney) edit.release(outpoint);
    }
    for (const coin of coins) edit.hold(formatOutpoint(coin), owner);
    return coins;
  });
}

/**
 * How many coins of the main address {@link reserveCoins} would choose for an owner who holds none: all that are worth their cost where
 * they are not enough, at least 1.
 */
export function inputsFor(
  book: CoinBook,
  { outputsTotal, feeFor }: Pick<Reservation, 'outputsTotal' | 'feeFor'>,
): number {
  const candidates = candidatesOf(book, '', 'main');
  return Math.max(1, (selectCoins(candidates, outputsTotal, feeFor) ?? worthTheirCost(candidates, feeFor)).length);
}

/** See {@link FundingWallet.most}. */
export function mostOf(book: CoinBook, feeFor: Reservation['feeFor']): number {
  const worth = worthTheirCost(candidatesOf(book, '', 'main'), feeFor);
  return Math.max(0, worth.reduce((sum, { coin }) => sum + coin.satoshis, 0) - feeFor(worth.length));
}

/** Holds all of the named coins for an owner, or none. @throws PlanchetError `not-found`, `conflict` where one is frozen or another's */
export function holdCoins(book: CoinBook, owner: string, outpoints: readonly string[]): Promise<void> {
  return book.change((edit) => {
    for (const outpoint of outpoints) {
      const coin = book.coins.get(outpoint);
      if (!coin || coin.spentBy !== null) throw new PlanchetError('wallet.coin-missing', { outpoint });
      const holder = book.holderOf(outpoint);
      if (holder === FROZEN) throw new PlanchetError('wallet.coin-frozen', { outpoint });
      if (holder !== undefined && holder !== owner) throw new PlanchetError('wallet.coin-in-use', { outpoint });
      edit.hold(outpoint, owner);
    }
  });
}

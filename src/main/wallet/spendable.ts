import { asFundingUtxo, type Utxo } from '../../chain/index.ts';
import { type Balance, type Network, PlanchetError } from '../../contract/index.ts';
import type { Coin, CoinBook } from './coin-book.ts';
import type { Candidate } from './coin-selection.ts';

/** New money may be spent in the block after so many (consensus rule). */
const COINBASE_MATURITY = 100;

export const NO_BALANCE: Balance = { spendable: 0, confirmed: 0, unconfirmed: 0, reserved: 0, tokens: 0 };

/** What the coins of a wallet come to, in satoshis; tokens are counted. */
export function balanceOf(book: CoinBook): Balance {
  const balance = { ...NO_BALANCE };
  for (const [outpoint, coin] of book.coins) {
    if (coin.spentBy !== null) continue;
    if (coin.kind === 'token') balance.tokens += 1;
    if (coin.kind !== 'funding') continue;
    if (coin.height === null) balance.unconfirmed += coin.satoshis;
    else balance.confirmed += coin.satoshis;
    if (book.owners.has(outpoint)) balance.reserved += coin.satoshis;
    else if (isUsable(book, coin)) balance.spendable += coin.satoshis;
  }
  return balance;
}

/** The coins that may pay for something of this owner: its own and those that nobody holds. */
export function candidatesOf(book: CoinBook, owner: string): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [outpoint, coin] of book.coins) {
    const holder = book.owners.get(outpoint);
    if (coin.kind !== 'funding' || coin.spentBy !== null || (holder !== undefined && holder !== owner)) continue;
    const funding = asFundingUtxo(plainUtxo(coin));
    if (funding && isUsable(book, coin)) candidates.push({ coin: funding, confirmed: coin.height !== null });
  }
  return candidates;
}

/** The failure where all candidates together are too little. @param needed satoshis, the fee among them */
export function tooLittle(
  candidates: readonly Candidate[],
  needed: number,
  address: string,
  network: Network,
): PlanchetError {
  const spendable = candidates.reduce((sum, { coin }) => sum + coin.satoshis, 0);
  const missing = Math.max(1, needed - spendable);
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

/**
 * Whether the node would take a transaction that spends the coin now, and whatever others do takes it to a block: what builds on a
 * malleable transaction is void when its id changes, so its outputs wait until it is mined.
 */
function isUsable(book: CoinBook, coin: Coin): boolean {
  if (coin.height === null) {
    const pending = book.pending.get(coin.txid);
    return pending === undefined || (pending.missingSince === null && !pending.malleable);
  }
  const tipHeight = book.tip?.height ?? coin.height;
  return !coin.coinbase || tipHeight + 1 - coin.height >= COINBASE_MATURITY;
}

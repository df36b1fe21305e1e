import type { WalletAddress, WalletCoin, WalletHistoryEntry, walletPurposes } from '../../contract/index.ts';
import { type Purpose, purposeOfOwner } from './coins/purposes.ts';
import { partOf } from './coins/spendable.ts';
import type { TransactionRecord } from './coins/storage/coin-edit.ts';
import type { CoinStore } from './coins/storage/coin-store.ts';
import type { WalletKey } from './keys/wallet-key.ts';

/** Labels by subject: `address:…`, `tx:…`, `coin:…`. */
export type Labels = ReadonlyMap<string, string>;

/** Unspent outputs, the largest first. */
export function coinsOf(coinStore: CoinStore, keys: readonly WalletKey[], labels: Labels): WalletCoin[] {
  const addresses = new Map(keys.map(({ index, address }) => [index, address]));
  const coins = [...coinStore.coins].filter(([, { spentBy }]) => spentBy === null);
  return coins
    .map(([outpoint, coin]) => ({
      outpoint,
      satoshis: coin.satoshis,
      kind: coin.kind,
      address: addresses.get(coin.keyIndex) ?? '',
      label: labels.get(`coin:${outpoint}`) ?? '',
      height: coin.height,
      confirmations: coin.height === null ? 0 : Math.max(1, (coinStore.tip?.height ?? coin.height) - coin.height + 1),
      state: partOf(coinStore, outpoint, coin),
      dispute: coinStore.disputes.get(outpoint) ?? null,
      lockedBy: purposeOfOwner(coinStore.owners.get(outpoint) ?? signerOf(coinStore, outpoint)),
    }))
    .sort((a, b) => b.satoshis - a.satoshis || (a.outpoint < b.outpoint ? -1 : 1));
}

/** The addresses of the given keys, with what lies there. */
export function addressesOf(
  coinStore: CoinStore,
  keys: readonly WalletKey[],
  pathOf: (index: number) => string,
  labels: Labels,
): WalletAddress[] {
  const unspent = new Map<number, number>();
  for (const { keyIndex, kind, satoshis, spentBy } of coinStore.coins.values()) {
    const value = kind === 'funding' && spentBy === null ? satoshis : 0;
    unspent.set(keyIndex, (unspent.get(keyIndex) ?? 0) + value);
  }
  return keys.map(({ index, address }) => ({
    address,
    index,
    path: pathOf(index),
    label: labels.get(`address:${address}`) ?? '',
    used: coinStore.used.has(index),
    satoshis: unspent.get(index) ?? 0,
  }));
}

/**
 * Every transaction of the wallet with the balance after it, newest first. A lost one stands by its time and changes no balance.
 * @param purposes by transaction, for those of which the coin store does not know what they were for
 * @param toldBy names of the operators that tell of a transaction that waits for a block
 * @param contacts names of the contacts that each transaction paid
 */
export function historyOf(
  coinStore: CoinStore,
  labels: Labels,
  purposes: ReadonlyMap<string, { purpose: Purpose }> = new Map(),
  toldBy: (txid: string) => readonly string[] | undefined = () => undefined,
  contacts: ReadonlyMap<string, string[]> = new Map(),
): WalletHistoryEntry[] {
  const all = [...coinStore.transactions];
  const inOrder = all.filter(([, { lost }]) => lost === null);
  inOrder.sort(
    ([a, one], [b, other]) =>
      (one.height ?? Number.POSITIVE_INFINITY) - (other.height ?? Number.POSITIVE_INFINITY) ||
      one.at - other.at ||
      (a < b ? -1 : 1),
  );
  for (const entry of all.filter(([, { lost }]) => lost !== null)) {
    const next = inOrder.findIndex(([, { at }]) => at > entry[1].at);
    inOrder.splice(next === -1 ? inOrder.length : next, 0, entry);
  }
  let balance = 0;
  const entries = inOrder.map(([txid, record]) => {
    const amount = record.received - record.spent;
    if (record.lost === null) balance += amount;
    const { at, height, fee, tokens, lost } = record;
    const state = lost ?? (height === null ? ('unconfirmed' as const) : ('confirmed' as const));
    const operators = state === 'unconfirmed' && amount > 0 ? toldBy(txid) : undefined;
    return {
      txid,
      at,
      height,
      amount,
      fee,
      balance,
      tokens,
      purpose: purposeOf(record, purposes.get(txid)?.purpose),
      label: labels.get(`tx:${txid}`) ?? '',
      contacts: contacts.get(txid) ?? [],
      state,
      ...(operators && { toldBy: [...operators] }),
    };
  });
  return entries.reverse();
}

const COLUMNS = ['time', 'txid', 'height', 'amount', 'fee', 'balance', 'tokens', 'purpose', 'label', 'state'] as const;

/** The history as CSV (RFC 4180), oldest first as in an account book. */
export function historyCsv(entries: readonly WalletHistoryEntry[]): string {
  const lines = entries.toReversed().map((entry) =>
    COLUMNS.map((column) => {
      if (column === 'time') return new Date(entry.at).toISOString();
      return typeof entry[column] === 'string' ? cell(entry[column]) : String(entry[column] ?? '');
    }).join(','),
  );
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

/** A spreadsheet takes text that begins with one of these for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function purposeOf(
  { owner, received, spent, fee, tokens }: TransactionRecord,
  kept: Purpose | undefined,
): (typeof walletPurposes)[number] {
  const held = purposeOfOwner(owner ?? undefined);
  if (held !== null && held !== 'send') return held;
  // A transaction that another account of the network made counts as received here.
  if (kept !== undefined && (spent > 0 || tokens < 0)) return kept;
  if (spent === 0) return 'received';
  return fee !== null && spent - received === fee ? 'moved' : 'sent';
}

/** The owner of the refused or cancelled signed transaction that still holds a coin. */
function signerOf(coinStore: CoinStore, outpoint: string): string | undefined {
  const [txid] = coinStore.heldBySigned.get(outpoint) ?? [];
  return txid === undefined ? undefined : coinStore.signed.get(txid)?.owner;
}

import {
  asFundingUtxo,
  chronicleUse,
  equalBytes,
  formatOutpoint,
  isCoinbase,
  keyLockOf,
  type Tx,
  toHex,
  txidOf,
  type Utxo,
} from '../../../chain/index.ts';
import { decodeToken } from '../../../token/index.ts';
import type { TouchingTransaction } from '../../ports/chain-data.ts';
import { sumOf } from '../coins/coin-selection.ts';
import { keptScript } from '../coins/long-scripts.ts';
import type { Coin, CoinEdit, TransactionRecord } from '../coins/storage/coin-edit.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import type { WalletKey } from '../keys/wallet-key.ts';

/** The parts of a transaction that the wallet reads. */
export interface WalletTransaction extends Omit<TouchingTransaction, 'index' | 'raw' | 'path'> {
  readonly coinbase: boolean;
  /** Whether others can change its id while no block holds it. */
  readonly malleable: boolean;
}

/** A transaction that is known as a whole. */
export function partsOf(tx: Tx, txid = txidOf(tx)): WalletTransaction {
  return {
    txid,
    inputs: tx.inputs,
    inputCount: tx.inputs.length,
    outputs: tx.outputs.map((output, vout) => ({ ...output, vout })),
    paid: sumOf(tx.outputs),
    coinbase: isCoinbase(tx),
    malleable: chronicleUse(tx).isMalleable,
  };
}

/** How far below the tip a spent coin is kept, so that a change of the chain can bring it back. */
const KEEP_SPENT_BLOCKS = 1_000;

/**
 * Writes into the edit what transactions do to the wallet: coins they add, coins they spend. Transactions that do not concern the
 * wallet leave no trace. Where two unconfirmed transactions spend the same coin, the later one seen counts; a confirmed one always does.
 * @param txs of one block, or unconfirmed ones; a transaction and its parent may come in any order
 * @param at height of their block, or null; `now` is when they were seen, `time` that of the block (ms), `unproven` the ids of those that
 *   may build on nothing
 */
export function applyTransactions(
  edit: CoinEdit,
  txs: readonly WalletTransaction[],
  keys: readonly WalletKey[],
  at: { height: number | null; now: number; time?: number; unproven?: ReadonlySet<string> },
): void {
  // A transaction that a block holds already changes nothing, and its coins may be spent and forgotten.
  const isLive = (tx: WalletTransaction) =>
    edit.transaction(tx.txid)?.height == null && !spendsConfirmedSpent(edit, tx);
  const live = txs.filter((tx) => at.height !== null || isLive(tx));
  const ours = new Set<string>();
  const owners = new Map<string, string>();
  for (const tx of live) {
    const { txid } = tx;
    for (const { vout, satoshis, script } of tx.outputs) {
      if (script === undefined) {
        edit.tell({ kind: 'too-long', at: at.now, txids: [txid], height: at.height });
        continue;
      }
      const key = ownerOf(script, keys);
      if (!key) continue;
      ours.add(txid);
      edit.use(key.index, at.height);
      const utxo = { txid, vout, satoshis, lockingScript: script };
      const known = edit.coin(formatOutpoint(utxo));
      const { lockingScript, scriptHash } = known ?? keptScript(script);
      edit.put({
        ...utxo,
        lockingScript,
        scriptHash,
        kind: kindOf(utxo, key),
        keyIndex: key.index,
        coinbase: tx.coinbase,
        height: at.height ?? known?.height ?? null,
        spentBy: known?.spentBy ?? null,
        spentHeight: known?.spentHeight ?? null,
      });
    }
  }
  for (const { txid, inputs } of live) {
    for (const input of inputs) {
      const key = formatOutpoint(input);
      const coin = edit.coin(key);
      if (!coin) continue;
      ours.add(txid);
      if (coin.spentBy !== null && coin.spentBy !== txid) {
        edit.tell({ kind: 'double-spent', at: at.now, txids: [coin.spentBy], height: null });
        dropTransaction(edit, coin.spentBy, 'double-spent');
      }
      const spentHeight = at.height ?? (coin.spentBy === txid ? coin.spentHeight : null);
      edit.put({ ...coin, spentBy: txid, spentHeight });
      const owner = edit.ownerOf(key);
      if (owner !== undefined) owners.set(txid, owner);
      edit.release(key);
    }
  }
  for (const tx of live) {
    if (ours.has(tx.txid))
      noteTransaction(edit, tx, { ...at, owner: owners.get(tx.txid) ?? null, searchedFor: keys.length });
  }
  const malleable = at.height === null ? malleableOf(edit, live) : new Set<string>();
  for (const txid of ours) {
    if (at.height !== null) edit.setPending(txid, null);
    else {
      const since = edit.pendingOf(txid)?.since ?? at.now;
      const unproven = at.unproven?.has(txid) === true;
      edit.setPending(txid, { since, missingSince: null, malleable: malleable.has(txid), unproven });
    }
  }
}

/** Notes for the history what a transaction did, once all its outputs and inputs are in the edit. */
function noteTransaction(
  edit: CoinEdit,
  { txid, inputs, inputCount, outputs, paid }: WalletTransaction,
  at: { height: number | null; now: number; time?: number; owner: string | null; searchedFor: number },
): void {
  const known = edit.transaction(txid);
  const made = outputs.flatMap(({ vout }) => edit.coin(formatOutpoint({ txid, vout })) ?? []);
  const used = inputs.flatMap((input) => edit.coin(formatOutpoint(input)) ?? []);
  const money = (coins: readonly Coin[]): number => sumOf(coins.filter(({ kind }) => kind === 'funding'));
  const tokens = (coins: readonly Coin[]): number => coins.filter(({ kind }) => kind === 'token').length;
  edit.record(txid, {
    at: at.time ?? known?.at ?? at.now,
    height: at.height ?? known?.height ?? null,
    received: money(made),
    spent: money(used),
    tokens: tokens(made) - tokens(used),
    fee: used.length === inputCount ? sumOf(used) - paid : null,
    owner: at.owner ?? known?.owner ?? null,
    lost: null,
    searchedFor: at.searchedFor,
  });
}

/** Unconfirmed transactions whose id others can change: their own version allows it, or that of one they build on. */
function malleableOf(edit: CoinEdit, txs: readonly WalletTransaction[]): Set<string> {
  const found = new Set<string>();
  for (let before = -1; found.size > before; ) {
    before = found.size;
    for (const tx of txs) {
      const isMalleable = ({ txid }: { txid: string }) => found.has(txid) || edit.pendingOf(txid)?.malleable === true;
      if (tx.malleable || tx.inputs.some(isMalleable)) found.add(tx.txid);
    }
  }
  return found;
}

/**
 * Undoes a transaction that will never be in a block: its coins go, and with them what spent these; the coins it spent come back.
 * @param lost what the history says of it; left out, it is not in the history any more
 */
export function dropTransaction(edit: CoinEdit, txid: string, lost?: TransactionRecord['lost']): void {
  edit.setPending(txid, null);
  const known = edit.transaction(txid);
  edit.record(txid, known && lost ? { ...known, height: null, lost } : null);
  for (const coin of edit.findCoins((made) => made.txid === txid)) {
    if (coin.spentBy !== null) dropTransaction(edit, coin.spentBy, lost);
    edit.remove(coin);
  }
  for (const coin of edit.findCoins((spent) => spent.spentBy === txid)) {
    edit.put({ ...coin, spentBy: null, spentHeight: null });
  }
}

/**
 * Goes back to the chain as it stood at `height`: what blocks above it held is unconfirmed again.
 * @param gone whether those blocks left the chain, and their new money with them; otherwise they are read once more
 */
export function rollBack(edit: CoinEdit, height: number, now: number, gone: boolean): void {
  edit.dropBlocksAbove(height);
  edit.forgetUsesAbove(height);
  // they tell which keys were paid, also where their coins are forgotten
  edit.takeAgain((record) => (record.height ?? 0) > height);
  const { searchedTo } = edit.currentState;
  if (searchedTo !== null && searchedTo > height) edit.setState({ searchedTo: height < 0 ? null : height });
  const unconfirm = (txid: string): void => {
    // whether it is malleable is told when the mempool is read again, which follows
    const { since = now, malleable = false, unproven = false } = edit.pendingOf(txid) ?? {};
    edit.setPending(txid, { since, missingSince: null, malleable, unproven });
    const record = edit.transaction(txid);
    if (record) edit.record(txid, { ...record, height: null });
  };
  for (const coin of edit.findCoins((made) => made.height !== null && made.height > height)) {
    if (coin.coinbase && gone) dropTransaction(edit, coin.txid);
    else {
      edit.put({ ...coin, height: null });
      unconfirm(coin.txid);
    }
  }
  for (const coin of edit.findCoins((spent) => spent.spentHeight !== null && spent.spentHeight > height)) {
    edit.put({ ...coin, spentHeight: null });
    if (coin.spentBy !== null) unconfirm(coin.spentBy);
  }
}

/**
 * Begins with another chain, or with a node that has none of the known blocks. Its blocks and mempool do not tell again who holds a coin,
 * nor what spends one without the node having it: both stay, since the chain that was known may come back.
 */
export function beginAnew(coinStore: CoinStore, now: number): Promise<void> {
  return coinStore.change((edit) => {
    const spent = edit.findCoins(({ spentBy, spentHeight }) => spentBy !== null && spentHeight === null);
    edit.clear();
    for (const [outpoint, owner] of coinStore.owners) edit.hold(outpoint, owner);
    const missing = { since: now, missingSince: now, malleable: false, unproven: true };
    for (const coin of spent) {
      edit.put({ ...coin, height: null });
      for (const txid of [coin.txid, coin.spentBy as string])
        edit.setPending(txid, coinStore.pending.get(txid) ?? missing);
    }
  });
}

/** Forgets coins that were spent too deep to come back. */
export function pruneSpent(edit: CoinEdit, tipHeight: number): void {
  const horizon = tipHeight - KEEP_SPENT_BLOCKS;
  for (const coin of edit.findCoins(({ spentHeight }) => spentHeight !== null && spentHeight < horizon)) {
    edit.remove(coin);
    edit.forgetSigned(formatOutpoint(coin));
  }
}

/**
 * The key that can spend a script. One that asks for more than the key is counted only where it is a redeemable token, whose rules take
 * compressed keys alone.
 */
function ownerOf(script: Uint8Array, keys: readonly WalletKey[]): WalletKey | undefined {
  const lock = keyLockOf(script);
  const key = lock && byHash(keys).get(toHex(lock.pubKeyHash));
  const isToken = (): boolean => key?.publicKey.length === COMPRESSED_HEX && decodeToken(script) !== undefined;
  return key && (lock.complete || isToken()) ? key : undefined;
}

/** Hex digits of a compressed public key. */
const COMPRESSED_HEX = 66;

const indexes = new WeakMap<readonly WalletKey[], ReadonlyMap<string, WalletKey>>();

function byHash(keys: readonly WalletKey[]): ReadonlyMap<string, WalletKey> {
  const known = indexes.get(keys);
  if (known) return known;
  const index = new Map(keys.map((key) => [key.pubKeyHash, key]));
  indexes.set(keys, index);
  return index;
}

function kindOf(utxo: Utxo, key: WalletKey): Coin['kind'] {
  const isMoney = key.purpose === 'money' && equalBytes(utxo.lockingScript, key.lockingScript);
  if (isMoney && asFundingUtxo(utxo)) return 'funding';
  return utxo.satoshis === 1 ? 'token' : 'other';
}

function spendsConfirmedSpent(edit: CoinEdit, tx: WalletTransaction): boolean {
  return tx.inputs.some((input) => {
    const coin = edit.coin(formatOutpoint(input));
    return coin !== undefined && coin.spentHeight !== null && coin.spentBy !== tx.txid;
  });
}

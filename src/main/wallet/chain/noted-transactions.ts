import { formatOutpoint, type Tx, txidOf } from '../../../chain/index.ts';
import type { CoinEdit } from '../coins/storage/coin-edit.ts';
import type { KeySource } from '../keys/key-source.ts';
import { applyTransactions, dropTransaction, partsOf } from './coin-effects.ts';
import { applyAndFollow } from './followed-keys.ts';

/** Notes that a transaction was signed for an owner, where it spends coins of the wallet. */
export function noteSigned(edit: CoinEdit, owner: string, tx: Tx): void {
  const inputs = tx.inputs.map(formatOutpoint).filter((outpoint) => edit.coin(outpoint) !== undefined);
  if (inputs.length > 0) edit.sign(txidOf(tx), { owner, inputs });
}

/** Notes a transaction that no block holds yet. @param now unix milliseconds */
export function noteSeen(edit: CoinEdit, tx: Tx, keys: KeySource, now: number): void {
  const at = { height: null, now };
  if (keys.state === 'ready') applyAndFollow(edit, [partsOf(tx)], keys, at);
  // What it spends is spent; what it pays is found by the keys when they are there.
  else applyTransactions(edit, [partsOf(tx)], [], at);
}

/** Takes a transaction back that no block holds. */
export function dropWaiting(edit: CoinEdit, txid: string): void {
  if (edit.pendingOf(txid) !== undefined) dropTransaction(edit, txid);
}

import type { Tx } from '../../../chain/index.ts';
import type { BookEdit, WalletState } from '../coins/book-edit.ts';
import type { KeySource } from '../keys/key-source.ts';
import { CHANGE_INDEX, type WalletKey } from '../keys/wallet-key.ts';
import { applyTransactions } from './coin-effects.ts';

/** The followed keys as the state names them: their public key hashes, space between them. */
export function keysText(keys: readonly WalletKey[]): string {
  return keys.map(({ pubKeyHash }) => pubKeyHash).join(' ');
}

/** Whether blocks were searched for all of these keys. */
export function searchedForAll(searched: string, keys: readonly WalletKey[]): boolean {
  const known = new Set(searched.split(' '));
  return keys.every(({ pubKeyHash }) => known.has(pubKeyHash));
}

/**
 * Applies transactions, and follows further keys where one close to the last followed key was paid; then the same transactions are
 * searched for those as well. Blocks before need no second search: nobody was given an address so far behind the last used one.
 */
export function applyAndFollow(
  edit: BookEdit,
  state: WalletState,
  txs: readonly Tx[],
  keys: KeySource,
  at: { height: number | null; now: number; time?: number },
): void {
  do applyTransactions(edit, txs, keys.all, at);
  while (keys.followBehind(lastPaid(edit, keys.money.length)));
  noteFollowed(edit, state, keys);
}

/** Notes in the state which keys are followed, where there are more than it names. */
export function noteFollowed(edit: BookEdit, state: WalletState, keys: KeySource): void {
  const noted = edit.state ?? state;
  if (noted.keys.split(' ').length < keys.all.length) edit.setState({ ...noted, keys: keysText(keys.all) });
}

/** The highest index of a money key that the edit's coins pay; addresses for change count like those given out. @param count how many are followed */
function lastPaid(edit: BookEdit, count: number): number {
  let last = 0;
  for (const coin of edit.coins.values()) {
    if (!coin) continue;
    const index = coin.keyIndex >= CHANGE_INDEX ? coin.keyIndex - CHANGE_INDEX : coin.keyIndex;
    if (index < count && index > last) last = index;
  }
  return last;
}

import type { CoinEdit } from '../coins/storage/coin-edit.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import { highestPaid } from '../coins/storage/used-keys.ts';
import type { KeySource } from '../keys/key-source.ts';
import { CHANGE_INDEX, type WalletKey } from '../keys/wallet-key.ts';
import { applyTransactions, rollBack, type WalletTransaction } from './coin-effects.ts';

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
 * searched for those as well. Blocks before are searched again once the tip is reached: see {@link searchAgain}.
 */
export function applyAndFollow(
  edit: CoinEdit,
  txs: readonly WalletTransaction[],
  keys: KeySource,
  at: { height: number | null; now: number; time?: number; unproven?: ReadonlySet<string> },
): void {
  do applyTransactions(edit, txs, keys.all, at);
  while (keys.followBehind(highestPaid(edit.used)));
}

/**
 * Begins the search anew where blocks were not searched for all of the wallet's keys: at the block from which on they may pay those that
 * came later. What is known stays known, and held by whoever holds it; it counts as unconfirmed until its block is scanned again.
 * @param now unix milliseconds
 */
export function searchAgain(coinStore: CoinStore, keys: readonly WalletKey[], now: number): Promise<void> {
  const { searchedTo, keys: searched } = coinStore.state;
  // Further back than the remembered blocks, a change of the chain would not be noticed. A migration leaves no keys where all is read again.
  const isKnown = searched !== '' && coinStore.blocks.some(({ height }) => height === searchedTo);
  const from = searchedTo !== null && isKnown ? searchedTo : -1;
  return coinStore.change((edit) => {
    rollBack(edit, from, now, false);
    edit.setState({ keys: keysText(keys) });
  });
}

/**
 * Follows keys as far as a backup names them. Blocks are searched anew where that was not done for all of them.
 * @param to.highest index of the last key, of both kinds @param to.change index of the last key for change; 0 for none
 */
export function followKeysTo(
  edit: CoinEdit,
  keys: KeySource,
  { highest, change }: { readonly highest: number; readonly change: number },
): void {
  if (change > 0) edit.use(CHANGE_INDEX + change, null);
  keys.followBehind(highest);
  if (!searchedForAll(edit.currentState.keys, keys.all)) edit.setState({ searchedTo: null });
}

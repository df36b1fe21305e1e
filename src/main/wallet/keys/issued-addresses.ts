import type { Kysely } from 'kysely';
import { PlanchetError } from '../../../contract/index.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import { highestConfirmed, highestUsed } from '../coins/storage/used-keys.ts';
import type { WalletTables } from '../tables.ts';
import { GAP_LIMIT, type KeySource } from './key-source.ts';
import type { WalletKey } from './wallet-key.ts';

interface Opened {
  keys: KeySource;
  coinStore: CoinStore;
}

/** Indices of the further addresses that were given out, in order. @param owner see `WalletState` */
async function issuedIndices(db: Kysely<WalletTables>, scope: string, owner: string): Promise<number[]> {
  const rows = db.selectFrom('wallet_addresses').select('key_index').where('network', '=', scope);
  const issued = await rows.where('owner', '=', owner).orderBy('key_index').execute();
  return issued.map(({ key_index }) => Number(key_index));
}

/** Notes that an address was given out. */
export async function issue(db: Kysely<WalletTables>, scope: string, owner: string, index: number): Promise<void> {
  const row = db.insertInto('wallet_addresses').values({ network: scope, owner, key_index: index });
  await row.onConflict((conflict) => conflict.doNothing()).execute();
}

/** 0 where only the main address was given out. */
export async function lastIssued(db: Kysely<WalletTables>, scope: string, owner: string): Promise<number> {
  return (await issuedIndices(db, scope, owner)).at(-1) ?? 0;
}

/** Keys of the addresses that were given out or paid, the main one first. */
export async function issuedKeys(
  db: Kysely<WalletTables>,
  scope: string,
  { keys, coinStore }: Opened,
): Promise<WalletKey[]> {
  const shown = new Set([0, ...(await issuedIndices(db, scope, coinStore.state.owner)), ...coinStore.used.keys()]);
  return keys.money.filter(({ index }) => shown.has(index));
}

/**
 * Gives out the address behind the highest one that ever was, and follows it from before that on.
 * @throws PlanchetError `conflict` where no block pays one of the last ones, as many as other wallets look for when they restore;
 *   `upstream-*` where another wallet has the keys
 */
export async function issueNext(
  db: Kysely<WalletTables>,
  scope: string,
  { keys, coinStore }: Opened,
): Promise<WalletKey> {
  const { owner } = coinStore.state;
  const index = Math.max(await lastIssued(db, scope, owner), highestUsed(coinStore.used)) + 1;
  if (index > highestConfirmed(coinStore.used) + GAP_LIMIT) {
    throw new PlanchetError('wallet.addresses-unused', { count: GAP_LIMIT });
  }
  await keys.prepare?.(index);
  keys.followBehind(index);
  await issue(db, scope, owner, index);
  return keys.money[index] as WalletKey;
}

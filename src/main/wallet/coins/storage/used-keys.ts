import type { Kysely } from 'kysely';
import { CHANGE_INDEX, isMoneyIndex, TOKEN_INDEX } from '../../keys/wallet-key.ts';
import type { WalletTables } from '../../tables.ts';

type Db = Kysely<WalletTables>;

/** Keys that were ever paid, by index, with the height of the first block that pays each: null while none does. */
export async function readUsedKeys(db: Db, scope: string, owner: string): Promise<Map<number, number | null>> {
  const rows = db.selectFrom('wallet_used_keys').selectAll().where('network', '=', scope).where('owner', '=', owner);
  return new Map(
    (await rows.execute()).map(({ key_index, height }) => [Number(key_index), height === null ? null : Number(height)]),
  );
}

export async function storeUsedKeys(
  db: Db,
  scope: string,
  owner: string,
  used: ReadonlyMap<number, number | null>,
): Promise<void> {
  for (const [key_index, height] of used) {
    const row = db.insertInto('wallet_used_keys').values({ network: scope, owner, key_index, height });
    await row.onConflict((other) => other.columns(['network', 'owner', 'key_index']).doUpdateSet({ height })).execute();
  }
}

/** Blocks pay none of the keys any more, whoever owns them: another chain begins. */
export async function forgetUsesOf(db: Db, scope: string): Promise<void> {
  await db.updateTable('wallet_used_keys').set({ height: null }).where('network', '=', scope).execute();
}

/** The highest index among keys that were paid, those for change among them; 0 where only the main address was. */
export function highestPaid(used: ReadonlyMap<number, number | null>): number {
  return highest(
    [...used.keys()].filter((at) => at < TOKEN_INDEX).map((at) => (isMoneyIndex(at) ? at : at - CHANGE_INDEX)),
  );
}

/** The highest index of an address that is given out among keys that were paid; 0 where only the main address was. */
export function highestUsed(used: ReadonlyMap<number, number | null>): number {
  return highest([...used.keys()].filter(isMoneyIndex));
}

/** The highest index of an address for change among keys that were paid. */
export function highestChange(used: ReadonlyMap<number, number | null>): number {
  return highest([...used.keys()].filter((at) => !isMoneyIndex(at) && at < TOKEN_INDEX).map((at) => at - CHANGE_INDEX));
}

/** Like {@link highestUsed}, of payments in blocks alone. */
export function highestConfirmed(used: ReadonlyMap<number, number | null>): number {
  return highest([...used].flatMap(([at, height]) => (isMoneyIndex(at) && height !== null ? [at] : [])));
}

function highest(indices: readonly number[]): number {
  return indices.reduce((one, other) => Math.max(one, other), 0);
}

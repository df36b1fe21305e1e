import type { Kysely } from 'kysely';
import type { WalletTables } from '../tables.ts';

/** Indices of the further addresses that were given out, in order. @param owner see `WalletState` */
export async function issuedIndices(db: Kysely<WalletTables>, scope: string, owner: string): Promise<number[]> {
  const rows = await db
    .selectFrom('wallet_addresses')
    .select('key_index')
    .where('network', '=', scope)
    .where('owner', '=', owner)
    .orderBy('key_index')
    .execute();
  return rows.map(({ key_index }) => Number(key_index));
}

/** Notes that an address was given out. */
export async function issue(db: Kysely<WalletTables>, scope: string, owner: string, index: number): Promise<void> {
  await db
    .insertInto('wallet_addresses')
    .values({ network: scope, owner, key_index: index })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** 0 where only the main address was given out. */
export async function lastIssued(db: Kysely<WalletTables>, scope: string, owner: string): Promise<number> {
  return (await issuedIndices(db, scope, owner)).at(-1) ?? 0;
}

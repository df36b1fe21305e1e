import type { Kysely } from 'kysely';
import { networkOf, type WalletTables } from '../../tables.ts';
import { keepPurpose } from '../purposes.ts';
import type { TransactionRecord } from './coin-edit.ts';

/** Writes the changed records of an edit; null removes one. */
export async function storeTransactions(
  db: Kysely<WalletTables>,
  scope: string,
  changed: ReadonlyMap<string, TransactionRecord | null>,
): Promise<void> {
  for (const [txid, record] of changed) {
    await db.deleteFrom('wallet_transactions').where('network', '=', scope).where('txid', '=', txid).execute();
    if (!record) continue;
    const { searchedFor: searched_for, ...rest } = record;
    await db
      .insertInto('wallet_transactions')
      .values({ network: scope, txid, searched_for, ...rest })
      .execute();
    const { owner, at } = record;
    if (owner !== null) await keepPurpose(db, { network: networkOf(scope), txid, owner, at });
  }
}

export async function readTransactions(
  db: Kysely<WalletTables>,
  scope: string,
): Promise<Map<string, TransactionRecord>> {
  const rows = await db.selectFrom('wallet_transactions').selectAll().where('network', '=', scope).execute();
  return new Map(
    rows.map((row) => [
      row.txid,
      {
        at: Number(row.at),
        height: row.height === null ? null : Number(row.height),
        received: Number(row.received),
        spent: Number(row.spent),
        tokens: Number(row.tokens),
        fee: row.fee === null ? null : Number(row.fee),
        owner: row.owner,
        lost: row.lost,
        searchedFor: Number(row.searched_for),
      },
    ]),
  );
}

import type { Kysely } from 'kysely';
import { formatOutpoint, parseOutpoint } from '../../../../chain/index.ts';
import type { WalletTables } from '../../tables.ts';
import type { Dispute } from './coin-edit.ts';

/** Writes what an edit changed; null removes. */
export async function storeDisputes(
  db: Kysely<WalletTables>,
  network: string,
  changed: ReadonlyMap<string, Dispute | null>,
): Promise<void> {
  for (const [outpoint, dispute] of changed) {
    const { txid, vout } = parseOutpoint(outpoint);
    const row = db.deleteFrom('wallet_disputes').where('network', '=', network);
    await row.where('txid', '=', txid).where('vout', '=', vout).execute();
    if (dispute === null) continue;
    const sources = JSON.stringify(dispute.sources);
    await db.insertInto('wallet_disputes').values({ network, txid, vout, sources, asked: dispute.of }).execute();
  }
}

/** All of an account, by outpoint. */
export async function readDisputes(db: Kysely<WalletTables>, network: string): Promise<Map<string, Dispute>> {
  const rows = await db.selectFrom('wallet_disputes').selectAll().where('network', '=', network).execute();
  return new Map(
    rows.map(({ txid, vout, sources, asked }) => [
      formatOutpoint({ txid, vout: Number(vout) }),
      { sources: JSON.parse(sources) as string[], of: Number(asked) },
    ]),
  );
}

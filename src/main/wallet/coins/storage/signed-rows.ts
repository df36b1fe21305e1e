import type { Kysely } from 'kysely';
import type { WalletTables } from '../../tables.ts';
import type { SignedSpend } from './coin-edit.ts';

/** Writes what an edit changed; null removes. */
export async function storeSigned(
  db: Kysely<WalletTables>,
  network: string,
  signed: ReadonlyMap<string, SignedSpend | null>,
): Promise<void> {
  for (const [txid, spend] of signed) {
    await db.deleteFrom('wallet_signed').where('network', '=', network).where('txid', '=', txid).execute();
    if (spend === null) continue;
    const row = { network, txid, owner: spend.owner, inputs: JSON.stringify(spend.inputs) };
    await db.insertInto('wallet_signed').values(row).execute();
  }
}

/** All of an account, by txid. */
export async function readSigned(db: Kysely<WalletTables>, network: string): Promise<Map<string, SignedSpend>> {
  const rows = await db.selectFrom('wallet_signed').selectAll().where('network', '=', network).execute();
  return new Map(rows.map(({ txid, owner, inputs }) => [txid, { owner, inputs: JSON.parse(inputs) as string[] }]));
}

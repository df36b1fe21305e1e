import type { Kysely } from 'kysely';
import type { Network, WalletCoin } from '../../../contract/index.ts';
import type { WalletTables } from '../tables.ts';

/** What a transaction was made for, where amounts do not tell it. */
export type Purpose = WalletTables['wallet_purposes']['purpose'];

/** What a reservation is for, by the name of its owner. Mints use the bare id of their job. */
export function purposeOfOwner(owner: string | undefined): WalletCoin['lockedBy'] {
  if (owner === undefined) return null;
  for (const purpose of ['token', 'writer', 'send'] as const) if (owner.startsWith(purpose)) return purpose;
  return 'mint';
}

/** Keeps what a transaction was made for, also once all else about it is read anew from the chain. What is known stays. */
export async function keepPurpose(
  db: Kysely<WalletTables>,
  row: { network: Network; txid: string; owner: string; at: number },
): Promise<void> {
  const purpose = purposeOfOwner(row.owner);
  if (purpose === null || purpose === 'send') return;
  const { network, txid, at } = row;
  await restorePurposes(db, network, [{ txid, purpose, at }]);
}

/** The purposes by transaction. @param newest how many at most, the newest ones */
export async function readPurposes(
  db: Kysely<WalletTables>,
  network: Network,
  newest?: number,
): Promise<Map<string, { purpose: Purpose; at: number }>> {
  const all = db.selectFrom('wallet_purposes').selectAll().where('network', '=', network).orderBy('at', 'desc');
  const rows = await (newest === undefined ? all : all.limit(newest)).execute();
  return new Map(rows.map(({ txid, purpose, at }) => [txid, { purpose, at: Number(at) }]));
}

/** Writes purposes of transactions that have none. */
export async function restorePurposes(
  db: Kysely<WalletTables>,
  network: Network,
  purposes: readonly { txid: string; purpose: Purpose; at: number }[],
): Promise<void> {
  for (const { txid, purpose, at } of purposes) {
    const row = db.insertInto('wallet_purposes').values({ network, txid, purpose, at });
    await row.onConflict((conflict) => conflict.doNothing()).execute();
  }
}

import type { LedgerRow, MintJob, MintState, Network } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { metadataOf } from '../projects/items.ts';
import type { StudioTables } from '../tables.ts';

type Proof = NonNullable<MintJob['proof']>;

/** Columns of the CSV form, in order. */
const COLUMNS = [
  'item',
  'fileName',
  'fileHash',
  'contentType',
  'bytes',
  'state',
  'outpoint',
  'txid',
  'blockHash',
  'blockHeight',
  'proof',
  'fee',
] as const satisfies readonly (keyof LedgerRow)[];

/** Every item of a project in its order, with its transaction, block, proof and share of the fee. */
export async function ledgerRows(
  { network, store }: { network: Network; store: Store<StudioTables> },
  projectUid: string,
): Promise<LedgerRow[]> {
  const rows = await store.db
    .selectFrom('studio_items')
    .leftJoin('studio_jobs', 'studio_jobs.id', 'studio_items.job_id')
    .selectAll('studio_items')
    .select(['studio_jobs.block_hash', 'studio_jobs.block_height', 'studio_jobs.proof', 'studio_jobs.fee'])
    .where('studio_items.network', '=', network)
    .where('studio_items.project_uid', '=', projectUid)
    .orderBy('studio_items.position')
    .execute();
  const perTx = new Map<string, number>();
  for (const { txid } of rows) if (txid !== null) perTx.set(txid, (perTx.get(txid) ?? 0) + 1);
  const proofs = new Map<string, LedgerRow['proof']>();
  const given = new Map<string, number>();
  return rows.map((row): LedgerRow => {
    const { txid } = row;
    const signed = txid !== null;
    if (signed && row.proof !== null && !proofs.has(txid))
      proofs.set(txid, tscOf(txid, JSON.parse(row.proof) as Proof));
    const place = signed ? (given.get(txid) ?? 0) : 0;
    if (signed) given.set(txid, place + 1);
    return {
      item: metadataOf(row).name,
      itemId: row.id,
      subType: row.sub_type,
      fileName: row.file_name,
      fileHash: row.sha256,
      contentType: row.content_type,
      bytes: Number(row.bytes),
      state: row.state as MintState,
      outpoint: signed ? `${txid}_${row.vout}` : null,
      txid,
      blockHash: signed ? row.block_hash : null,
      blockHeight: signed ? row.block_height : null,
      proof: signed ? (proofs.get(txid) ?? null) : null,
      fee: signed && row.fee !== null ? shareOf(Number(row.fee), place, perTx.get(txid) ?? 1) : null,
    };
  });
}

/** The ledger as CSV (RFC 4180): the proof as JSON in its column. */
export function ledgerCsv(rows: readonly LedgerRow[]): string {
  const lines = rows.map((row) =>
    COLUMNS.map((column) => {
      const value = row[column];
      if (value === null) return '';
      return csvField(typeof value === 'object' ? JSON.stringify(value) : value);
    }),
  );
  return [COLUMNS.join(','), ...lines.map((line) => line.join(',')), ''].join('\r\n');
}

/** Whole satoshis whose sum over all places is the fee: the first ones carry what does not divide. */
function shareOf(fee: number, place: number, count: number): number {
  return Math.floor(fee / count) + (place < fee % count ? 1 : 0);
}

/** A spreadsheet would run text that begins like a formula; an apostrophe in front makes it text. */
function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function tscOf(txid: string, { index, header, nodes }: Proof): NonNullable<LedgerRow['proof']> {
  return { index, txOrId: txid, targetType: 'header', target: header, nodes };
}

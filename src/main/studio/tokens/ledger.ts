import type { LedgerRow, MintJob, MintState } from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import type { StudioParts } from '../parts.ts';
import { metadataOf } from '../projects/item-rows.ts';

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

type LedgerSource = Pick<StudioParts, 'network' | 'store'>;

/**
 * Items of a project in its order, with transaction, block, proof and share of the fee.
 * @param page which of them; all where it is left out
 */
export async function ledgerRows(
  source: LedgerSource,
  projectUid: string,
  page?: { offset: number; limit: number },
): Promise<LedgerRow[]> {
  const { network, store } = source;
  const query = store.db
    .selectFrom('studio_items')
    .leftJoin('studio_jobs', 'studio_jobs.id', 'studio_items.job_id')
    .selectAll('studio_items')
    .select(['studio_jobs.block_hash', 'studio_jobs.block_height', 'studio_jobs.proof', 'studio_jobs.fee'])
    .where('studio_items.network', '=', network)
    .where('studio_items.project_uid', '=', projectUid)
    .orderBy('studio_items.position');
  const rows = await (page === undefined ? query : query.limit(page.limit).offset(page.offset)).execute();
  const txids = [...new Set(rows.flatMap(({ txid }) => txid ?? []))];
  const places = await placesOf(source, projectUid, txids);
  const proofs = new Map<string, LedgerRow['proof']>();
  return rows.map((row): LedgerRow => {
    const { txid } = row;
    const signed = txid !== null;
    if (signed && row.proof !== null && !proofs.has(txid))
      proofs.set(txid, tscOf(txid, JSON.parse(row.proof) as Proof));
    const { place, count } = places.get(row.id) ?? { place: 0, count: 1 };
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
      fee: signed && row.fee !== null ? shareOf(Number(row.fee), place, count) : null,
    };
  });
}

export async function ledgerLength({ network, store }: LedgerSource, projectUid: string): Promise<number> {
  const { items } = await store.db
    .selectFrom('studio_items')
    .select(({ fn }) => fn.countAll().as('items'))
    .where('network', '=', network)
    .where('project_uid', '=', projectUid)
    .executeTakeFirstOrThrow();
  return Number(items);
}

/** Transactions that one query names: SQLite takes a limited number of values. */
const NAMED_AT_ONCE = 500;

/** The place of each item among those of its transaction, in the order of the project, and how many these are. By item id. */
async function placesOf(
  { network, store }: LedgerSource,
  projectUid: string,
  txids: readonly string[],
): Promise<Map<string, { place: number; count: number }>> {
  const places = new Map<string, { place: number; count: number }>();
  for (const some of chunks(txids, NAMED_AT_ONCE)) {
    const rows = await store.db
      .selectFrom('studio_items')
      .select(['id', 'txid'])
      .where('network', '=', network)
      .where('project_uid', '=', projectUid)
      .where('txid', 'in', some)
      .orderBy('position')
      .execute();
    for (const items of Map.groupBy(rows, ({ txid }) => txid).values())
      for (const [place, { id }] of items.entries()) places.set(id, { place, count: items.length });
  }
  return places;
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

/** Whole satoshis whose sum over all places is the fee: the first places get the remainder. */
function shareOf(fee: number, place: number, count: number): number {
  return Math.floor(fee / count) + (place < fee % count ? 1 : 0);
}

/** Spreadsheets run text that begins like a formula; a leading apostrophe prevents that. */
function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function tscOf(txid: string, { index, header, nodes }: Proof): NonNullable<LedgerRow['proof']> {
  return { index, txOrId: txid, targetType: 'header', target: header, nodes };
}

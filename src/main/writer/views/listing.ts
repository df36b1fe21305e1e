import { type SqlBool, sql } from 'kysely';
import type { Failure, WriterDocumentView } from '../../../contract/index.ts';
import type { WriteQueue } from '../queue/queue.ts';
import { type DocumentRow, firstIdAt, type TransactionRow } from '../storage/document.ts';
import { among } from '../storage/sql-lists.ts';
import type { WriteState } from '../storage/tables.ts';

export interface ListQuery {
  readonly keyIds: readonly string[];
  /** Bytes of the tag, hex. */
  readonly tag?: string | undefined;
  readonly state?: WriteState | undefined;
  /** Accepted at this time (ms) or later. */
  readonly since?: number | undefined;
  /** Id of the last document of the page before. */
  readonly cursor?: string | undefined;
  readonly order: 'asc' | 'desc';
  /** From 1 to 1,000. */
  readonly limit: number;
}

export type DocumentView = Omit<WriterDocumentView, 'canRetry'>;

/** A page of documents, found through an index whatever the filter, so that it takes as long over ten million rows as over ten. */
export async function listDocuments(
  queue: WriteQueue,
  query: ListQuery,
): Promise<{ documents: DocumentView[]; next: string | null }> {
  const pages = await Promise.all(query.keyIds.map((keyId) => pageOf(queue, keyId, query)));
  const rows = pages
    .flat()
    .sort((a, b) => (a.id < b.id === (query.order === 'asc') ? -1 : 1))
    .slice(0, query.limit + 1);
  const page = rows.slice(0, query.limit);
  const transactions = await transactionsOf(queue, page);
  return {
    documents: page.map((row) => viewOf(row, transactions.get(row.transaction_id ?? ''))),
    next: rows.length > query.limit ? (page.at(-1)?.id ?? null) : null,
  };
}

function pageOf(queue: WriteQueue, keyId: string, query: ListQuery): Promise<DocumentRow[]> {
  const { tag, state, since, cursor, order, limit } = query;
  let select = queue.db.selectFrom('writer_documents').selectAll().where('key_id', '=', keyId);
  if (tag !== undefined) select = select.where('tag', '=', tag).where(sql<SqlBool>`tag is not null`);
  if (state !== undefined) select = select.where('state', '=', state);
  if (since !== undefined) select = select.where('id', '>=', firstIdAt(since));
  if (cursor !== undefined) select = select.where('id', order === 'asc' ? '>' : '<', cursor);
  return select
    .orderBy('id', order)
    .limit(limit + 1)
    .execute();
}

/** The transactions of some documents, without their bytes. */
async function transactionsOf(queue: WriteQueue, rows: readonly DocumentRow[]): Promise<Map<string, TransactionPart>> {
  const ids = [...new Set(rows.flatMap(({ transaction_id: id }) => (id === null ? [] : [id])))];
  if (ids.length === 0) return new Map();
  const found = await queue.db
    .selectFrom('writer_transactions')
    .select(['id', 'txid', 'state', 'fee', 'documents', 'next_attempt_at', 'block_hash', 'block_height'])
    .where(among(queue.dialect, 'id', ids))
    .execute();
  return new Map(found.map((row) => [row.id, row]));
}

export type TransactionPart = Pick<
  TransactionRow,
  'id' | 'txid' | 'state' | 'fee' | 'documents' | 'next_attempt_at' | 'block_hash' | 'block_height'
>;

/** The last reason as an entry of the catalogue. */
function failureOf({ last_failure }: Pick<DocumentRow, 'last_failure'>): Failure | null {
  return last_failure === null ? null : (JSON.parse(last_failure) as Failure);
}

/** Until a miner has it, each step is tried again; whoever has it in hand says when. */
const tried: ReadonlySet<WriteState> = new Set(['accepted', 'funded', 'signed']);

function nextAttemptOf(row: DocumentRow, transaction: TransactionPart | undefined): string | null {
  if (row.last_error === null || !tried.has(row.state)) return null;
  return new Date(Number((transaction ?? row).next_attempt_at)).toISOString();
}

/** What callers see of a document. */
export function viewOf(row: DocumentRow, transaction: TransactionPart | undefined): DocumentView {
  // Unsigned, it has another txid than the one it will have.
  const txid = transaction === undefined || transaction.state === 'funded' ? null : transaction.txid;
  return {
    id: row.id,
    keyId: row.key_id,
    state: row.state,
    txid,
    vout: row.vout,
    tag: row.tag === null ? null : Buffer.from(row.tag, 'hex').toString('utf8'),
    contentType: row.content_type,
    bytes: row.body_bytes,
    fee: transaction === undefined ? null : Math.ceil(transaction.fee / Math.max(1, transaction.documents)),
    attempts: row.attempts,
    nextAttemptAt: nextAttemptOf(row, transaction),
    reason: row.last_error,
    failure: failureOf(row),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
    blockHash: transaction?.block_hash ?? null,
    blockHeight: transaction?.block_height ?? null,
  };
}

/** When a document entered its states, as far as it came. */
export function timelineOf(
  row: DocumentRow,
  transaction: TransactionRow | undefined,
): { state: WriteState; at: number }[] {
  const steps: [WriteState, number | null | undefined][] = [
    ['accepted', row.created_at],
    ['funded', transaction?.funded_at],
    ['signed', transaction?.signed_at],
    ['submitted', transaction?.submitted_at],
    ['seen', transaction?.seen_at],
    ['mined', transaction?.mined_at],
    ['proven', transaction?.proven_at],
    ['dead', row.state === 'dead' ? row.updated_at : undefined],
  ];
  return steps.flatMap(([state, at]) => (at == null ? [] : [{ state, at }]));
}

import { type SqlBool, sql, type Transaction } from 'kysely';
import type { DocumentRow } from '../storage/document.ts';
import { among, withoutKeyOr } from '../storage/sql-lists.ts';
import type { WriterTables } from '../storage/tables.ts';
import type { WriteQueue } from './queue.ts';

const open = {
  accepted: 'writer_documents',
  funded: 'writer_transactions',
  signed: 'writer_transactions',
} as const;
type OpenState = keyof typeof open;

/** Documents that are looked through for shorter ones: a few milliseconds' work. */
const LOOKED_THROUGH = 2_000;

/** Which accepted documents are wanted. */
interface Wanted {
  /** The sum of their bodies ends the list. */
  readonly maxBytes?: number;
  /** Of these API keys alone; of any where left out. */
  readonly keyIds?: readonly string[] | undefined;
  /** With so many bytes at most, tag and content type included, among the oldest {@link LOOKED_THROUGH}; with any where left out. */
  readonly mostData?: number | undefined;
}

/** The oldest accepted documents that are due, locked until the transaction ends so that no other process takes them too. */
export async function lockAccepted(
  queue: Pick<WriteQueue, 'network' | 'dialect' | 'clock' | 'abandoned'>,
  db: Transaction<WriterTables>,
  limit: number,
  { maxBytes = Number.MAX_SAFE_INTEGER, keyIds, mostData }: Wanted = {},
): Promise<DocumentRow[]> {
  const { network, dialect, clock, abandoned } = queue;
  const due = db
    .selectFrom('writer_documents')
    .where('network', '=', network)
    .where('state', '=', 'accepted')
    .where(sql<SqlBool>`state <> 'proven'`)
    .where(abandoned.orDue('accepted', clock.now()))
    .$if(keyIds !== undefined, (query) => query.where(among(dialect, 'key_id', keyIds ?? [])))
    .orderBy('next_attempt_at')
    .orderBy('id');
  const rows = await due
    .selectAll()
    .$if(mostData !== undefined, (query) =>
      query
        .where(sql<SqlBool>`body_bytes + coalesce(length(tag), 0) / 2 + length(content_type) <= ${mostData}`)
        .where('id', 'in', due.select('id').limit(LOOKED_THROUGH)),
    )
    .limit(limit)
    .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked())
    .execute();
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.body_bytes;
    return index > 0 && bytes > maxBytes;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

/**
 * When the next accepted document, or the next transaction to be signed or sent, is due.
 * @param keyIds leaves out what is written under other API keys; nothing where left out
 * @returns milliseconds since 1970, undefined where none waits
 */
export async function nextDueAt(
  queue: WriteQueue,
  state: OpenState,
  keyIds?: readonly string[],
): Promise<number | undefined> {
  const row = await queue.db
    .selectFrom(open[state])
    .select('next_attempt_at')
    .where('network', '=', queue.network)
    .where('state', '=', state as never)
    .where(sql<SqlBool>`state <> 'proven'`)
    .$if(keyIds !== undefined, (query) => query.where(withoutKeyOr(queue.dialect, keyIds ?? [])))
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at;
}

/**
 * Whether work under other API keys than these has been due for so long without anybody taking it.
 * @param forMs milliseconds
 */
export async function isAnyLeft(queue: WriteQueue, keyIds: readonly string[], forMs: number): Promise<boolean> {
  for (const [state, table] of Object.entries(open)) {
    const row = await queue.db
      .selectFrom(table)
      .select('id')
      .where('network', '=', queue.network)
      .where('state', '=', state as never)
      .where(sql<SqlBool>`state <> 'proven'`)
      .where('next_attempt_at', '<=', queue.clock.now() - forMs)
      .where(sql<SqlBool>`not ${withoutKeyOr(queue.dialect, keyIds)}`)
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}

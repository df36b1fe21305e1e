import { type SqlBool, sql, type Transaction } from 'kysely';
import type { Network } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DocumentRow } from '../storage/document.ts';
import { among } from '../storage/sql-lists.ts';
import type { Dialect, WriterTables } from '../storage/tables.ts';
import type { AbandonedClaims } from './abandoned-claims.ts';

/** Documents that are looked through for shorter ones: a few milliseconds' work. */
const LOOKED_THROUGH = 2_000;

interface Wanted {
  /** The sum of their bodies ends the list. */
  readonly maxBytes?: number;
  /** Of these API keys alone; of any where left out. */
  readonly keyIds?: readonly string[] | undefined;
  /** With so many bytes at most, tag and content type included, among the oldest {@link LOOKED_THROUGH}; with any where left out. */
  readonly mostData?: number | undefined;
}

interface Journal {
  readonly network: Network;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly abandoned: AbandonedClaims;
}

/** The oldest accepted documents that are due, locked until the transaction ends so that no other process takes them too. */
export async function lockAccepted(
  queue: Journal,
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

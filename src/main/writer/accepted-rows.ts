import type Database from 'better-sqlite3';
import type { Kysely, Transaction } from 'kysely';
import type { DocumentRow } from './document.ts';
import { documentColumns, RowInsert, usageColumns } from './row-insert.ts';
import type { WriterTables } from './tables.ts';
import type { AtOnce, WriterStore } from './writer-store.ts';

/** Documents of one commit, and what they add to the usage. */
interface AcceptedGroup {
  readonly rows: readonly DocumentRow[];
  /** Of each row, in the same order. */
  readonly bodies: readonly Uint8Array[];
  /** Sums of the rows that are new. */
  usageOf(rows: readonly DocumentRow[]): WriterTables['writer_usage'][];
}

/** The row that stands in the database for each of a group: itself, or the earlier one with the same idempotency key. */
type StoredRows = readonly DocumentRow[];

/** Stores a group in one commit that waits for the disk. @throws the database's error; nothing is stored then */
export type StoreGroup = (group: AcceptedGroup) => StoredRows | Promise<StoredRows>;

const ON_USAGE = `on conflict (network, hour, key_id, tag) do update set
  documents = writer_usage.documents + excluded.documents, bytes = writer_usage.bytes + excluded.bytes`;

export function groupStoreOf({ db, atOnce }: Pick<WriterStore, 'db' | 'atOnce'>): StoreGroup {
  return atOnce === undefined ? onPostgres(db) : onSqlite(atOnce);
}

/**
 * The transaction of a group takes a tenth of a millisecond on SQLite. The query builder's driver and its promises would take as long
 * again, so this does without.
 */
function onSqlite({ sqlite, run }: AtOnce): StoreGroup {
  // What is not named here is null.
  const document = `insert into writer_documents (id, network, key_id, idempotency_key, digest, tag, content_type, body_bytes,
    fees_required, state, attempts, next_attempt_at, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  const insert = sqlite.prepare<unknown[]>(document);
  const insertKeyed = sqlite.prepare<unknown[]>(`${document} on conflict do nothing`);
  const insertBody = sqlite.prepare<unknown[]>('insert into writer_bodies (document_id, body) values (?, ?)');
  const addUsage = sqlite.prepare<unknown[]>(
    `insert into writer_usage (network, key_id, hour, tag, documents, bytes) values (?, ?, ?, ?, ?, ?) ${ON_USAGE}`,
  );
  const earlier = sqlite.prepare<unknown[], DocumentRow>(
    'select * from writer_documents where key_id = ? and idempotency_key = ?',
  );
  const put = (row: DocumentRow): Database.RunResult =>
    (row.idempotency_key === null ? insert : insertKeyed).run(
      row.id,
      row.network,
      row.key_id,
      row.idempotency_key,
      row.digest,
      row.tag,
      row.content_type,
      row.body_bytes,
      row.fees_required,
      row.state,
      row.attempts,
      row.next_attempt_at,
      row.created_at,
      row.updated_at,
    );
  return ({ rows, bodies, usageOf }) =>
    run(() => {
      const added: DocumentRow[] = [];
      const stored = rows.map((row, index) => {
        if (put(row).changes === 0) return earlier.get(row.key_id, row.idempotency_key) as DocumentRow;
        insertBody.run(row.id, bodies[index]);
        added.push(row);
        return row;
      });
      for (const { network, key_id, hour, tag, documents, bytes } of usageOf(added)) {
        addUsage.run(network, key_id, hour, tag, documents, bytes);
      }
      return stored;
    });
}

function onPostgres(db: Kysely<WriterTables>): StoreGroup {
  const inserts = {
    documents: new RowInsert('postgres', 'writer_documents', documentColumns),
    /** Leaves out those whose idempotency key is known. */
    keyed: new RowInsert('postgres', 'writer_documents', documentColumns, 'on conflict do nothing returning id'),
    bodies: new RowInsert('postgres', 'writer_bodies', ['document_id', 'body']),
    usage: new RowInsert('postgres', 'writer_usage', usageColumns, ON_USAGE),
  };
  const store = async (tx: Transaction<WriterTables>, { rows, bodies, usageOf }: AcceptedGroup) => {
    let fresh = new Set(rows.map(({ id }) => id));
    if (rows.some((row) => row.idempotency_key !== null)) {
      fresh = new Set((await inserts.keyed.run<{ id: string }>(tx, rows)).map(({ id }) => id));
    } else await inserts.documents.run(tx, rows);
    const added = rows.filter(({ id }) => fresh.has(id));
    if (added.length > 0) {
      await inserts.bodies.run(
        tx,
        rows.flatMap(({ id }, index) =>
          fresh.has(id) ? [{ document_id: id, body: bodies[index] as Uint8Array }] : [],
        ),
      );
      await inserts.usage.run(tx, usageOf(added));
    }
    const stored: DocumentRow[] = [];
    for (const row of rows) stored.push(fresh.has(row.id) ? row : await earlierOf(tx, row));
    return stored;
  };
  return (group) => db.transaction().execute((tx) => store(tx, group));
}

function earlierOf(db: Transaction<WriterTables>, row: DocumentRow): Promise<DocumentRow> {
  return db
    .selectFrom('writer_documents')
    .selectAll()
    .where('key_id', '=', row.key_id)
    .where('idempotency_key', '=', row.idempotency_key)
    .executeTakeFirstOrThrow();
}

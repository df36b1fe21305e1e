import type { Kysely, Transaction } from 'kysely';
import type { DocumentRow } from './document.ts';
import { RowInsert } from './row-insert.ts';
import type { WriterTables } from './tables.ts';

/** A document that is taken in, and where it counts in the usage. */
export interface AcceptedDocument {
  readonly row: DocumentRow;
  readonly body: Uint8Array;
  /** When the hour began, in milliseconds. */
  readonly countedHour: number;
  readonly countedTag: string;
}

/** Documents of one commit. */
export type AcceptedGroup = readonly AcceptedDocument[];

/** The row that stands in the database for each of a group: itself, or the earlier one with the same idempotency key. */
export type StoredRows = readonly DocumentRow[];

/** Stores a group in one commit that waits for the disk. @throws the database's error; nothing is stored then */
export type StoreGroup = (group: AcceptedGroup) => StoredRows | Promise<StoredRows>;

export const ON_USAGE = `on conflict (network, hour, key_id, tag) do update set
  documents = writer_usage.documents + excluded.documents, bytes = writer_usage.bytes + excluded.bytes`;

export interface DocumentStore {
  readonly db: Kysely<WriterTables>;
  /** Where the database is a file of this process: stores a group without the query builder, which takes longer than the write itself. */
  readonly storeGroup?: StoreGroup;
}

/** @returns how groups of documents are stored in PostgreSQL */
export function onPostgres(db: Kysely<WriterTables>): StoreGroup {
  const inserts = {
    documents: new RowInsert('postgres', 'writer_documents'),
    /** Leaves out those whose idempotency key is known. */
    keyed: new RowInsert('postgres', 'writer_documents', 'on conflict do nothing returning id'),
    bodies: new RowInsert('postgres', 'writer_bodies'),
    usage: new RowInsert('postgres', 'writer_usage', ON_USAGE),
  };
  const store = async (tx: Transaction<WriterTables>, group: AcceptedGroup) => {
    const rows = group.map(({ row }) => row);
    let fresh = new Set(rows.map(({ id }) => id));
    if (rows.some((row) => row.idempotency_key !== null)) {
      fresh = new Set((await inserts.keyed.run<{ id: string }>(tx, rows)).map(({ id }) => id));
    } else await inserts.documents.run(tx, rows);
    const added = group.filter(({ row }) => fresh.has(row.id));
    if (added.length > 0) {
      const bodies = added.map(({ row, body }) => ({ document_id: row.id, body }));
      await inserts.bodies.run(tx, bodies);
      await inserts.usage.run(tx, usageOf(added));
    }
    const stored: DocumentRow[] = [];
    for (const row of rows) stored.push(fresh.has(row.id) ? row : await earlierOf(tx, row));
    return stored;
  };
  return (group) => db.transaction().execute((tx) => store(tx, group));
}

function usageOf(group: AcceptedGroup): WriterTables['writer_usage'][] {
  const sums = new Map<string, WriterTables['writer_usage']>();
  for (const { row, countedHour: hour, countedTag: tag } of group) {
    const name = `${row.key_id} ${hour} ${tag}`;
    const sum = sums.get(name) ?? { network: row.network, key_id: row.key_id, hour, tag, documents: 0, bytes: 0 };
    sum.documents += 1;
    sum.bytes += row.body_bytes;
    sums.set(name, sum);
  }
  // In one order everywhere, so that processes that count at the same time do not wait for each other in a circle.
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

function earlierOf(db: Transaction<WriterTables>, row: DocumentRow): Promise<DocumentRow> {
  return db
    .selectFrom('writer_documents')
    .selectAll()
    .where('key_id', '=', row.key_id)
    .where('idempotency_key', '=', row.idempotency_key)
    .executeTakeFirstOrThrow();
}

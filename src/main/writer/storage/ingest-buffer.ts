import type Database from 'better-sqlite3';
import { type AcceptedGroup, ON_USAGE, type StoredRows } from './accepted-documents.ts';
import type { DocumentRow } from './document.ts';

/** Larger groups are moved on in the commit that takes them in: what each of them would save is little, and it would be written twice. */
const SMALL_GROUP = 16;
const SMALL_GROUP_BYTES = 65_536;

/**
 * Holds newly accepted documents in the built-in database: a table without indexes, so that a commit a client waits for writes two or three
 * pages instead of ten. Before anything else reads the database, they are flushed together into the tables that everything else reads.
 */
export class IngestBuffer {
  readonly #add: Database.Statement<unknown[]>;
  readonly #known: Database.Statement<unknown[], DocumentRow>;
  readonly #count: Database.Statement<[], number>;
  readonly #moves: readonly Database.Statement<[]>[];
  #waiting: number;

  /** @param sqlite brought to its newest migration */
  constructor(sqlite: Database.Database) {
    this.#add = sqlite.prepare<
      unknown[]
    >(`insert into writer_ingest (id, network, key_id, idempotency_key, digest, tag, content_type,
      fees_required, created_at, counted_hour, counted_tag, body) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`);
    this.#known = sqlite.prepare('select * from writer_documents where key_id = ? and idempotency_key = ?');
    this.#count = sqlite.prepare<[], number>('select count(*) from writer_ingest').pluck();
    this.#moves = [
      `insert into writer_documents (id, network, key_id, idempotency_key, digest, tag, content_type, body_bytes, fees_required,
        state, attempts, next_attempt_at, created_at, updated_at)
        select id, network, key_id, idempotency_key, digest, tag, content_type, length(body), fees_required,
        'accepted', 0, created_at, created_at, created_at from writer_ingest`,
      'insert into writer_bodies (document_id, body) select id, body from writer_ingest',
      // The upsert is told apart from a join by its where clause.
      `insert into writer_usage (network, key_id, hour, tag, documents, bytes)
        select network, key_id, counted_hour, counted_tag, count(*), sum(length(body)) from writer_ingest where true
        group by network, key_id, counted_hour, counted_tag ${ON_USAGE}`,
      'delete from writer_ingest',
    ].map((text) => sqlite.prepare<[]>(text));
    this.#waiting = this.#count.get() ?? 0;
  }

  /** Documents that are not in the tables yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a group in, as a part of a transaction. @throws the database's error */
  add(group: AcceptedGroup): StoredRows {
    const stored = group.map(({ row, body, countedHour, countedTag }) => {
      const keyed = row.idempotency_key !== null;
      const earlier = keyed ? this.#known.get(row.key_id, row.idempotency_key) : undefined;
      if (earlier !== undefined) return earlier;
      const { changes } = this.#add.run(
        row.id,
        row.network,
        row.key_id,
        row.idempotency_key,
        row.digest,
        row.tag,
        row.content_type,
        row.fees_required,
        row.created_at,
        countedHour,
        countedTag,
        body,
      );
      this.#waiting += changes;
      if (changes > 0) return row;
      this.flush();
      return this.#known.get(row.key_id, row.idempotency_key) as DocumentRow;
    });
    const bytes = group.reduce((sum, { body }) => sum + body.length, 0);
    if (group.length > SMALL_GROUP || bytes > SMALL_GROUP_BYTES) this.flush();
    return stored;
  }

  /** Moves all that wait into the tables, as a part of a transaction. @throws the database's error */
  flush(): void {
    for (const move of this.#moves) move.run();
    this.#waiting = 0;
  }

  /** After a transaction that was undone. */
  recount(): void {
    this.#waiting = this.#count.get() ?? 0;
  }
}

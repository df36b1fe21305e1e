import type Database from 'better-sqlite3';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { PlanchetError } from '../../../contract/index.ts';
import { endsWithin } from '../../clock.ts';
import type { Store } from '../../ports/store.ts';
import { isOfNewerProgram, openStore, type SqliteStore } from '../../store/store.ts';
import type { DocumentStore } from './accepted-documents.ts';
import { IngestBuffer } from './ingest-buffer.ts';
import { type Dialect, type WriterTables, writerMigrations } from './tables.ts';

/** So many documents are moved on from the buffer, should nothing have read the tables by then: half a millisecond's work. */
const FLUSH_AT = 32;
/** A connection that stands still inside a transaction for so long is cut by the server: a paused process then holds no rows. */
const PAUSED_TRANSACTION_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** How long work that still holds a connection may go on when the store is closed. */
const CLOSE_GRACE_MS = 1_000;
const POOL_SIZE = 8;
/** Type number of PostgreSQL's 64-bit integers, which arrive as text otherwise. */
const INT8 = 20;
const NUMERIC = 1700;

export interface WriterStore extends Store<WriterTables>, DocumentStore {
  readonly db: Kysely<WriterTables>;
  readonly dialect: Dialect;
  /**
   * A transaction that is on the disk with the next one that waits for the disk: for what can be found out again where a power cut takes
   * it back. The death of the process alone takes nothing back.
   */
  relaxed<T>(work: (db: Transaction<WriterTables>) => Promise<T>): Promise<T>;
  readonly sqlite?: Database.Database;
}

/**
 * Opens the queue's database: a SQLite file of its own, or PostgreSQL where an address is given, so that several processes can share it.
 * @param databaseUrl setting of this name: empty, or `postgres://user:password@host:port/database`
 * @param pausedTransactionMs how long a transaction on PostgreSQL may stand still before the server cuts it
 * @throws PlanchetError `store-failed`, `disk-full`, `settings-invalid`
 */
export async function openWriterStore(
  file: string,
  databaseUrl: string,
  pausedTransactionMs = PAUSED_TRANSACTION_MS,
): Promise<WriterStore> {
  if (databaseUrl === '') {
    const store = await openStore<WriterTables>({ file, migrations: writerMigrations('sqlite'), synchronous: 'full' });
    return onSqlite(store);
  }
  if (!/^postgres(?:ql)?:\/\//.test(databaseUrl)) throw new PlanchetError('writer.database-address');
  return openPostgres(databaseUrl, pausedTransactionMs);
}

function onSqlite({ db, sqlite, requirePresent, beforeEachUse, close }: SqliteStore<WriterTables>): WriterStore {
  const [begin, commit, rollback] = ['begin immediate', 'commit', 'rollback'].map((text) => sqlite.prepare(text)) as [
    Database.Statement,
    Database.Statement,
    Database.Statement,
  ];
  const buffer = new IngestBuffer(sqlite);
  /** Relaxed transactions under way: between their statements the connection does not wait for the disk. */
  let relaxing = 0;
  const inTransaction = <T>(work: () => T): T => {
    requirePresent();
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // On a full disk SQLite ends the transaction by itself.
      if (sqlite.inTransaction) rollback.run();
      buffer.recount();
      throw error;
    }
  };
  const isFree = (): boolean => !sqlite.inTransaction && relaxing === 0;
  const flush = (): void => {
    if (buffer.waiting === 0) return;
    sqlite.pragma('synchronous = normal');
    try {
      inTransaction(() => buffer.flush());
    } finally {
      sqlite.pragma('synchronous = full');
    }
  };
  beforeEachUse(flush);
  const flushSome = (): void => {
    if (!sqlite.open || !isFree() || buffer.waiting < FLUSH_AT) return;
    try {
      flush();
    } catch {
      // They stay where they are; whoever uses the database next hears the reason.
    }
  };
  return {
    db,
    sqlite,
    close,
    dialect: 'sqlite',
    relaxed: (work) =>
      db.connection().execute(async (connection) => {
        relaxing += 1;
        try {
          sqlite.pragma('synchronous = normal');
          return await connection.transaction().execute(work);
        } finally {
          sqlite.pragma('synchronous = full');
          relaxing -= 1;
        }
      }),
    storeGroup: (group) => {
      if (!isFree()) return db.connection().execute(async () => inTransaction(() => buffer.add(group)));
      const stored = inTransaction(() => buffer.add(group));
      if (buffer.waiting >= FLUSH_AT) setImmediate(flushSome);
      return stored;
    },
  };
}

async function openPostgres(databaseUrl: string, pausedTransactionMs: number): Promise<WriterStore> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: pausedTransactionMs,
    application_name: 'planchet',
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === INT8 || type === NUMERIC ? Number : pg.types.getTypeParser(type, format as 'text'),
    },
  });
  // A connection that breaks would end the process otherwise, also one between two statements of a transaction; whoever uses the next
  // one, or goes on with that transaction, hears of it.
  pool.on('error', () => undefined);
  const clients = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    clients.add(client);
  });
  pool.on('remove', (client) => clients.delete(client));
  const db = new Kysely<WriterTables>({ dialect: new PostgresDialect({ pool }) });
  const known = Object.fromEntries(writerMigrations('postgres').map(({ name, up }) => [name, { up }]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => known }, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await db.destroy();
    throw postgresFailure(error);
  }
  const relaxed: WriterStore['relaxed'] = (work) => db.transaction().execute(work);
  const close = async (): Promise<void> => {
    // Whoever never comes back with its connection loses it, and the server undoes what was begun on it and lets go of its locks.
    await endsWithin(db.destroy(), CLOSE_GRACE_MS);
    await Promise.all([...clients].map((client) => (client as unknown as pg.Client).end()));
  };
  return { db, dialect: 'postgres', relaxed, close };
}

/** The address holds a password, so it is not part of the message. */
function postgresFailure(error: unknown): PlanchetError {
  if (isOfNewerProgram(error)) return new PlanchetError('store.newer', { file: 'databaseUrl' }, { cause: error });
  const reason =
    error instanceof Error && error.message !== '' ? error.message : String((error as { code?: string })?.code);
  return new PlanchetError('writer.database-failed', { reason }, { cause: error });
}

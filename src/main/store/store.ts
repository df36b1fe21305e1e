import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { isDiskFull, PlanchetError } from '../../contract/index.ts';
import type { Store } from '../ports/store.ts';
import { FilePresence } from './file-presence.ts';

/** Most cached statements, and their greatest length in characters: longer ones contain lists that differ each time. */
const MAX_CACHED_STATEMENTS = 256;
const MAX_CACHED_LENGTH = 8_000;

/**
 * Pages (4 KiB) in the log before they are written into the file, which takes syncs of its own: a commit of a large transaction is many
 * hundred of them.
 */
const CHECKPOINT_PAGES = 8_000;
/** Kept of each file in this process; there are several, and the operating system keeps pages as well. */
const CACHE_KIBIBYTES = 4_000;

const OWNER_ONLY = 0o600;
/** SQLite's name of a database that has no file. */
const IN_MEMORY = ':memory:';

/** Numbered steps of one owner, in order. `name` is `<owner>-<4 digits>-<what>`, e.g. `wallet-0001-utxos`. */
export interface NamedMigration extends Migration {
  readonly name: string;
}

export interface OpenStoreOptions {
  /** Path of the SQLite file; its folder is made when missing. */
  file: string;
  migrations: readonly NamedMigration[];
  /**
   * `full` syncs every commit to the disk before it returns: for everything that can spend or has been acknowledged.
   * `normal` may lose the last commits at a power cut (never at a crash of the process), never damages the file.
   */
  synchronous?: 'full' | 'normal';
}

/** A store that also exposes its connection, for work that a query builder would slow down. */
export interface SqliteStore<Tables> extends Store<Tables> {
  /** The connection that `db` uses too. Wait for the end of a transaction that is open on it. */
  readonly sqlite: Database.Database;
  /** For who writes past `db`. See {@link FilePresence.require}. */
  requirePresent(): void;
  /**
   * Runs `work` before each use of `db`: between two transactions, while the connection is idle.
   * @param work an exception it throws fails the query that was about to run
   */
  beforeEachUse(work: () => void): void;
}

/**
 * Opens a database in WAL mode with foreign keys on and brings it to its newest migration.
 * @throws PlanchetError `store-failed` when the file cannot be opened or is newer than this program, `disk-full` when there is no room.
 */
export async function openStore<Tables>(options: OpenStoreOptions): Promise<SqliteStore<Tables>> {
  const sqlite = openFile(options);
  const dialect = new Dialect(sqlite);
  const db = new Kysely<Tables>({ dialect });
  const known = Object.fromEntries(
    options.migrations.map(({ name, up, down }) => [name, { up, ...(down ? { down } : {}) }]),
  );
  // Owners number their steps on their own, so a new step of one may sort before the last step of another.
  const migrator = new Migrator({ db, provider: { getMigrations: async () => known }, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await db.destroy();
    throw storeFailure(error, options.file);
  }
  const presence = new FilePresence(sqlite);
  dialect.beforeEachUse = () => presence.require();
  return {
    db,
    sqlite,
    requirePresent: () => presence.require(),
    beforeEachUse: (work) => {
      dialect.beforeEachUse = () => {
        presence.require();
        work();
      };
    },
    close: async () => {
      await db.destroy();
    },
  };
}

class Dialect extends SqliteDialect {
  readonly #sqlite: Database.Database;
  beforeEachUse: () => void = () => undefined;

  constructor(sqlite: Database.Database) {
    super({ database: sqlite });
    this.#sqlite = sqlite;
  }

  override createDriver(): Driver {
    return new TransactionDriver(this.#sqlite, () => this.beforeEachUse());
  }
}

class TransactionDriver extends SqliteDriver {
  readonly #sqlite: Database.Database;
  readonly #beforeEachUse: () => void;

  constructor(sqlite: Database.Database, beforeEachUse: () => void) {
    super({ database: cachingStatements(sqlite) });
    this.#sqlite = sqlite;
    this.#beforeEachUse = beforeEachUse;
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    try {
      this.#beforeEachUse();
    } catch (error) {
      // Thrown from here, it would leave the query builder's lock on the connection for ever.
      return Promise.resolve(failing(error));
    }
    return super.acquireConnection();
  }

  /** On a full disk SQLite ends the transaction by itself; a second rollback would hide the reason behind an error of its own. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.inTransaction) await super.rollbackTransaction(connection);
  }
}

function failing(error: unknown): DatabaseConnection {
  return {
    executeQuery: () => Promise.reject(error),
    // biome-ignore lint/correctness/useYield: it fails before there is a row
    async *streamQuery() {
      throw error;
    },
  };
}

/** Caches prepared statements: preparing one takes as long as running it, and the same few recur. */
function cachingStatements(sqlite: Database.Database): SqliteDatabase {
  const cache = new Map<string, SqliteStatement>();
  return {
    prepare: (sql) => {
      const cached = cache.get(sql);
      if (cached !== undefined) return cached;
      const statement = sqlite.prepare(sql) as SqliteStatement;
      // SQLite carries a pragma out while it prepares it.
      if (sql.length > MAX_CACHED_LENGTH || /^pragma\b/i.test(sql)) return statement;
      const [oldest] = cache.keys();
      if (cache.size >= MAX_CACHED_STATEMENTS && oldest !== undefined) cache.delete(oldest);
      cache.set(sql, statement);
      return statement;
    },
    close: () => sqlite.close(),
  };
}

/**
 * Makes a database file that only its owner can read, or takes it from others where an earlier version made it. Its log and index are
 * treated alike; SQLite makes new ones with the mode of the file. Without effect where the system has no such modes.
 */
export function keepToOwner(file: string): void {
  if (file === IN_MEMORY) return;
  closeSync(openSync(file, 'a', OWNER_ONLY));
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(one, OWNER_ONLY);
    } catch {
      // it is not there, or the file system has no modes
    }
  }
}

function openFile({ file, synchronous }: OpenStoreOptions): Database.Database {
  let sqlite: Database.Database | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    keepToOwner(file);
    sqlite = new Database(file);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma(`synchronous = ${synchronous === 'normal' ? 'NORMAL' : 'FULL'}`);
    sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    sqlite.pragma(`cache_size = -${CACHE_KIBIBYTES}`);
    sqlite.pragma('foreign_keys = ON');
    // A change of many rows would write parts of the database to the folder of temporary files.
    sqlite.pragma('temp_store = MEMORY');
    sqlite.pragma('busy_timeout = 5000');
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw storeFailure(error, file);
  }
}

/**
 * The error for a failed database. A full disk has a message of its own, because its fix is different.
 * @param file its path; left out by whoever was handed an open database
 */
export function storeFailure(error: unknown, file?: string): PlanchetError {
  if (error instanceof PlanchetError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  if (isDiskFull(error)) {
    if (file === undefined) return new PlanchetError('general.disk-full', {}, { cause: error });
    return new PlanchetError('store.disk-full', { file }, { cause: error });
  }
  if (file === undefined) return new PlanchetError('store.failed-open', { reason }, { cause: error });
  if (isOfNewerProgram(error)) return new PlanchetError('store.newer', { file }, { cause: error });
  return new PlanchetError('store.failed', { file, reason }, { cause: error });
}

/** Whether a database could not be brought up to date because steps were done to it that this program does not know. */
export function isOfNewerProgram(error: unknown): boolean {
  return (
    error instanceof Error && /^corrupted migrations: previously executed migration .+ is missing$/.test(error.message)
  );
}

import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { GatewayStatus } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { type NamedMigration, openStore } from '../../store/store.ts';
import type { SavedTip } from '../chain/chain-view.ts';
import type { CacheEntry } from './cache-entry.ts';

/** Entries whose anchor block has this many confirmations are stored on disk too. */
const DISK_DEPTH = 6;
/** Delay before entries are written, so that one transaction writes many. */
const WRITE_AFTER_MS = 500;
/** Bytes of entries waiting to be written; further ones stay in memory only. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Size of SQLite's pages. */
const PAGE_BYTES = 4_096;
/** Size of a row besides its answer, including its two index entries. */
const ROW_BYTES = 200;
/** Memory of one entry besides its text. */
const OVERHEAD_BYTES = 300;

interface CacheTables {
  answers: { key: string; answer: string; digest: string; bytes: number; used_at: number };
  /** One row: the last known tip. */
  tip: { id: number; hash: string; height: number; confirmed_at: number };
}

const migrations: readonly NamedMigration[] = [
  {
    name: 'cache-0001-answers',
    up: async (db) => {
      await db.schema
        .createTable('answers')
        .addColumn('key', 'text', (column) => column.primaryKey())
        .addColumn('answer', 'text', (column) => column.notNull())
        .addColumn('digest', 'text', (column) => column.notNull())
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .addColumn('used_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('answers_by_use').on('answers').column('used_at').execute();
    },
  },
  {
    name: 'cache-0002-tip',
    up: async (db) => {
      await db.schema
        .createTable('tip')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('height', 'integer', (column) => column.notNull())
        .addColumn('confirmed_at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
  {
    // Entries named their anchor block `pin`. Read today, such an entry would seem valid on every chain.
    name: 'cache-0003-anchor-blocks',
    up: async (db) => {
      await db.deleteFrom('answers').execute();
    },
  },
];

export interface ResponseCacheOptions {
  memoryBytes: number;
  diskBytes: number;
  /** Path of the database; undefined for memory only. */
  file: string | undefined;
  clock: Clock;
  logger: Logger;
}

/** Answers of policy `content`, in memory and on disk, each with a limit in bytes. The least recently used are evicted first. */
export class ResponseCache {
  readonly #options: ResponseCacheOptions;
  readonly #memory: LRUCache<string, CacheEntry>;
  #store: Store<CacheTables> | undefined;
  /** Keys on disk and their bytes, so that misses cost no query. */
  readonly #onDisk = new Map<string, number>();
  #diskBytes = 0;
  #waiting = new Map<string, CacheEntry>();
  #waitingBytes = 0;
  #cancelWrite: (() => void) | undefined;
  readonly #writing = new Sequencer();
  dropped = 0;

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
    const maxSize = Math.max(1, options.memoryBytes);
    this.#memory = new LRUCache({
      maxSize,
      // one entry never replaces all others
      maxEntrySize: Math.max(1, Math.floor(maxSize / 8)),
      sizeCalculation: (entry, key) => sizeOf(key, entry),
    });
  }

  /** Opens the database. One that cannot be read is recreated; if that fails too, the cache is in memory only. */
  async open(): Promise<void> {
    const { file, diskBytes, logger } = this.#options;
    if (file === undefined || diskBytes === 0) return;
    try {
      await this.#openStore(file);
    } catch (error) {
      logger.warn({ err: error }, 'the cache on disk cannot be read and is recreated');
      for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
      await this.#openStore(file).catch((failure: unknown) => {
        logger.warn({ err: failure }, 'the cache on disk is off');
      });
    }
  }

  async close(): Promise<void> {
    this.#cancelWrite?.();
    await this.#writing.idle();
    await this.#write();
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }

  /** The tip saved last; undefined if there is none, or no database. */
  async lastTip(): Promise<SavedTip | undefined> {
    try {
      const row = await this.#store?.db.selectFrom('tip').selectAll().executeTakeFirst();
      return row && { hash: row.hash, height: row.height, confirmedAt: Number(row.confirmed_at) };
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'the last tip cannot be read from disk');
      return undefined;
    }
  }

  /** Saves the tip for the next start. Returns at once; {@link close} waits for the write. */
  saveTip({ hash, height, confirmedAt }: SavedTip): void {
    const row = { hash, height, confirmed_at: confirmedAt };
    this.#writeTip((db) =>
      db
        .insertInto('tip')
        .values({ id: 1, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute(),
    );
  }

  /** Removes the saved tip. Returns at once; {@link close} waits for the write. */
  clearTip(): void {
    this.#writeTip((db) => db.deleteFrom('tip').execute());
  }

  #writeTip(write: (db: Kysely<CacheTables>) => Promise<unknown>): void {
    void this.#writing
      .run(async () => this.#store && write(this.#store.db))
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, 'the tip cannot be written to disk'));
  }

  get(key: string): CacheEntry | undefined {
    return this.#memory.get(key);
  }

  mayBeOnDisk(key: string): boolean {
    return this.#onDisk.size > 0 && this.#onDisk.has(nameOf(key));
  }

  /** Loads an entry from the database into memory; a damaged one is deleted. */
  async load(key: string): Promise<CacheEntry | undefined> {
    const db = this.#store?.db;
    if (db === undefined) return undefined;
    const name = nameOf(key);
    try {
      const row = await db.selectFrom('answers').selectAll().where('key', '=', name).executeTakeFirst();
      if (row === undefined || digestOf(name, row.answer) !== row.digest) {
        await this.#forget(db, name);
        return undefined;
      }
      await db.updateTable('answers').set({ used_at: this.#options.clock.now() }).where('key', '=', name).execute();
      const answer = JSON.parse(row.answer) as CacheEntry;
      this.#memory.set(key, answer);
      return answer;
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'the cache on disk cannot be read');
      this.#diskBytes -= this.#onDisk.get(name) ?? 0;
      this.#onDisk.delete(name);
      return undefined;
    }
  }

  set(key: string, answer: CacheEntry): void {
    this.#memory.set(key, answer);
    const deep = answer.anchor === undefined || (answer.depth ?? 0) >= DISK_DEPTH;
    const bytes = sizeOf(key, answer);
    if (!deep || this.#store === undefined || this.#waitingBytes + bytes > MAX_WAITING_BYTES) return;
    if (bytes > this.#options.diskBytes / 8 || this.#onDisk.has(nameOf(key))) return;
    this.#waiting.set(key, answer);
    this.#waitingBytes += bytes;
    this.#cancelWrite ??= this.#options.clock.after(WRITE_AFTER_MS, () => {
      this.#cancelWrite = undefined;
      void this.#writing.run(() => this.#write());
    });
  }

  /** Removes an entry that is no longer valid. */
  drop(key: string): void {
    this.#memory.delete(key);
    this.dropped += 1;
    this.#waiting.delete(key);
    const name = nameOf(key);
    const db = this.#store?.db;
    if (db === undefined || !this.#onDisk.has(name)) return;
    void this.#writing.run(() => this.#forget(db, name)).catch(() => {});
  }

  /**
   * Removes entries whose anchor block is above a height, or has no known height.
   * @param heightOf the height of a block, for entries that do not contain it
   */
  dropAbove(fork: number, heightOf: (hash: string) => number | undefined): void {
    for (const [key, { anchor, height }] of [...this.#memory]) {
      if (anchor !== undefined && (height ?? heightOf(anchor) ?? Number.POSITIVE_INFINITY) > fork) this.drop(key);
    }
  }

  figures(): Omit<GatewayStatus['cache'], 'hits' | 'shared' | 'local' | 'misses' | 'dropped'> {
    return {
      entries: this.#memory.size,
      bytes: this.#memory.calculatedSize,
      limit: this.#options.memoryBytes,
      diskEntries: this.#onDisk.size,
      diskBytes: this.#diskBytes,
      diskLimit: this.#options.diskBytes,
    };
  }

  async #openStore(file: string): Promise<void> {
    const store = await openStore<CacheTables>({ file, migrations, synchronous: 'normal' });
    try {
      const rows = await store.db.selectFrom('answers').select(['key', 'bytes']).execute();
      for (const { key, bytes } of rows) {
        this.#onDisk.set(key, bytes);
        this.#diskBytes += bytes;
      }
      this.#store = store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting;
    const db = this.#store?.db;
    this.#waiting = new Map();
    this.#waitingBytes = 0;
    if (db === undefined || waiting.size === 0) return;
    const now = this.#options.clock.now();
    const rows = [...waiting].map(([key, kept]) => {
      const name = nameOf(key);
      const answer = JSON.stringify(kept);
      return { key: name, answer, digest: digestOf(name, answer), bytes: bytesInFile(answer), used_at: now };
    });
    try {
      await db.transaction().execute(async (tx) => {
        for (const row of rows) {
          await tx
            .insertInto('answers')
            .values(row)
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
      });
      for (const { key, bytes } of rows) {
        if (this.#onDisk.has(key)) continue;
        this.#onDisk.set(key, bytes);
        this.#diskBytes += bytes;
      }
      if (this.#diskBytes > this.#options.diskBytes) await this.#makeRoom(db);
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'the cache on disk cannot be written');
    }
  }

  async #makeRoom(db: Kysely<CacheTables>): Promise<void> {
    // Down to 90 %, so that not every write has to delete.
    let excess = this.#diskBytes - this.#options.diskBytes * 0.9;
    const oldest = await db.selectFrom('answers').select(['key', 'bytes']).orderBy('used_at').limit(10_000).execute();
    for (const { key, bytes } of oldest) {
      if (excess <= 0) break;
      await this.#forget(db, key);
      excess -= bytes;
    }
  }

  async #forget(db: Kysely<CacheTables>, name: string): Promise<void> {
    this.#diskBytes -= this.#onDisk.get(name) ?? 0;
    this.#onDisk.delete(name);
    await db.deleteFrom('answers').where('key', '=', name).execute();
  }
}

function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 24);
}

function digestOf(name: string, answer: string): string {
  return createHash('sha256').update(`${name} ${answer}`).digest('base64url');
}

/** Size of an answer in the file. A long one has its own pages, and the last page is partly empty. */
function bytesInFile({ length }: string): number {
  const bytes = length + ROW_BYTES;
  return bytes <= PAGE_BYTES / 2 ? bytes : Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

function sizeOf(key: string, { texts }: CacheEntry): number {
  return texts.reduce((sum, text) => sum + text.length, OVERHEAD_BYTES + key.length * 2);
}

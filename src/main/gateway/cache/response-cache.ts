import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import type { Clock, Logger, Store } from '../../ports.ts';
import { type NamedMigration, openStore } from '../../store/store.ts';
import type { SavedTip } from '../chain/chain-view.ts';
import type { CacheEntry } from './cache-entry.ts';

/** What is buried this deep goes to the disk as well. */
const DISK_DEPTH = 6;
/** Answers wait this long to be written together. */
const WRITE_AFTER_MS = 500;
/** Bytes that may wait to be written; more are not kept on the disk. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** SQLite's pages. */
const PAGE_BYTES = 4_096;
/** What a row takes beside its answer, with its places in two indexes. */
const ROW_BYTES = 200;
/** What one answer costs beside its text. */
const OVERHEAD_BYTES = 300;

interface CacheTables {
  answers: { key: string; answer: string; digest: string; bytes: number; used_at: number };
  /** One row: the tip as it was known last. */
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
  /** Path of the database; undefined keeps nothing on the disk. */
  file: string | undefined;
  clock: Clock;
  logger: Logger;
}

interface Held {
  readonly answer: CacheEntry;
  readonly bytes: number;
  /** Asked for since it was last looked at for leaving. */
  used: boolean;
}

/** Answers that do not change, in memory and on the disk, each under a limit in bytes; those not asked for lately go first. */
export class ResponseCache {
  readonly #options: ResponseCacheOptions;
  readonly #held = new Map<string, Held>();
  #bytes = 0;
  #store: Store<CacheTables> | undefined;
  /** What is on the disk, with its bytes, so that nothing is looked for in vain. */
  readonly #onDisk = new Map<string, number>();
  #diskBytes = 0;
  #waiting = new Map<string, CacheEntry>();
  #waitingBytes = 0;
  #cancelWrite: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  dropped = 0;

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
  }

  /** Opens the disk's part. One that cannot be used is made anew, and failing that done without: nothing in it is missed. */
  async open(): Promise<void> {
    const { file, diskBytes, logger } = this.#options;
    if (file === undefined || diskBytes === 0) return;
    try {
      await this.#openStore(file);
    } catch (error) {
      logger.warn({ err: error }, 'the cache on the disk cannot be read and is made anew');
      for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
      await this.#openStore(file).catch((failure: unknown) => {
        logger.warn({ err: failure }, 'there is no cache on the disk');
      });
    }
  }

  async close(): Promise<void> {
    this.#cancelWrite?.();
    await this.#writing;
    await this.#write();
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }

  /** The tip that was kept last; undefined where none was, or nothing is kept on the disk. */
  async lastTip(): Promise<SavedTip | undefined> {
    try {
      const row = await this.#store?.db.selectFrom('tip').selectAll().executeTakeFirst();
      return row && { hash: row.hash, height: row.height, confirmedAt: Number(row.confirmed_at) };
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'the last tip cannot be read from the disk');
      return undefined;
    }
  }

  /** Keeps the tip over a restart. Returns at once; {@link close} waits for it. */
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

  /** Forgets the tip that was kept. Returns at once; {@link close} waits for it. */
  clearTip(): void {
    this.#writeTip((db) => db.deleteFrom('tip').execute());
  }

  #writeTip(write: (db: Kysely<CacheTables>) => Promise<unknown>): void {
    this.#writing = this.#writing
      .then(() => this.#store && write(this.#store.db))
      .then(
        () => {},
        (error: unknown) => this.#options.logger.warn({ err: error }, 'the tip cannot be written to the disk'),
      );
  }

  get(key: string): CacheEntry | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    held.used = true;
    return held.answer;
  }

  /** Whether the disk may have what memory has not. */
  mayBeOnDisk(key: string): boolean {
    return this.#onDisk.size > 0 && this.#onDisk.has(nameOf(key));
  }

  /** Brings an answer back from the disk; one that was damaged there is dropped. */
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
      this.#hold(key, answer);
      return answer;
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'the cache on the disk cannot be read');
      this.#diskBytes -= this.#onDisk.get(name) ?? 0;
      this.#onDisk.delete(name);
      return undefined;
    }
  }

  set(key: string, answer: CacheEntry): void {
    this.#hold(key, answer);
    const deep = answer.anchor === undefined || (answer.depth ?? 0) >= DISK_DEPTH;
    const bytes = sizeOf(key, answer);
    if (!deep || this.#store === undefined || this.#waitingBytes + bytes > MAX_WAITING_BYTES) return;
    if (bytes > this.#options.diskBytes / 8 || this.#onDisk.has(nameOf(key))) return;
    this.#waiting.set(key, answer);
    this.#waitingBytes += bytes;
    this.#cancelWrite ??= this.#options.clock.after(WRITE_AFTER_MS, () => {
      this.#cancelWrite = undefined;
      this.#writing = this.#writing.then(() => this.#write());
    });
  }

  /** Forgets one answer that is true no more. */
  drop(key: string): void {
    this.#remove(key);
    this.dropped += 1;
    this.#waiting.delete(key);
    const name = nameOf(key);
    const db = this.#store?.db;
    if (db === undefined || !this.#onDisk.has(name)) return;
    this.#writing = this.#writing.then(() => this.#forget(db, name)).catch(() => {});
  }

  /**
   * Forgets what rests on blocks above a height, and what rests on blocks whose height is not known.
   * @param heightOf tells heights of blocks that answers do not tell
   */
  dropAbove(fork: number, heightOf: (hash: string) => number | undefined): void {
    for (const [key, { answer }] of this.#held) {
      const { anchor, height } = answer;
      if (anchor !== undefined && (height ?? heightOf(anchor) ?? Number.POSITIVE_INFINITY) > fork) this.drop(key);
    }
  }

  figures(): {
    entries: number;
    bytes: number;
    limit: number;
    diskEntries: number;
    diskBytes: number;
    diskLimit: number;
  } {
    return {
      entries: this.#held.size,
      bytes: this.#bytes,
      limit: this.#options.memoryBytes,
      diskEntries: this.#onDisk.size,
      diskBytes: this.#diskBytes,
      diskLimit: this.#options.diskBytes,
    };
  }

  #hold(key: string, answer: CacheEntry): void {
    const bytes = sizeOf(key, answer);
    this.#remove(key);
    // One answer never takes the place of all others.
    if (bytes > this.#options.memoryBytes / 8) return;
    this.#held.set(key, { answer, bytes, used: false });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#held) {
      if (this.#bytes <= this.#options.memoryBytes) return;
      this.#remove(oldest);
      if (!entry.used) continue;
      // What was asked for goes round once more; each time round it has to be asked for anew.
      entry.used = false;
      this.#held.set(oldest, entry);
      this.#bytes += entry.bytes;
    }
  }

  #remove(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    this.#bytes -= held.bytes;
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
      this.#options.logger.warn({ err: error }, 'the cache on the disk cannot be written');
    }
  }

  async #makeRoom(db: Kysely<CacheTables>): Promise<void> {
    // Down to nine tenths, so that this is not done at every write.
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

/** What an answer takes of the file: a long one has pages of its own, of which the last is not full. */
function bytesInFile({ length }: string): number {
  const bytes = length + ROW_BYTES;
  return bytes <= PAGE_BYTES / 2 ? bytes : Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}

function sizeOf(key: string, { texts }: CacheEntry): number {
  return texts.reduce((sum, text) => sum + text.length, OVERHEAD_BYTES + key.length * 2);
}

import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { isDiskFull, PlanchetError } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import { syncFolder } from '../../infrastructure/make-folder.ts';
import type { TokenTables } from '../tables.ts';

const PART = '.part';
/** Contents up to this size are rows of the database: creating a file takes longer, and one commit covers many rows. */
export const SMALL_BYTES = 16_384;

/**
 * Contents of outputs, deduplicated by SHA-256: small ones in the database, others as files. A file named by its digest is complete and
 * durable.
 */
export class ContentFiles {
  readonly #folder: string;
  readonly #sync: FolderSync;
  readonly #db: Kysely<TokenTables>;

  static async open(folder: string, db: Kysely<TokenTables>): Promise<ContentFiles> {
    await onDisk(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
    return new ContentFiles(folder, db);
  }

  private constructor(folder: string, db: Kysely<TokenTables>) {
    this.#folder = folder;
    this.#sync = new FolderSync(folder);
    this.#db = db;
  }

  /** Starts a streamed content. */
  begin(): IncomingContent {
    return new IncomingContent(this.#folder, this.#sync);
  }

  /** @throws PlanchetError `store-failed` if the file is missing */
  async read(sha256: string): Promise<Uint8Array> {
    const small = await this.#db
      .selectFrom('token_contents')
      .select('bytes')
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    if (small !== undefined) return small.bytes;
    return onDisk(this.#folder, () => readFile(join(this.#folder, sha256)));
  }

  /** Removes leftovers of a killed process, and contents that no output uses. Call it only while no content is being written. */
  async removeUnused(): Promise<void> {
    const rows = await this.#db.selectFrom('token_outputs').select('content_hash').distinct().execute();
    const used = new Set(rows.map(({ content_hash }) => content_hash));
    await this.#db
      .deleteFrom('token_contents')
      .where('sha256', 'not in', this.#db.selectFrom('token_outputs').select('content_hash'))
      .execute();
    // Syncs the write-ahead log: a power cut must not bring back an output whose file was removed.
    await sql`pragma wal_checkpoint`.execute(this.#db);
    for (const name of await readdir(this.#folder)) {
      if (!used.has(name)) await rm(join(this.#folder, name), { force: true });
    }
  }
}

/** A content that is durable once `write` is committed. */
export interface KeptContent {
  readonly sha256: string;
  write(db: Kysely<TokenTables>): Promise<void>;
}

/** A content being written to disk. It ends with {@link keep} or {@link drop}. */
export class IncomingContent {
  readonly #folder: string;
  readonly #sync: FolderSync;
  readonly #part: string;
  readonly #digest = createHash('sha256');
  #file: FileHandle | undefined;
  #bytes = 0;
  /** The complete content, as long as it is small. */
  #held: Uint8Array[] | undefined = [];

  constructor(folder: string, sync: FolderSync) {
    this.#folder = folder;
    this.#sync = sync;
    this.#part = join(folder, `${randomBytes(8).toString('hex')}${PART}`);
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws PlanchetError `disk-full` | `store-failed` */
  async write(piece: Uint8Array): Promise<void> {
    this.#digest.update(piece);
    this.#bytes += piece.length;
    if (this.#held !== undefined && this.#bytes <= SMALL_BYTES) {
      this.#held.push(piece);
      return;
    }
    const pieces = [...(this.#held ?? []), piece];
    this.#held = undefined;
    await onDisk(this.#folder, async () => {
      this.#file ??= await open(this.#part, 'wx', 0o600);
      for (const bytes of pieces) await this.#file.writeFile(bytes);
    });
  }

  /**
   * Makes a large content durable. A duplicate is not stored again.
   * @returns its SHA-256 in hex, and a function that writes a small content together with its output
   * @throws PlanchetError `disk-full` | `store-failed`
   */
  async keep(): Promise<KeptContent> {
    const sha256 = this.#digest.digest('hex');
    const held = this.#held;
    if (held === undefined) await this.#keepFile(sha256);
    return {
      sha256,
      write: async (db) => {
        if (held === undefined) return;
        const row = { sha256, bytes: Buffer.concat(held) };
        await db
          .insertInto('token_contents')
          .values(row)
          .onConflict((conflict) => conflict.column('sha256').doNothing())
          .execute();
      },
    };
  }

  async #keepFile(sha256: string): Promise<void> {
    const path = join(this.#folder, sha256);
    if ((await stat(path).catch(() => undefined))?.size === this.#bytes) {
      await this.drop();
      return;
    }
    await onDisk(this.#folder, async () => {
      await this.#file?.sync();
      await this.#close();
      await rename(this.#part, path);
      await this.#sync.sync();
    });
  }

  /** Discards it, unless it was kept. */
  async drop(): Promise<void> {
    if (this.#held !== undefined) return;
    await this.#close();
    await rm(this.#part, { force: true });
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

/** Syncs a folder. Requests during a sync share the next one. */
class FolderSync {
  readonly #folder: string;
  readonly #turns = new Sequencer();
  #next: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  sync(): Promise<void> {
    this.#next ??= this.#turns.run(() => {
      this.#next = undefined;
      return syncFolder(this.#folder);
    });
    return this.#next;
  }
}

async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDiskFull(error)) throw new PlanchetError('sandbox.disk-full', { folder }, { cause: error });
    throw new PlanchetError('sandbox.content-failed', { folder, reason: (error as Error).message }, { cause: error });
  }
}

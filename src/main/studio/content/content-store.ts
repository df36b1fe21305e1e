import { createHash, type Hash, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileInfo, PlanchetError, UPLOAD_PIECE_BYTES } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import { syncFolder } from '../../infrastructure/make-folder.ts';
import type { StudioParts } from '../parts.ts';
import type { FileRow } from '../tables.ts';
import { onDisk, sha256Of } from './content-disk.ts';
import { detectContentType, normaliseContentType, SNIFF_BYTES } from './content-types.ts';
import { filePieces } from './file-pieces.ts';
import { unusedFiles } from './unused-files.ts';

const STALE_UPLOAD_MS = 3_600_000;
const SWEEP_EVERY_MS = 600_000;
const UNUSED_FILE_MS = 24 * 3_600_000;
const MAX_OPEN_UPLOADS = 64;
const PART = '.part';
/** Content types that a client sends for a file of unknown kind. */
const TYPE_UNKNOWN = new Set(['', 'application/octet-stream']);

/** The disk calls of an upload; a test replaces one to fill the disk. */
export interface UploadDisk {
  write(file: FileHandle, bytes: Uint8Array, position: number): Promise<void>;
}

const realDisk: UploadDisk = {
  async write(file, bytes, position) {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
      done += bytesWritten;
    }
  },
};

export interface ContentStoreOptions extends Pick<StudioParts, 'store' | 'clock'> {
  /** Files are kept here under their SHA-256; uploads beside them as `<id>.part`. */
  folder: string;
  /** Largest file in bytes, asked at every step since the setting may change. */
  maxBytes: () => number;
  disk?: UploadDisk;
}

interface Upload {
  readonly id: string;
  readonly name: string;
  readonly declared: number;
  readonly contentType: string;
  readonly path: string;
  readonly file: FileHandle;
  readonly hash: Hash;
  readonly head: Uint8Array;
  received: number;
  touchedAt: number;
  /** Pieces of one upload go one after the other. */
  readonly sequencer: Sequencer;
}

/**
 * Files by the digest of their content. A file comes in pieces and is never held in memory; it gets its final name only when all of it
 * is on the disk, so a file under its digest is whole.
 */
export class ContentStore {
  readonly #options: ContentStoreOptions;
  readonly #disk: UploadDisk;
  readonly #uploads = new Map<string, Upload>();
  #cancelSweep: (() => void) | undefined;

  constructor(options: ContentStoreOptions) {
    this.#options = options;
    this.#disk = options.disk ?? realDisk;
  }

  /** Removes what a run before left behind: parts of uploads, and files no item came to use within a day. */
  async start(): Promise<void> {
    await onDisk(() => mkdir(this.#options.folder, { recursive: true, mode: 0o700 }));
    for (const name of await readdir(this.#options.folder)) {
      if (name.endsWith(PART)) await rm(join(this.#options.folder, name), { force: true });
    }
    await this.#removeUnused();
    this.#scheduleSweep();
  }

  async stop(): Promise<void> {
    this.#cancelSweep?.();
    for (const id of [...this.#uploads.keys()]) await this.abort(id);
  }

  /**
   * @param bytes size of the whole file, refused here when it is over the limit so that nothing is sent in vain
   * @throws PlanchetError `file-empty` | `file-too-large` | `content-type-unknown` | `disk-full`
   */
  async begin(input: { name: string; bytes: number; contentType: string }): Promise<{ uploadId: string }> {
    if (input.bytes === 0) throw new PlanchetError('content.file-empty', { name: input.name });
    this.#requireSize(input.name, input.bytes);
    const given = input.contentType.trim();
    const contentType = given === '' ? '' : normaliseContentType(given);
    if (contentType === undefined) throw new PlanchetError('content.type-malformed', { type: given.slice(0, 80) });
    if (this.#uploads.size >= MAX_OPEN_UPLOADS) throw new PlanchetError('content.too-many-uploads');
    const id = randomUUID();
    const path = join(this.#options.folder, `${id}${PART}`);
    const file = await onDisk(() => open(path, 'wx', 0o600));
    this.#uploads.set(id, {
      id,
      name: input.name,
      declared: input.bytes,
      contentType,
      path,
      file,
      hash: createHash('sha256'),
      head: new Uint8Array(SNIFF_BYTES),
      received: 0,
      touchedAt: this.#options.clock.now(),
      sequencer: new Sequencer(),
    });
    return { uploadId: id };
  }

  /**
   * @param offset where the piece belongs: exactly the bytes received so far
   * @throws PlanchetError `not-found` | `conflict` | `invalid-input` | `file-too-large` | `disk-full`. After the last two the upload is gone.
   */
  async append(input: { uploadId: string; offset: number; piece: Uint8Array }): Promise<{ received: number }> {
    const upload = this.#upload(input.uploadId);
    return this.#inTurn(upload, async () => {
      const { piece, offset } = input;
      if (offset !== upload.received) {
        throw new PlanchetError(
          'content.piece-out-of-order',
          { offset, received: upload.received },
          { detail: { received: upload.received } },
        );
      }
      if (piece.length > UPLOAD_PIECE_BYTES) {
        throw new PlanchetError('content.piece-too-large', { limit: UPLOAD_PIECE_BYTES });
      }
      try {
        this.#requireSize(upload.name, offset + piece.length);
        if (offset + piece.length > upload.declared) {
          throw new PlanchetError('content.longer-than-announced', { name: upload.name });
        }
        await onDisk(() => this.#disk.write(upload.file, piece, offset));
      } catch (error) {
        await this.#discard(upload);
        throw error;
      }
      upload.hash.update(piece);
      if (offset < SNIFF_BYTES) upload.head.set(piece.subarray(0, SNIFF_BYTES - offset), offset);
      upload.received += piece.length;
      upload.touchedAt = this.#options.clock.now();
      return { received: upload.received };
    });
  }

  /**
   * Makes the upload a stored file: synced, then renamed to its digest.
   * @throws PlanchetError `not-found` | `invalid-input` | `content-type-unknown` | `disk-full`. After the last two the upload is gone.
   */
  async finish(uploadId: string): Promise<FileInfo> {
    const upload = this.#upload(uploadId);
    return this.#inTurn(upload, async () => {
      if (upload.received !== upload.declared) {
        throw new PlanchetError(
          'content.incomplete',
          { received: upload.received, declared: upload.declared, name: upload.name },
          { detail: { received: upload.received } },
        );
      }
      try {
        const head = upload.head.subarray(0, Math.min(SNIFF_BYTES, upload.received));
        const contentType = TYPE_UNKNOWN.has(upload.contentType)
          ? (detectContentType(upload.name, head) ?? upload.contentType)
          : upload.contentType;
        if (contentType === '') throw new PlanchetError('content.type-unknown', { name: upload.name });
        const info = { sha256: upload.hash.digest('hex'), name: upload.name, contentType, bytes: upload.received };
        await onDisk(() => this.#keep(upload, info.sha256));
        await this.#record(info);
        this.#uploads.delete(upload.id);
        return info;
      } catch (error) {
        await this.#discard(upload);
        throw error;
      }
    });
  }

  /**
   * Stores many whole files with one change of the database. A content that is stored already is not written again.
   * @returns their digests, in the order of the files
   * @throws PlanchetError `disk-full` | `store-failed`
   */
  async addAll(files: readonly { name: string; bytes: Uint8Array; contentType: string }[]): Promise<string[]> {
    if (files.length === 0) return [];
    const hashes = await Promise.all(files.map(({ bytes }) => sha256Of(bytes)));
    const contents = new Map(files.map(({ bytes }, index) => [hashes[index] as string, bytes]));
    await onDisk(async () => {
      await Promise.all([...contents].map(([sha256, bytes]) => this.#write(sha256, bytes)));
      await syncFolder(this.#options.folder);
    });
    const created_at = this.#options.clock.now();
    await this.#options.store.db
      .insertInto('studio_files')
      .values(
        [...new Map(files.map((file, index) => [hashes[index] as string, file]))].map(([sha256, file]) => ({
          sha256,
          name: file.name,
          content_type: file.contentType,
          bytes: file.bytes.length,
          created_at,
        })),
      )
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at }))
      .execute();
    return hashes;
  }

  async #write(sha256: string, bytes: Uint8Array): Promise<void> {
    const present = await stat(this.path(sha256)).catch(() => undefined);
    // The stored file may be damaged; then it is written again.
    if (present?.size === bytes.length && (await sha256Of(await readFile(this.path(sha256)))) === sha256) return;
    const part = join(this.#options.folder, `${randomUUID()}${PART}`);
    try {
      const file = await open(part, 'wx', 0o600);
      try {
        await this.#disk.write(file, bytes, 0);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(part, this.path(sha256));
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  /** Ends an upload and deletes its part. Unknown ids are ignored: the upload may have ended already. */
  async abort(uploadId: string): Promise<void> {
    const upload = this.#uploads.get(uploadId);
    await upload?.sequencer.idle();
    if (upload !== undefined && this.#uploads.has(uploadId)) await this.#discard(upload);
  }

  /** @throws PlanchetError `file-not-found` */
  async info(sha256: string): Promise<FileInfo> {
    const row = await this.#row(sha256);
    if ((await stat(this.path(sha256)).catch(() => undefined)) === undefined) throw missingFile(sha256);
    return { sha256, name: row.name, contentType: row.content_type, bytes: Number(row.bytes) };
  }

  async #row(sha256: string): Promise<FileRow> {
    const query = this.#options.store.db.selectFrom('studio_files').selectAll().where('sha256', '=', sha256);
    return query.executeTakeFirstOrThrow(() => missingFile(sha256));
  }

  /** @returns a blob that reads the file only as it is used. @throws PlanchetError `file-not-found` */
  async blob(sha256: string): Promise<Blob> {
    const { contentType } = await this.info(sha256);
    return openAsBlob(this.path(sha256), { type: contentType });
  }

  /**
   * The file as a stream of pieces whose lengths are multiples of 3 but for the last, ready for base64. The last one is given only if all
   * of them together have the digest, so that whoever needs the whole file never gets a damaged one.
   * @throws PlanchetError `file-not-found` where it is missing or damaged
   */
  async *pieces(sha256: string): AsyncGenerator<Buffer> {
    const { bytes, name } = await this.#row(sha256);
    const hash = createHash('sha256');
    let last: Buffer | undefined;
    try {
      for await (const piece of filePieces(this.path(sha256), Number(bytes))) {
        if (last !== undefined) yield last;
        hash.update(piece);
        last = piece;
      }
      if (hash.digest('hex') !== sha256) throw new PlanchetError('content.file-damaged', { name });
      if (last !== undefined) yield last;
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? missingFile(sha256) : error;
    }
  }

  async #keep(upload: Upload, sha256: string): Promise<void> {
    await upload.file.sync();
    await upload.file.close();
    await rename(upload.path, this.path(sha256));
    await syncFolder(this.#options.folder);
  }

  async #record(info: FileInfo): Promise<void> {
    const { name, contentType: content_type, bytes, sha256 } = info;
    const created_at = this.#options.clock.now();
    await this.#options.store.db
      .insertInto('studio_files')
      .values({ sha256, name, content_type, bytes, created_at })
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ name, content_type, created_at }))
      .execute();
  }

  async #discard(upload: Upload): Promise<void> {
    this.#uploads.delete(upload.id);
    await upload.file.close().catch(() => {});
    await rm(upload.path, { force: true });
  }

  #upload(id: string): Upload {
    const upload = this.#uploads.get(id);
    if (upload !== undefined) return upload;
    throw new PlanchetError('content.upload-missing');
  }

  #inTurn<T>(upload: Upload, work: () => Promise<T>): Promise<T> {
    return upload.sequencer.run(() => {
      this.#upload(upload.id);
      return work();
    });
  }

  #requireSize(name: string, bytes: number): void {
    const limit = this.#options.maxBytes();
    if (bytes <= limit) return;
    throw new PlanchetError('content.file-too-large', { name, limit }, { detail: { limit, bytes } });
  }

  /** The path of a content, whether it exists or not. */
  path(sha256: string): string {
    return join(this.#options.folder, sha256);
  }

  #scheduleSweep(): void {
    this.#cancelSweep = this.#options.clock.after(SWEEP_EVERY_MS, () => {
      const oldest = this.#options.clock.now() - STALE_UPLOAD_MS;
      const stale = [...this.#uploads.values()].filter(({ touchedAt }) => touchedAt <= oldest);
      // A part that cannot be removed now is removed at the next start.
      void Promise.allSettled(stale.map((upload) => this.abort(upload.id)));
      this.#scheduleSweep();
    });
  }

  async #removeUnused(): Promise<void> {
    const { db } = this.#options.store;
    const unused = await unusedFiles(db, this.#options.clock.now() - UNUSED_FILE_MS);
    for (const { sha256 } of unused) {
      await db.deleteFrom('studio_files').where('sha256', '=', sha256).execute();
      await rm(this.path(sha256), { force: true });
    }
  }
}

function missingFile(sha256: string): PlanchetError {
  return new PlanchetError('content.file-missing', { sha256 });
}

import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PlanchetError } from '../../../contract/index.ts';

const PART = '.part';

/** Contents of outputs, each once, under the SHA-256 of its bytes. A file under its digest is whole and on the disk. */
export class ContentFiles {
  readonly #folder: string;

  static async open(folder: string): Promise<ContentFiles> {
    await onDisk(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
    return new ContentFiles(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Begins a content that arrives piece by piece. */
  begin(): IncomingContent {
    return new IncomingContent(this.#folder);
  }

  /** @throws PlanchetError `store-failed` where the file is gone */
  async read(sha256: string): Promise<Uint8Array> {
    return onDisk(this.#folder, () => readFile(join(this.#folder, sha256)));
  }

  /** Removes what a killed run left, and the files under other digests than these. Nothing may be on its way meanwhile. */
  async removeOthers(used: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!used.has(name)) await rm(join(this.#folder, name), { force: true });
    }
  }
}

/** A content on its way to the disk. It ends with {@link keep} or {@link drop}. */
export class IncomingContent {
  readonly #folder: string;
  readonly #part: string;
  readonly #digest = createHash('sha256');
  #file: FileHandle | undefined;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
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
    await onDisk(this.#folder, async () => {
      this.#file ??= await open(this.#part, 'wx', 0o600);
      await this.#file.writeFile(piece);
    });
  }

  /**
   * Makes the content durable; one that is stored already is not stored again.
   * @returns its SHA-256 in hex
   * @throws PlanchetError `disk-full` | `store-failed`
   */
  async keep(): Promise<string> {
    const sha256 = this.#digest.digest('hex');
    const path = join(this.#folder, sha256);
    if ((await stat(path).catch(() => undefined))?.size === this.#bytes) {
      await this.drop();
      return sha256;
    }
    await onDisk(this.#folder, async () => {
      await this.#file?.sync();
      await this.#close();
      await rename(this.#part, path);
      await syncFolder(this.#folder);
    });
    return sha256;
  }

  /** Forgets it, unless it was kept. */
  async drop(): Promise<void> {
    if (this.#bytes === 0) return;
    await this.#close();
    await rm(this.#part, { force: true });
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder as a file; its rename is durable without it
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new PlanchetError('sandbox.disk-full', { folder }, { cause: error });
    }
    throw new PlanchetError('sandbox.content-failed', { folder, reason: (error as Error).message }, { cause: error });
  }
}

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PlanchetError } from '../../../contract/index.ts';

const PART = '.part';

/** Contents of outputs, each once, under the SHA-256 of its bytes. A file under its digest is whole and on the disk. */
export class ContentFiles {
  readonly #folder: string;

  /** @param used digests that outputs have; files under others are removed, as are parts a killed run left. */
  static async open(folder: string, used: ReadonlySet<string>): Promise<ContentFiles> {
    await onDisk(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
    for (const name of await readdir(folder)) {
      if (!used.has(name)) await rm(join(folder, name), { force: true });
    }
    return new ContentFiles(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Stores bytes; those stored already are not written again.
   * @returns their SHA-256 in hex
   * @throws PlanchetError `disk-full` | `store-failed`
   */
  async keep(bytes: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = join(this.#folder, sha256);
    if ((await stat(path).catch(() => undefined))?.size === bytes.length) return sha256;
    const part = join(this.#folder, `${randomBytes(8).toString('hex')}${PART}`);
    await onDisk(this.#folder, async () => {
      try {
        await writeSynced(part, bytes);
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      await syncFolder(this.#folder);
    });
    return sha256;
  }

  /** @throws PlanchetError `store-failed` where the file is gone */
  async read(sha256: string): Promise<Uint8Array> {
    return onDisk(this.#folder, () => readFile(join(this.#folder, sha256)));
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
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
      throw new PlanchetError('disk-full', 'The disk is full, so the content could not be stored.', {
        hint: `Free some room on the disk that holds ${folder}.`,
        cause: error,
      });
    }
    throw new PlanchetError('store-failed', `The contents in ${folder} cannot be used: ${(error as Error).message}`, {
      hint: 'Check that the folder belongs to you, or start with another --data-dir.',
      cause: error,
    });
  }
}

import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PlanchetError } from '../../../../contract/index.ts';
import { safePath } from './source.ts';

const MAX_UPLOAD_BYTES = 8_000_000_000;
const ID = /^[0-9a-f-]{36}$/;

/** Files that a browser sends before an import is opened; each upload is a folder until the import has read it. */
export class ImportUploads {
  readonly #folder: string;
  /** Bytes received, by upload and name. */
  readonly #received = new Map<string, Map<string, number>>();

  /** @param folder holds nothing but uploads */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes what an earlier run left, but for uploads that an import still needs. */
  async start(needed: ReadonlySet<string>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#folder)) {
      if (!needed.has(name)) await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }

  async begin(): Promise<{ uploadId: string }> {
    const uploadId = randomUUID();
    await mkdir(join(this.#folder, uploadId), { recursive: true, mode: 0o700 });
    this.#received.set(uploadId, new Map());
    return { uploadId };
  }

  /** @throws PlanchetError `import.unknown` | `import.upload-name` | `import.upload-order` | `import.upload-too-large` */
  async append(input: {
    uploadId: string;
    name: string;
    offset: number;
    piece: Uint8Array;
  }): Promise<{ received: number }> {
    const files = this.#received.get(input.uploadId);
    if (files === undefined) throw new PlanchetError('import.unknown');
    const name = safePath(input.name);
    if (name === undefined) throw new PlanchetError('import.upload-name', { name: input.name.slice(0, 100) });
    const received = files.get(name) ?? 0;
    if (input.offset !== received) {
      throw new PlanchetError('import.upload-order', { name, offset: input.offset, received });
    }
    const total = [...files.values()].reduce((sum, bytes) => sum + bytes, input.piece.length);
    if (total > MAX_UPLOAD_BYTES) throw new PlanchetError('import.upload-too-large', { limit: MAX_UPLOAD_BYTES });
    // Counted before anything is awaited: a second piece for the same place is refused.
    files.set(name, received + input.piece.length);
    const path = join(this.#folder, input.uploadId, name);
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path, received === 0 ? 'w' : 'r+', 0o600);
      try {
        await file.write(input.piece, 0, input.piece.length, received);
      } finally {
        await file.close();
      }
    } catch (error) {
      files.set(name, received);
      throw error;
    }
    return { received: received + input.piece.length };
  }

  /** The folder with the files. @throws PlanchetError `import.unknown` */
  path(uploadId: string): string {
    if (!ID.test(uploadId)) throw new PlanchetError('import.unknown');
    return join(this.#folder, uploadId);
  }

  async remove(uploadId: string): Promise<void> {
    this.#received.delete(uploadId);
    await rm(this.path(uploadId), { recursive: true, force: true });
  }
}

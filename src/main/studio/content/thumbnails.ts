import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { essence } from '../../../contract/index.ts';
import type { Pictures } from '../../ports/pictures.ts';
import type { ContentStore } from './content-store.ts';

/** Pictures made of pixels that can be made smaller. Browsers draw SVG themselves, at any size. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/tiff']);
const WEBP = 'image/webp';

export interface ThumbnailsDeps {
  /** Thumbnails are kept here, under the SHA-256 of their content. */
  readonly folder: string;
  readonly files: Pick<ContentStore, 'info' | 'path'>;
  readonly pictures: Pick<Pictures, 'thumbnail' | 'stop'>;
}

export type Thumbnails = ReturnType<typeof createThumbnails>;

/**
 * Small pictures of stored contents, made once. A content that cannot be read is remembered by an empty file, so that
 * it is tried once. Losing the folder costs only the work to fill it again.
 */
export function createThumbnails({ folder, files, pictures }: ThumbnailsDeps) {
  const making = new Map<string, Promise<Blob | null>>();

  async function make(sha256: string, path: string): Promise<Blob | null> {
    const made = await pictures.thumbnail(files.path(sha256));
    const part = join(folder, `${randomUUID()}.part`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(part, made ?? new Uint8Array(), { mode: 0o600 });
    await rename(part, path);
    return made === null ? null : new Blob([made as Uint8Array<ArrayBuffer>], { type: WEBP });
  }

  async function find(sha256: string): Promise<Blob | null> {
    const { contentType } = await files.info(sha256);
    if (!PICTURES.has(essence(contentType))) return null;
    const path = join(folder, sha256);
    const kept = await stat(path).catch(() => undefined);
    if (kept === undefined) return make(sha256, path);
    return kept.size === 0 ? null : openAsBlob(path, { type: WEBP });
  }

  return {
    /** Removes what an earlier run left half done, and thumbnails of contents that are gone. */
    async start(): Promise<void> {
      for (const name of await readdir(folder).catch(() => [])) {
        const used = !name.endsWith('.part') && (await stat(files.path(name)).catch(() => undefined)) !== undefined;
        if (!used) await rm(join(folder, name), { force: true });
      }
    },

    /** @returns a WebP picture of at most 320 pixels a side, null where there is none. @throws PlanchetError `file-not-found` */
    get(sha256: string): Promise<Blob | null> {
      const known = making.get(sha256);
      if (known !== undefined) return known;
      const found = find(sha256).finally(() => making.delete(sha256));
      making.set(sha256, found);
      return found;
    },

    /** Ends the process of the pictures; what is being made fails with `cancelled`. */
    async stop(): Promise<void> {
      await pictures.stop();
      await Promise.allSettled(making.values());
    },
  };
}

import { randomUUID } from 'node:crypto';
import { mkdirSync, openAsBlob, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { contentTypeOf, PlanchetError } from '../../../contract/index.ts';
import type { Pictures } from '../../ports/pictures.ts';
import type { ContentStore } from './content-store.ts';

const WEBP = 'image/webp';
/** Kept in place of a thumbnail; any thumbnail is longer. */
const TOO_LARGE = 'too-large';
const UNREADABLE = 'unreadable';
/** Never kept: it may be made when less is to be done. */
const TOO_SLOW = 'too-slow';
/** Most readable contents that are remembered. A mint asks for each twice, and several mints run at the same time. */
const MAX_OPENED = 5_000;
type Made = Blob | typeof TOO_LARGE | typeof UNREADABLE | typeof TOO_SLOW;

/** Whether opening a content of this type shows if it is a picture. */
export function isCheckedPicture(contentType: string): boolean {
  return contentTypeOf(contentType)?.pixels === 'shown';
}

export interface ThumbnailsDeps {
  /** Thumbnails are kept here, under the SHA-256 of their content. */
  readonly folder: string;
  readonly files: Pick<ContentStore, 'info' | 'path'>;
  readonly pictures: Pick<Pictures, 'thumbnail' | 'stop'>;
}

export type Thumbnails = ReturnType<typeof createThumbnails>;

/**
 * Small pictures of stored contents, made once. If a content cannot be read or is too large, that is stored in place of the picture, so that it is
 * tried once; one that took too long is tried again after a restart. A lost folder is filled again. The files are small and in Planchet's own
 * folder, so they are written in one go: each turn through the system's threads takes longer than the call itself.
 */
export function createThumbnails({ folder, files, pictures }: ThumbnailsDeps) {
  const making = new Map<string, Promise<Made>>();
  const opened = new LRUCache<string, true>({ max: MAX_OPENED });
  const slow = new Set<string>();

  async function make(sha256: string, path: string): Promise<Made> {
    const made = (await pictures.thumbnail(files.path(sha256))) ?? UNREADABLE;
    if (made === TOO_SLOW) {
      slow.add(sha256);
      return made;
    }
    const part = join(folder, `${randomUUID()}.part`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(part, made, { mode: 0o600 });
      renameSync(part, path);
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    }
    return typeof made === 'string' ? made : new Blob([made as Uint8Array<ArrayBuffer>], { type: WEBP });
  }

  async function find(sha256: string): Promise<Made> {
    if (slow.has(sha256)) return TOO_SLOW;
    const path = join(folder, sha256);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > Math.max(TOO_LARGE.length, UNREADABLE.length)) return openAsBlob(path, { type: WEBP });
    const kept = size === 0 ? '' : await readFile(path, 'latin1');
    // Earlier versions kept an empty file for either.
    return kept === TOO_LARGE || kept === UNREADABLE ? kept : make(sha256, path);
  }

  function made(sha256: string): Promise<Made> {
    const known = making.get(sha256);
    if (known !== undefined) return known;
    const found = find(sha256).finally(() => making.delete(sha256));
    making.set(sha256, found);
    return found;
  }

  return {
    /** Removes unfinished thumbnails of an earlier run and those of deleted contents. */
    async start(): Promise<void> {
      for (const name of await readdir(folder).catch(() => [])) {
        const used = !name.endsWith('.part') && (await stat(files.path(name)).catch(() => undefined)) !== undefined;
        if (!used) await rm(join(folder, name), { force: true });
      }
    },

    /** @returns a WebP picture of at most 320 pixels a side, null where there is none. @throws PlanchetError `file-not-found` */
    async get(sha256: string): Promise<Blob | null> {
      const { contentType } = await files.info(sha256);
      if (contentTypeOf(contentType)?.pixels === undefined) return null;
      const found = await made(sha256);
      return typeof found === 'string' ? null : found;
    },

    /**
     * Whether a stored content claims to be a picture and no decoder opens it. It is decoded once; one that is too large to be decoded here, or
     * takes too long, is not said to be unreadable.
     * @param contentType what it is minted as
     * @throws PlanchetError `cancelled` when stopped meanwhile
     */
    async isUnreadable({ sha256, contentType }: { sha256: string; contentType: string }): Promise<boolean> {
      if (!isCheckedPicture(contentType)) return false;
      try {
        if (opened.has(sha256)) return false;
        if ((await made(sha256)) === UNREADABLE) return true;
        opened.set(sha256, true);
        return false;
      } catch (error) {
        if (error instanceof PlanchetError || (error as NodeJS.ErrnoException).code !== undefined) throw error;
        // Decoding it ended the picture process twice.
        return true;
      }
    },

    /** Ends the process of the pictures; what is being made fails with `cancelled`. */
    async stop(): Promise<void> {
      await pictures.stop();
      await Promise.allSettled(making.values());
    },
  };
}

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PlanchetError, publishedPath } from '../../../contract/index.ts';

/** Names the files of a folder that this program wrote, so that nothing else is ever removed. */
const LIST = 'published.json';
/** What systems leave in a folder that a person looked at. */
const OF_SYSTEM = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/i;
const SUBFOLDERS = ['art', 'proof', 'token'];

/**
 * A folder that appears completely or not at all: it is written next to its place and renamed at the end. An existing folder is replaced only
 * if every file in it was published before.
 */
export class PublishedFolder {
  readonly #folder: string;
  readonly #part: string;
  readonly #written: string[] = [];

  /**
   * @param folder where it will stand
   * @param replace whether pages that were published before are replaced
   * @throws PlanchetError `conflict` where something else stands there, `invalid-input` where nothing can be written
   */
  constructor(folder: string, replace: boolean) {
    this.#folder = resolve(folder);
    this.#part = join(dirname(this.#folder), `.${basename(this.#folder)}.${randomUUID()}.part`);
    this.#tried(() => checkPlace(this.#folder, replace));
    this.#tried(() => {
      mkdirSync(this.#part);
      for (const each of SUBFOLDERS) mkdirSync(join(this.#part, each));
    });
  }

  /** @param path as the contract allows it: no name of it leads out of the folder */
  write(path: string, content: Uint8Array): void {
    const checked = publishedPath.parse(path);
    this.#tried(() => writeFileSync(join(this.#part, checked), content, { flag: 'wx' }));
    this.#written.push(checked);
  }

  /** Puts the folder in its place. @returns where it stands */
  finish(): string {
    this.#tried(() => {
      writeFileSync(join(this.#part, LIST), `${JSON.stringify({ files: this.#written }, null, 2)}\n`, { flag: 'wx' });
      const old = `${this.#part}.old`;
      const replaces = existsSync(this.#folder);
      if (replaces) renameSync(this.#folder, old);
      try {
        renameSync(this.#part, this.#folder);
      } catch (error) {
        if (replaces) renameSync(old, this.#folder);
        throw error;
      }
      rmSync(old, { recursive: true, force: true });
    });
    return this.#folder;
  }

  /** Removes what was written, unless it is finished. */
  discard(): void {
    rmSync(this.#part, { recursive: true, force: true });
  }

  #tried(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.discard();
      if (error instanceof PlanchetError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new PlanchetError('publish.folder-unwritable', { folder: this.#folder, reason }, { cause: error });
    }
  }
}

function checkPlace(folder: string, replace: boolean): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new PlanchetError('publish.folder-taken', { folder });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((file) => !OF_SYSTEM.test(file));
  if (files.length === 0) return;
  const known = new Set([LIST, ...listedIn(folder)]);
  if (!files.every((file) => known.has(file))) throw new PlanchetError('publish.folder-taken', { folder });
  if (!replace) throw new PlanchetError('publish.folder-old', { folder });
}

function listedIn(folder: string): string[] {
  try {
    const { files } = JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as { files?: unknown };
    return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
  } catch {
    return [];
  }
}

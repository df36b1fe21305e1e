import type { Steps } from '../../../../chain/index.ts';
import type { ImportMapping, ImportOptions } from '../../../../contract/index.ts';
import {
  baseName,
  comparable,
  extensionOf,
  folderOf,
  type ImportFile,
  JSON_FILES,
  naturalOrder,
  numberOf,
  stemOf,
} from '../model.ts';

/** The fields of a row that its file is found by. */
export interface Wanted {
  readonly id: number;
  /** Text of the file column: a name, a path or an address. */
  readonly file: string;
  readonly number: number | null;
  /** Its name, for files that are named after their tokens. */
  readonly name: string;
  readonly table: string;
  readonly source: string;
}

export interface Matched {
  /** File id by row id. */
  readonly files: ReadonlyMap<number, number>;
  readonly match: ImportMapping['match'];
  /** Whether rows and files could only be paired by their order and no person has confirmed that: no row has a file then. */
  readonly isOrderOpen: boolean;
  /** First number of the files and of the rows, where they count from different ones. */
  readonly shifted: { readonly files: number; readonly rows: number } | null;
  /** Rows whose table names another file than the one next to their metadata. */
  readonly differing: ReadonlyMap<number, { readonly file: number; readonly other: number }>;
}

/**
 * Finds the file of each row: by what the table names, by the name of the row's own JSON file, by the token's name, by its number, and, where nothing of
 * that finds anything and a person says so, by the order of both.
 * Of files with one name the one counts that lies nearest to the metadata.
 * @param options `folder`: where to look first when several folders hold the same name; `pairByOrder`: a person said that the orders agree
 */
export function* matchFiles(
  rows: readonly Wanted[],
  files: readonly ImportFile[],
  options: Pick<ImportOptions, 'folder' | 'pairByOrder'>,
): Steps<Matched> {
  const index = new FileIndex(options.folder);
  for (const [at, file] of files.entries()) {
    if (at % AT_ONCE === 0) yield '';
    index.add(file);
  }
  const constant = constantName(rows);
  const isFile = constant !== undefined && index.byName(constant, '') !== undefined;
  const found = new Map<number, number>();
  const differing = new Map<number, { file: number; other: number }>();
  const used: Record<'field' | 'stem' | 'number', number> = { field: 0, stem: 0, number: 0 };
  const keep = (row: Wanted, file: ImportFile | undefined, by: keyof typeof used): boolean => {
    if (file === undefined) return false;
    found.set(row.id, file.id);
    used[by]++;
    return true;
  };
  const rest: Wanted[] = [];
  for (const [at, row] of rows.entries()) {
    if (at % AT_ONCE === 0) yield '';
    const beside = row.table === JSON_FILES ? index.byStem(row.source) : undefined;
    // Many tokens may have one picture. But some generators write the same word into every file:
    // it is ignored if the row has a file of its own, or if no file has that name.
    const isEmpty = row.file === '' || (row.file === constant && (beside !== undefined || !isFile));
    const named = isEmpty ? undefined : index.byName(row.file, row.source);
    if (named !== undefined && beside !== undefined && !index.alike(named, beside)) {
      differing.set(row.id, { file: named.id, other: beside.id });
    }
    if (keep(row, named, 'field') || keep(row, beside, 'stem')) continue;
    // A row that names a file that does not exist must not get another one.
    if (isEmpty) rest.push(row);
  }
  const unnamed = rest.filter(
    (row) => !keep(row, row.name === '' ? undefined : index.byWords(row.name, row.source), 'stem'),
  );
  const free = new Set(index.preferred().map(({ id }) => id));
  for (const id of found.values()) free.delete(id);
  const shifted = byNumber(unnamed, index, free, (row, file) => keep(row, file, 'number'));
  const most = (['field', 'stem', 'number'] as const).reduce((a, b) => (used[b] > used[a] ? b : a));
  const matched = {
    files: found,
    match: used[most] === 0 ? 'none' : most,
    isOrderOpen: false,
    shifted,
    differing,
  } as const;
  const ordered = index.preferred();
  if (found.size > 0 || rest.length < rows.length || rows.length === 0 || ordered.length === 0) return matched;
  if (!options.pairByOrder) return { ...matched, isOrderOpen: true };
  for (const [position, row] of rows.entries()) {
    const file = ordered[position];
    if (file !== undefined) found.set(row.id, file.id);
  }
  return { ...matched, match: 'order' };
}

/** A file name that two rows or more have all in common, undefined where they differ. */
function constantName(rows: readonly Wanted[]): string | undefined {
  const first = rows[0]?.file;
  return rows.length > 1 && first !== '' && rows.every(({ file }) => file === first) ? first : undefined;
}

/** Matches numbers, and where files count from 0 and rows from 1 (or the other way round), the shifted ones. */
function byNumber(
  rows: readonly Wanted[],
  index: FileIndex,
  free: ReadonlySet<number>,
  keep: (row: Wanted, file: ImportFile) => boolean,
): Matched['shifted'] {
  const numbered = rows.filter((row): row is Wanted & { number: number } => row.number !== null);
  if (numbered.length === 0) return null;
  const files = index.numbered(free);
  const hits = (shift: number): number => numbered.filter(({ number }) => files.has(number + shift)).length;
  const shift = [0, -1, 1].reduce((best, one) => (hits(one) > hits(best) ? one : best));
  for (const row of numbered) {
    const file = files.get(row.number + shift);
    if (file !== undefined) keep(row, file);
  }
  if (shift === 0 || hits(shift) === 0) return null;
  const first = numbered.reduce((least, { number }) => Math.min(least, number), Number.MAX_SAFE_INTEGER);
  return { files: first + shift, rows: first };
}

/** Rows or files looked at in one step. */
const AT_ONCE = 200;

/** With more files of one name, only the candidates by folder are compared. */
const FEW = 50;

class FileIndex {
  readonly #paths = new Map<string, ImportFile>();
  readonly #byFolder = new Map<readonly ImportFile[], Map<string, ImportFile>>();
  readonly #names = new Map<string, ImportFile[]>();
  readonly #words = new Map<string, ImportFile[]>();
  readonly #stems = new Map<string, ImportFile[]>();
  readonly #folder: string | null;

  constructor(folder: string | null) {
    this.#folder = folder;
  }

  add(file: ImportFile): void {
    this.#paths.set(comparable(file.path), file);
    // Read as the names in tables are, so that a name that looks escaped is found as well.
    const name = lastPart(file.path);
    push(this.#names, comparable(name), file);
    push(this.#stems, comparable(stemOf(name)), file);
    push(this.#words, wordsOf(stemOf(name)), file);
  }

  /**
   * Finds a file by a name, a path or an address: by its last part, and by its folders if several files have the name. Addresses are never fetched.
   * @param source file that names it
   */
  byName(text: string, source: string): ImportFile | undefined {
    const name = lastPart(text);
    if (name === '') return undefined;
    const wanted = comparable(name);
    const same = this.#names.get(wanted);
    if (same !== undefined) return this.#best(same, text, source);
    // `7`, or `7.png` where the file is `7.webp`
    const stem = extensionOf(name) === '' ? wanted : comparable(stemOf(name));
    const alike = this.#stems.get(stem);
    return alike === undefined ? undefined : this.#best(alike, text, source);
  }

  /** Finds the file that is named like the one with the metadata. */
  byStem(source: string): ImportFile | undefined {
    const files = this.#stems.get(comparable(stemOf(lastPart(source))));
    return files === undefined ? undefined : this.#best(files, '', source);
  }

  /** `Blue Ring` finds `blue-ring.png`. */
  byWords(name: string, source: string): ImportFile | undefined {
    const files = this.#words.get(wordsOf(name));
    return files === undefined ? undefined : this.#best(files, '', source);
  }

  /** `images/1.png` and `gifs/1.gif` are forms of one picture. */
  alike(a: ImportFile, b: ImportFile): boolean {
    return comparable(stemOf(a.path)) === comparable(stemOf(b.path));
  }

  /** Files in a person's order; of those with one name only the one in the preferred folder. */
  preferred(): ImportFile[] {
    const chosen = [...this.#stems.values()].map((files) => this.#best(files, '', ''));
    return chosen.sort((a, b) => naturalOrder(a.path, b.path));
  }

  numbered(free: ReadonlySet<number>): Map<number, ImportFile> {
    const numbers = new Map<number, ImportFile>();
    for (const file of this.preferred()) {
      const number = numberOf(stemOf(file.path));
      if (number !== undefined && free.has(file.id) && !numbers.has(number)) numbers.set(number, file);
    }
    return numbers;
  }

  #best(files: readonly ImportFile[], text: string, source: string): ImportFile {
    if (files.length > FEW) return this.#bestOfMany(files, text, source);
    const path = comparable(text);
    const namesFolder = text.includes('/') && !isAddress(text);
    const isExact = (file: ImportFile): boolean => {
      const own = comparable(file.path);
      return own === path || path.endsWith(`/${own}`) || (namesFolder && own.endsWith(`/${path}`));
    };
    const near = nearest(files, source);
    // Only a path with a folder may match a file that is far from the metadata.
    const exact = near.find(isExact) ?? (namesFolder ? files.find(isExact) : undefined);
    const inFolder = files.find((file) => folderOf(file.path) === this.#folder);
    const usual = near.find((file) => /(?:^|\/)(?:images|assets)$/i.test(folderOf(file.path)));
    return inFolder ?? exact ?? usual ?? (near[0] as ImportFile);
  }

  /** Avoids a search through all files for each row: there may be thousands of `image.png`, each in the folder of its token. */
  #bestOfMany(files: readonly ImportFile[], text: string, source: string): ImportFile {
    let folders = this.#byFolder.get(files);
    if (folders === undefined) {
      folders = new Map(files.map((file) => [folderOf(file.path), file]));
      this.#byFolder.set(files, folders);
    }
    const chosen = this.#folder === null ? undefined : folders.get(this.#folder);
    const beside = folders.get(folderOf(source));
    const exact = this.#paths.get(comparable(text));
    const named = text.includes('/') && !isAddress(text) ? exact : undefined;
    return chosen ?? named ?? beside ?? exact ?? (files[0] as ImportFile);
  }
}

/** The files in the folder of the metadata or, if there are none, those that share most of its path. */
function nearest(files: readonly ImportFile[], source: string): readonly ImportFile[] {
  const folder = folderOf(source);
  if (folder === '' || files.length === 1) return files;
  const beside = files.filter((file) => folderOf(file.path) === folder);
  if (beside.length > 0) return beside;
  const parts = folder.split('/');
  const shared = files.map(({ path }) => {
    const own = path.split('/').slice(0, -1);
    const differs = parts.findIndex((part, index) => part !== own[index]);
    return differs === -1 ? parts.length : differs;
  });
  const most = Math.max(...shared);
  return files.filter((_, index) => shared[index] === most);
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text);
}

/** The base name of a path or address, without query and escapes. */
export function lastPart(text: string): string {
  const path = text.trim().replaceAll('\\', '/');
  const bare = isAddress(path) ? (path.split(/[?#]/)[0] as string) : path;
  const name = baseName(bare);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function wordsOf(text: string): string {
  return comparable(text)
    .replaceAll(/[-_.\s]+/g, ' ')
    .trim();
}

function push(map: Map<string, ImportFile[]>, key: string, file: ImportFile): void {
  const files = map.get(key);
  if (files === undefined) map.set(key, [file]);
  else files.push(file);
}

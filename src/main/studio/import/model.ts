import {
  type ImportProblemCode,
  type Phrase,
  type PhraseValues,
  phraseText,
  wordText,
} from '../../../contract/index.ts';

export const MAX_TABLE_ROWS = 50_000;

/** A problem before it is put into words. */
export interface Finding {
  readonly code: ImportProblemCode;
  readonly values?: PhraseValues;
  readonly file?: string | null;
  readonly field?: string | null;
}

/** What stands in a problem: text, or words of the catalogue. */
export type Word = PhraseValues[string];

/** A word as the value of a placeholder in a failure. */
export function filling(word: Word): string | number | Phrase {
  return Array.isArray(word) ? wordText(word) : word;
}

/** A file that cannot be read, with the reason in words a person can use. */
export class UnreadableFile extends Error {
  readonly reason: Phrase & { values: Record<string, string | number> };

  constructor(reason: UnreadableFile['reason']) {
    super(phraseText(reason));
    this.reason = reason;
  }
}

/** A file of an import. Its content is in the content store, unless a finding says why not. */
export interface ImportFile {
  readonly id: number;
  /** Path with `/` inside what was brought. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string | null;
  /** MIME type, null where the bytes and the name do not tell. */
  readonly contentType: string | null;
  readonly findings: readonly Finding[];
  /** Its path on the disk and its modification time, to notice changes; null for files of archives and tables. */
  readonly origin: { readonly path: string; readonly modified: number } | null;
}

export interface RawTrait {
  readonly name: string;
  readonly value: string;
}

/** A row of a table, or one token of a JSON file, as it was read: every value is text as it was written. */
export interface SourceRecord {
  readonly id: number;
  /** Name of the table: the path of a CSV or JSON file, {@link JSON_FILES} for one file a token, or empty for pictures alone. */
  readonly table: string;
  /** File it was read from. */
  readonly source: string;
  readonly line: number | null;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly traits: readonly RawTrait[];
  /** Id of the file, where it is known without looking for it: a picture alone, or content inside the table. */
  readonly file: number | null;
}

/** A record before it has an id, with content that stood in the table itself. */
export interface ReadRecord extends Omit<SourceRecord, 'id' | 'file' | 'table'> {
  readonly content?: { readonly bytes: Uint8Array; readonly contentType: string; readonly name: string } | undefined;
}

export interface ReadTable {
  /** `csv` for any table of rows and columns, else the form of the JSON. */
  readonly format: 'csv' | 'opensea' | 'hashlips' | 'metaplex' | '1sat';
  readonly records: readonly ReadRecord[];
}

/** Table of the tokens that have a JSON file each. */
export const JSON_FILES = '*.json';

/** Numbers in a text are compared as numbers: `2.png` comes before `10.png`. */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The order of names that a person expects; names that differ only in case keep a fixed order. */
export function naturalOrder(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** The part after the last `/`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function folderOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at === -1 ? '' : path.slice(0, at);
}

/** The name without its extension. */
export function stemOf(path: string): string {
  const name = baseName(path);
  const at = name.lastIndexOf('.');
  return at > 0 ? name.slice(0, at) : name;
}

export function extensionOf(path: string): string {
  const name = baseName(path);
  const at = name.lastIndexOf('.');
  return at > 0 ? name.slice(at).toLowerCase() : '';
}

/** The number a name ends with (`ring-007` → 7), undefined where it ends with none that is safe. */
export function numberOf(stem: string): number | undefined {
  const digits = /(\d{1,9})\D*$/.exec(stem)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A name for comparisons: file systems encode accents in two ways and do not agree on case. */
export function comparable(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

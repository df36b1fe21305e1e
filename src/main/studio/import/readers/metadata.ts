import { phrase } from '../../../../contract/index.ts';
import { type ReadRecord, type ReadTable, UnreadableFile, type Word } from '../model.ts';
import { reasonOf } from '../sources/disk.ts';
import { type MetadataFile, readMetadata } from './index.ts';

/** Most characters of a row: it is sent between threads, and written to the database, in one piece. */
const MAX_ROW_CHARACTERS = 1_000_000;

export interface UnreadMetadata {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Whether the first line of a table names its columns; true where it is left out. */
  readonly headed?: boolean;
}

/** A table whose rows are read in pieces: all of them may be too large for the memory of the main thread. */
export interface TableRows {
  readonly format: ReadTable['format'];
  readonly rows: number;
  /** All rows in their order, some at a time. */
  pieces(): AsyncIterable<readonly ReadRecord[]>;
}

export type MetadataRead =
  | Exclude<MetadataFile, { kind: 'table' }>
  | { readonly kind: 'table'; readonly table: TableRows };

/** What a file of metadata holds, or why it cannot be read. */
export type MetadataOutcome = { readonly read: MetadataRead } | { readonly reason: Word };

/** The same with all rows of a table. */
export type WholeOutcome = { readonly read: MetadataFile } | { readonly reason: Word };

/** Reads files of metadata in this thread. @returns in the order of the files */
export async function readWhole(files: readonly UnreadMetadata[]): Promise<WholeOutcome[]> {
  const outcomes: WholeOutcome[] = [];
  for (const { path, bytes, headed } of files) {
    try {
      const read = await readMetadata(path, bytes, headed);
      if (read.kind === 'table') for (const record of read.table.records) checkLength(record);
      else if (read.kind !== 'other') checkLength(read.record);
      outcomes.push({ read });
    } catch (error) {
      outcomes.push({ reason: reasonOf(error) });
    }
  }
  return outcomes;
}

function checkLength({ line, fields, traits }: ReadRecord): void {
  let length = 0;
  for (const [name, value] of fields) length += name.length + value.length;
  for (const { name, value } of traits) length += name.length + value.length;
  if (length > MAX_ROW_CHARACTERS) throw new UnreadableFile(phrase('import.word.long-line', { line: line ?? 1 }));
}

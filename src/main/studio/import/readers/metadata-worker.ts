import type { ReadRecord } from '../model.ts';
import { type MetadataOutcome, readHere, type UnreadMetadata } from './metadata.ts';

/** Cells and bytes of content that cross to the other thread at once: it takes a few milliseconds to receive them. */
const CELLS_AT_ONCE = 20_000;
const BYTES_AT_ONCE = 4_000_000;

/** A file as it was read; the records of a table stay here until they are taken. */
export type ReadOutcome = MetadataOutcome | { readonly table: { readonly format: string; readonly rows: number } };

let tables: readonly (readonly ReadRecord[] | undefined)[] = [];

/** Runs in a worker thread: reads files of metadata, in place of those that were read before. */
export function read(files: readonly UnreadMetadata[]): ReadOutcome[] {
  tables = [];
  const outcomes = readHere(files);
  tables = outcomes.map((one) => ('read' in one && one.read.kind === 'table' ? one.read.table.records : undefined));
  return outcomes.map((one, index) => {
    if (!('read' in one) || one.read.kind !== 'table') return one;
    return { table: { format: one.read.table.format, rows: tables[index]?.length ?? 0 } };
  });
}

/** Runs in a worker thread: the next records of the table of one file. */
export function take({ file, from }: { file: number; from: number }): ReadRecord[] {
  const taken: ReadRecord[] = [];
  let cells = 0;
  let bytes = 0;
  for (const record of tables[file]?.slice(from, from + CELLS_AT_ONCE) ?? []) {
    taken.push(record);
    cells += record.fields.length + record.traits.length;
    bytes += record.content?.bytes.length ?? 0;
    if (cells >= CELLS_AT_ONCE || bytes >= BYTES_AT_ONCE) break;
  }
  return taken;
}

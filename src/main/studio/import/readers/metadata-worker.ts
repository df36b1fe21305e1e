import type { ReadRecord, ReadTable } from '../model.ts';
import { readWhole, type UnreadMetadata, type WholeOutcome } from './metadata.ts';

/** Most cells, and bytes of text and content, that are sent to the main thread at once: it receives them in a few milliseconds. */
const CELLS_AT_ONCE = 20_000;
const BYTES_AT_ONCE = 4_000_000;

/** A file as it was read; the rows of a table stay here until they are taken. */
export type ReadOutcome =
  | WholeOutcome
  | { readonly table: { readonly number: number; readonly format: ReadTable['format']; readonly rows: number } };

/** The tables that were read, for as long as the thread lives. */
const tables: (readonly ReadRecord[])[] = [];

/** Runs in a worker thread: reads files of metadata. */
export async function read(files: readonly UnreadMetadata[]): Promise<ReadOutcome[]> {
  return (await readWhole(files)).map((one) => {
    if (!('read' in one) || one.read.kind !== 'table') return one;
    const { format, records } = one.read.table;
    return { table: { number: tables.push(records) - 1, format, rows: records.length } };
  });
}

/** Runs in a worker thread: the next rows of a table. */
export function take({ table, from }: { table: number; from: number }): ReadRecord[] {
  const taken: ReadRecord[] = [];
  let cells = 0;
  let bytes = 0;
  for (const record of tables[table]?.slice(from, from + CELLS_AT_ONCE) ?? []) {
    taken.push(record);
    cells += record.fields.length + record.traits.length;
    bytes += record.content?.bytes.length ?? 0;
    for (const [name, value] of record.fields) bytes += name.length + value.length;
    for (const { name, value } of record.traits) bytes += name.length + value.length;
    if (cells >= CELLS_AT_ONCE || bytes >= BYTES_AT_ONCE) break;
  }
  return taken;
}

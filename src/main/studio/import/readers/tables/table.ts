import { phrase } from '../../../../../contract/index.ts';
import { MAX_TABLE_ROWS, type ReadRecord, type ReadTable, UnreadableFile } from '../../model.ts';

/** More than a token can have traits, keys and texts together. */
export const MAX_COLUMNS = 250;
export const MAX_CELLS = 2_000_000;

/** A line of a table as it was written. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Makes the records of a table of rows and columns.
 * @param headed whether the first row names the columns; without, they are called by their number
 * @throws UnreadableFile where it has too many rows
 */
export function tableOf(path: string, rows: Iterable<TableRow>, headed: boolean): ReadTable {
  let columns: string[] | undefined = headed ? undefined : [];
  const records: ReadRecord[] = [];
  for (const { line, cells } of rows) {
    if (columns === undefined) {
      columns = distinct(cells.map((name) => name.trim()));
      continue;
    }
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (records.length === MAX_TABLE_ROWS)
      throw new UnreadableFile(phrase('import.word.rows', { limit: MAX_TABLE_ROWS }));
    const fields = cells.map((cell, index): [string, string] => [
      columns?.[index] ?? `Column ${index + 1}`,
      cell.trim(),
    ]);
    records.push({ source: path, line, fields, traits: [] });
  }
  return { format: 'csv', records };
}

/** Columns without a name, or with the name of another, get one of their own. */
function distinct(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name, index) => {
    const base = name === '' ? `Column ${index + 1}` : name;
    let chosen = base;
    for (let n = 2; seen.has(chosen); n++) chosen = `${base} ${n}`;
    seen.add(chosen);
    return chosen;
  });
}

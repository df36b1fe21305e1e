import { describe, expect, it } from 'vitest';
import { exportText } from './export.ts';
import { filterRows, type ListColumn, sortRows } from './rows.ts';

interface Row {
  name: string;
  size: number | null;
}

const columns: readonly ListColumn<Row>[] = [
  { key: 'name', title: 'Name', width: '1fr', value: ({ name }) => name },
  { key: 'size', title: 'Size', width: '1fr', value: ({ size }) => size },
  { key: 'open', title: 'Open', width: '1fr', action: true, value: () => 'button' },
];
const rows: readonly Row[] = [
  { name: 'tide', size: 10 },
  { name: 'Moon', size: 9 },
  { name: 'haiku, "three" lines', size: null },
];

describe('rows of a list', () => {
  it('are sorted by value, with missing values last', () => {
    const sizes = (direction: 'asc' | 'desc') =>
      sortRows(rows, columns, { column: 'size', direction }).map((row) => row.size);
    expect(sizes('asc')).toEqual([9, 10, null]);
    expect(sizes('desc')).toEqual([10, 9, null]);
    const names = sortRows(rows, columns, { column: 'name', direction: 'asc' }).map(({ name }) => name);
    expect(names).toEqual(['haiku, "three" lines', 'Moon', 'tide']);
    expect(sortRows(rows, columns, null)).toBe(rows);
  });

  it('are sorted by the alphabet of the language', () => {
    const words = ['Zebra', 'Äpfel', 'apfelmus', 'ö', 'Papier'].map((name) => ({ name, size: null }));
    const sorted = (language: string) =>
      sortRows(words, columns, { column: 'name', direction: 'asc' }, language).map(({ name }) => name);
    expect(sorted('de')).toEqual(['Äpfel', 'apfelmus', 'ö', 'Papier', 'Zebra']);
    expect(sorted('sv')).toEqual(['apfelmus', 'Papier', 'Zebra', 'Äpfel', 'ö']);
  });

  it('are found by any column ignoring case, but not by their buttons', () => {
    expect(filterRows(rows, columns, ' MOON ')).toEqual([rows[1]]);
    expect(filterRows(rows, columns, '10')).toEqual([rows[0]]);
    expect(filterRows(rows, columns, 'button')).toEqual([]);
    expect(filterRows(rows, columns, '')).toBe(rows);
  });

  it('are exported so that a spreadsheet reads them as text', () => {
    const risky = [...rows, { name: '=1+1', size: -1 }];
    expect(exportText(risky, columns, 'csv')).toBe(
      'name,size\r\ntide,10\r\nMoon,9\r\n"haiku, ""three"" lines",\r\n\'=1+1,-1\r\n',
    );
    expect(JSON.parse(exportText(rows, columns, 'json'))).toEqual(rows);
  });
});

import type { ReactNode } from 'react';
import { once } from '../../lib/format.ts';

type Value = string | number | boolean | null;

/** One column of a list: how it is rendered, sorted, searched and exported. */
export interface ListColumn<T> {
  /** Key of the column in exports and in the stored list of visible columns. */
  key: string;
  title: string;
  /** A grid track: `120px`, `minmax(0, 1fr)`. */
  width: string;
  align?: 'right';
  value: (row: T) => Value;
  /** Text for search and export if the value is only good for sorting, e.g. a date for a timestamp. */
  text?: (row: T) => string;
  render?: (row: T) => ReactNode;
  /** False if sorting by it makes no sense. */
  sortable?: boolean;
  /** Contains buttons, or data known for visible rows only. It is neither searched nor exported. */
  action?: boolean;
  /** Hidden by default; a person can show it. */
  extra?: boolean;
}

export interface Sort {
  column: string;
  direction: 'asc' | 'desc';
}

/** The text of a cell in searches and exports. */
export function plainValue<T>(column: ListColumn<T>, row: T): Value {
  return column.text === undefined ? column.value(row) : column.text(row);
}

/** Rows with the text in some column, ignoring case. */
export function filterRows<T>(rows: readonly T[], columns: readonly ListColumn<T>[], wanted: string): readonly T[] {
  const sought = wanted.trim().toLowerCase();
  if (sought === '') return rows;
  return rows.filter((row) =>
    columns.some(
      (column) =>
        column.action !== true &&
        String(plainValue(column, row) ?? '')
          .toLowerCase()
          .includes(sought),
    ),
  );
}

const alphabets = once((language) => new Intl.Collator(language));

/** Rows sorted by one column: numbers by size, texts by the alphabet of the language, missing values last. */
export function sortRows<T>(
  rows: readonly T[],
  columns: readonly ListColumn<T>[],
  sort: Sort | null,
  language = 'en',
): readonly T[] {
  const column = sort === null ? undefined : columns.find(({ key }) => key === sort.column);
  if (sort === null || column === undefined) return rows;
  const sign = sort.direction === 'asc' ? 1 : -1;
  const { compare } = alphabets(language);
  const keyed = rows.map((row) => ({ row, key: column.value(row) }));
  keyed.sort((a, b) => {
    if (a.key === b.key) return 0;
    if (a.key === null) return 1;
    if (b.key === null) return -1;
    if (typeof a.key === 'string' && typeof b.key === 'string') return compare(a.key, b.key) * sign;
    return (a.key < b.key ? -1 : 1) * sign;
  });
  return keyed.map(({ row }) => row);
}

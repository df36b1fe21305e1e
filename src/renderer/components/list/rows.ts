import type { ReactNode } from 'react';

type Value = string | number | boolean | null;

/** One column of a list: how it is drawn, and what it is ordered, searched and exported by. */
export interface ListColumn<T> {
  /** Stands in exports and remembers whether the column is shown. */
  key: string;
  title: string;
  /** A grid track: `120px`, `minmax(0, 1fr)`. */
  width: string;
  align?: 'right';
  value: (row: T) => Value;
  /** What is searched and exported where the value is only good for ordering, e.g. a date for a timestamp. */
  text?: (row: T) => string;
  render?: (row: T) => ReactNode;
  /** False if sorting by it makes no sense. */
  sortable?: boolean;
  /** Holds buttons, or what is known of the rows in sight alone: there is nothing in it to search or to export. */
  action?: boolean;
  /** Starts hidden; a person may show it. */
  extra?: boolean;
}

export interface Sort {
  column: string;
  direction: 'asc' | 'desc';
}

/** What a cell says outside the page: in a search and in an export. */
export function plainValue<T>(column: ListColumn<T>, row: T): Value {
  return column.text === undefined ? column.value(row) : column.text(row);
}

/** Rows in which some column holds the wanted text, whatever its case. */
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

/** Ordered by one column: numbers by size, text by its letters, what has no value last. */
export function sortRows<T>(rows: readonly T[], columns: readonly ListColumn<T>[], sort: Sort | null): readonly T[] {
  const column = sort === null ? undefined : columns.find(({ key }) => key === sort.column);
  if (sort === null || column === undefined) return rows;
  const sign = sort.direction === 'asc' ? 1 : -1;
  const keyed = rows.map((row) => {
    const value = column.value(row);
    return { row, key: typeof value === 'string' ? value.toLowerCase() : value };
  });
  keyed.sort((a, b) => {
    if (a.key === b.key) return 0;
    if (a.key === null) return 1;
    if (b.key === null) return -1;
    return (a.key < b.key ? -1 : 1) * sign;
  });
  return keyed.map(({ row }) => row);
}

import type { CreateTableBuilder } from 'kysely';

type Table = CreateTableBuilder<string, string>;
type ColumnType = 'text' | 'integer' | 'bigint';

/** Adds columns of one type that are never null: for `$call` of the builder of a table. */
export function required(type: ColumnType, ...names: readonly string[]) {
  return (table: Table): Table =>
    names.reduce((wider, name) => wider.addColumn(name, type, (column) => column.notNull()), table);
}

/** The same for columns that may be null. */
export function nullable(type: ColumnType, ...names: readonly string[]) {
  return (table: Table): Table => names.reduce((wider, name) => wider.addColumn(name, type), table);
}

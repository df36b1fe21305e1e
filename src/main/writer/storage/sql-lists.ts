import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from './tables.ts';

/**
 * `column in (ids)` with the ids as one value, so that the statement reads the same for any number of them and is prepared once.
 * @param column as it stands in the statement, with its table where needed
 */
export function among(dialect: Dialect, column: string, ids: readonly string[]): RawBuilder<SqlBool> {
  return dialect === 'postgres'
    ? sql<SqlBool>`${sql.ref(column)} = any(${[...ids]}::text[])`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`;
}

/** Rows that no API key is needed for, or one of these is. */
export function withoutKeyOr(dialect: Dialect, keyIds: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(key_id is null or ${among(dialect, 'key_id', keyIds)})`;
}

/** Rows to join with, as one value: both databases then read their columns as `value ->> 0`, `value ->> 1`, … (text). */
export function rowsOf(dialect: Dialect, rows: readonly (readonly string[])[]): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  return dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`;
}

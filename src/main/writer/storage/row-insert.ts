import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Dialect, WriterTables } from './tables.ts';

/** Rows of one statement: any small number, and few larger ones, so that the database prepares each only once. */
const SIZES = [64, 32, 16, ...Array.from({ length: 12 }, (_, less) => 12 - less)];

export const documentColumns = [
  'id',
  'network',
  'key_id',
  'idempotency_key',
  'digest',
  'tag',
  'content_type',
  'body_bytes',
  'fees_required',
  'state',
  'transaction_id',
  'vout',
  'attempts',
  'next_attempt_at',
  'claim',
  'last_error',
  'last_failure',
  'dead_code',
  'created_at',
  'updated_at',
] as const;

export const usageColumns = ['network', 'key_id', 'hour', 'tag', 'documents', 'bytes'] as const;

export const transactionColumns = [
  'id',
  'network',
  'kind',
  'source',
  'key_id',
  'owner',
  'state',
  'raw_tx',
  'fee_tx',
  'txid',
  'fee',
  'documents',
  'attempts',
  'next_attempt_at',
  'claim',
  'last_error',
  'funded_at',
  'signed_at',
  'submitted_at',
  'seen_at',
  'mined_at',
  'proven_at',
  'block_hash',
  'block_height',
  'proof',
  'replaced_by',
  'created_at',
  'updated_at',
] as const;

/**
 * Inserts rows of one table with statements that are put together once: a query builder takes longer over a row than the database does.
 */
export class RowInsert<Table extends keyof WriterTables & string> {
  readonly #columns: readonly (keyof WriterTables[Table] & string)[];
  readonly #statements: ReadonlyMap<number, string>;

  /** @param ending what follows the values, such as `on conflict do nothing` */
  constructor(dialect: Dialect, table: Table, columns: readonly (keyof WriterTables[Table] & string)[], ending = '') {
    this.#columns = columns;
    const head = `insert into "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) values`;
    this.#statements = new Map(
      SIZES.map((size) => {
        const rows = Array.from({ length: size }, (_, row) => `(${places(dialect, row, columns.length)})`);
        return [size, `${head} ${rows.join(', ')} ${ending}`];
      }),
    );
  }

  /** @returns what a `returning` in the ending gives */
  async run<Returned>(
    db: Kysely<WriterTables> | Transaction<WriterTables>,
    rows: readonly WriterTables[Table][],
  ): Promise<Returned[]> {
    const returned: Returned[] = [];
    for (let at = 0; at < rows.length; ) {
      const size = SIZES.find((one) => one <= rows.length - at) as number;
      const parameters: unknown[] = [];
      for (const row of rows.slice(at, at + size)) for (const column of this.#columns) parameters.push(row[column]);
      const { rows: some } = await db.executeQuery<Returned>(
        CompiledQuery.raw(this.#statements.get(size) as string, parameters),
      );
      returned.push(...some);
      at += size;
    }
    return returned;
  }
}

function places(dialect: Dialect, row: number, count: number): string {
  return Array.from({ length: count }, (_, column) =>
    dialect === 'sqlite' ? '?' : `$${row * count + column + 1}`,
  ).join(', ');
}

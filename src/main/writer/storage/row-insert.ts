import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Dialect, WriterTables } from './tables.ts';

/** Rows of one statement: any small number, and few larger ones, so that the database prepares each only once. */
const SIZES = [64, 32, 16, ...Array.from({ length: 12 }, (_, less) => 12 - less)];

/**
 * Inserts rows of one table with statements that are put together once: a query builder takes longer over a row than the database does.
 */
export class RowInsert<Table extends keyof WriterTables & string> {
  readonly #dialect: Dialect;
  readonly #table: Table;
  readonly #ending: string;
  /** The columns of the first row that comes; every other row has the same ones. */
  #columns: readonly (keyof WriterTables[Table] & string)[] = [];
  readonly #statements = new Map<number, string>();

  /** @param ending what follows the values, such as `on conflict do nothing` */
  constructor(dialect: Dialect, table: Table, ending = '') {
    this.#dialect = dialect;
    this.#table = table;
    this.#ending = ending;
  }

  /** @returns what a `returning` in the ending gives */
  async run<Returned>(
    db: Kysely<WriterTables> | Transaction<WriterTables>,
    rows: readonly WriterTables[Table][],
  ): Promise<Returned[]> {
    const [first] = rows;
    if (first === undefined) return [];
    if (this.#columns.length === 0) this.#columns = Object.keys(first) as (keyof WriterTables[Table] & string)[];
    const returned: Returned[] = [];
    for (let at = 0; at < rows.length; ) {
      const size = SIZES.find((one) => one <= rows.length - at) as number;
      const parameters: unknown[] = [];
      for (const row of rows.slice(at, at + size)) for (const column of this.#columns) parameters.push(row[column]);
      const { rows: some } = await db.executeQuery<Returned>(CompiledQuery.raw(this.#statementOf(size), parameters));
      returned.push(...some);
      at += size;
    }
    return returned;
  }

  #statementOf(size: number): string {
    const columns = this.#columns;
    const known = this.#statements.get(size);
    if (known !== undefined) return known;
    const rows = Array.from({ length: size }, (_, row) => `(${places(this.#dialect, row, columns.length)})`);
    const names = columns.map((column) => `"${column}"`).join(', ');
    const statement = `insert into "${this.#table}" (${names}) values ${rows.join(', ')} ${this.#ending}`;
    this.#statements.set(size, statement);
    return statement;
  }
}

function places(dialect: Dialect, row: number, count: number): string {
  return Array.from({ length: count }, (_, column) =>
    dialect === 'sqlite' ? '?' : `$${row * count + column + 1}`,
  ).join(', ');
}

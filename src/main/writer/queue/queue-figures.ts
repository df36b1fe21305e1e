import { type Kysely, type SqlBool, sql } from 'kysely';
import { type Network, writerStates } from '../../../contract/index.ts';
import type { WriterStore } from '../storage/store.ts';
import type { Dialect, WriterTables, WriteState } from '../storage/tables.ts';

const ON_THE_WAY: readonly WriteState[] = writerStates.names.filter(
  (state) => !writerStates.is(state, 'mined') && !writerStates.is(state, 'final'),
);

/** How much the queue holds, as the view and the limiter ask again and again. */
export class QueueFigures {
  readonly #db: Kysely<WriterTables>;
  readonly #dialect: Dialect;
  readonly #network: Network;

  constructor({ db, dialect }: Pick<WriterStore, 'db' | 'dialect'>, network: Network) {
    this.#db = db;
    this.#dialect = dialect;
    this.#network = network;
  }

  /** How many documents stand in each state but `proven`. */
  async openCounts(): Promise<Partial<Record<WriteState, number>>> {
    if (this.#dialect === 'sqlite') {
      const counts = await this.#counts();
      return Object.fromEntries(
        counts.flatMap(({ state, documents }) => (state === 'proven' ? [] : [[state, documents]])),
      );
    }
    const rows = await this.#db
      .selectFrom('writer_documents')
      .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
      .where('network', '=', this.#network)
      .where(sql<SqlBool>`state <> 'proven'`)
      .groupBy('state')
      .execute();
    return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
  }

  /** Everything that was ever accepted. */
  async totals(): Promise<{ documents: number; bytes: number }> {
    if (this.#dialect === 'sqlite') {
      const counts = await this.#counts();
      const sum = (of: 'documents' | 'bytes'): number => counts.reduce((total, row) => total + row[of], 0);
      return { documents: sum('documents'), bytes: sum('bytes') };
    }
    const row = await this.#db
      .selectFrom('writer_usage')
      .select((eb) => [eb.fn.sum<number>('documents').as('documents'), eb.fn.sum<number>('bytes').as('bytes')])
      .where('network', '=', this.#network)
      .executeTakeFirst();
    return { documents: Number(row?.documents ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  /** When the oldest document that is not on the chain was accepted (ms). */
  async oldestOpen(): Promise<number | undefined> {
    const rows = await Promise.all(
      ON_THE_WAY.map((state) =>
        this.#db
          .selectFrom('writer_documents')
          .select('created_at')
          .where('network', '=', this.#network)
          .where('state', '=', state)
          .where(sql<SqlBool>`state <> 'proven'`)
          .orderBy('next_attempt_at')
          .limit(1)
          .executeTakeFirst(),
      ),
    );
    const times = rows.flatMap((row) => (row === undefined ? [] : [row.created_at]));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #counts(): Promise<Pick<WriterTables['writer_counts'], 'state' | 'documents' | 'bytes'>[]> {
    return this.#db
      .selectFrom('writer_counts')
      .select(['state', 'documents', 'bytes'])
      .where('network', '=', this.#network)
      .execute();
  }
}

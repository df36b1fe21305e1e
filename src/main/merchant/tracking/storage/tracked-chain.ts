import { type Kysely, sql } from 'kysely';
import { type TransactionState, transactionStates } from '../../../../contract/index.ts';
import type { BlockPlace } from '../../../ports/chain-data.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Store } from '../../../ports/store.ts';
import { IMPOSSIBLE_MS } from './due-times.ts';
import { among, type LightRow } from './rows.ts';
import type { TrackingTables } from './tables.ts';

/** Blocks by which a reorganisation is noticed. */
const REMEMBERED_BLOCKS = 1_000;
/** A transaction that was refused or kept back is found in a block for so long: somebody else may have sent it. */
const REFUSED_MS = 14 * 24 * 3_600_000;

const waitingStates = transactionStates.names.filter((name) => !transactionStates.is(name, 'final'));

/** What the following of the chain reads of the tracked transactions, and the blocks that it has searched. */
export class TrackedChain {
  readonly #db: Kysely<TrackingTables>;
  readonly #clock: Clock;

  constructor(store: Store<TrackingTables>, clock: Clock) {
    this.#db = store.db;
    this.#clock = clock;
  }

  /** The newest searched blocks, newest first. */
  blocks(limit = REMEMBERED_BLOCKS): Promise<BlockPlace[]> {
    return this.#db.selectFrom('tracked_blocks').selectAll().orderBy('height', 'desc').limit(limit).execute();
  }

  async remember({ height, hash }: BlockPlace): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      await db.deleteFrom('tracked_blocks').where('height', '>=', height).execute();
      await db.insertInto('tracked_blocks').values({ height, hash }).execute();
      const oldest = height - REMEMBERED_BLOCKS;
      await db.deleteFrom('tracked_blocks').where('height', '<=', oldest).execute();
    });
  }

  async forgetAbove(height: number): Promise<void> {
    await this.#db.deleteFrom('tracked_blocks').where('height', '>', height).execute();
  }

  /** Transactions placed above a height, by their own block or that of the transaction that won. */
  async placedAbove(height: number): Promise<string[]> {
    const rows = await this.#db.selectFrom('transactions').select('txid').where('block_height', '>', height).execute();
    return rows.map(({ txid }) => txid);
  }

  /** Transactions in blocks above a height and up to another one, with the hash of their block. */
  async placesAbove(height: number, upTo: number): Promise<{ txid: string; hash: string | null }[]> {
    return this.#db
      .selectFrom('transactions')
      .select(['txid', 'block_hash as hash'])
      .where('block_height', '>', height)
      .where('block_height', '<=', upTo)
      .where('state', '<>', 'double-spent')
      .execute();
  }

  /** Those of the transactions that are tracked and not proven in this block. */
  async unproven(txids: readonly string[], hash: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('transactions')
      .select('txid')
      .where(among(txids))
      .where(sql<boolean>`not (state = 'proven' and block_hash = ${hash})`)
      .execute();
    return rows.map(({ txid }) => txid);
  }

  /** Whether a new block may hold a tracked transaction. */
  async isAnyOpen(): Promise<boolean> {
    const open = this.#db.selectFrom('transactions').select('id');
    const waiting = await open.where('state', 'in', waitingStates).limit(1).executeTakeFirst();
    if (waiting !== undefined) return true;
    const since = this.#clock.now() - REFUSED_MS;
    const refused = open.where('state', 'in', ['failed', 'kept-back']).where('updated_at', '>', since);
    return (await refused.limit(1).executeTakeFirst()) !== undefined;
  }

  /** When the oldest transaction arrived that waits for a block; undefined where there is none. */
  async oldestWaiting(): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('transactions')
      .select((eb) => eb.fn.min('created_at').as('at'))
      .where('state', 'in', waitingStates)
      .executeTakeFirst();
    return row?.at == null ? undefined : Number(row.at);
  }

  /**
   * Transactions to look at, by row id.
   * @param which `due`: those whose time has come; `all`: every one that may change without a block that holds it
   */
  toLookAt(which: 'due' | 'all', after: number, limit: number): Promise<LightRow[]> {
    const now = this.#clock.now();
    const select = this.#db
      .selectFrom('transactions')
      .selectAll()
      // the index of those that have a time is used where this is said apart
      .where('due_at', 'is not', null)
      .where((eb) =>
        which === 'all'
          ? eb('due_at', '>=', 0)
          : eb.or([eb('due_at', '<=', now), eb('due_at', '>', now + IMPOSSIBLE_MS)]),
      )
      .where('id', '>', after);
    return select.orderBy('id').limit(limit).execute();
  }

  /** When the next transaction is due, in milliseconds since 1970. */
  async nextDue(): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('transactions')
      .select((eb) => eb.fn.min('due_at').as('at'))
      .executeTakeFirst();
    return row?.at == null ? undefined : Number(row.at);
  }

  /** Sets when transactions are looked at next, by row id, unless they left the state meanwhile. */
  async postpone(
    times: readonly (readonly [id: number, state: TransactionState, dueAt: number | null])[],
  ): Promise<void> {
    if (times.length === 0) return;
    await sql`update transactions set due_at = new.value ->> 2 from json_each(${JSON.stringify(times)}) as new
      where transactions.id = new.value ->> 0 and transactions.state = new.value ->> 1`.execute(this.#db);
  }
}

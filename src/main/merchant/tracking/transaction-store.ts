import { sql } from 'kysely';
import { toHex, txidOf } from '../../../chain/index.ts';
import {
  PlanchetError,
  type TrackedDetail,
  type TrackedPage,
  type TrackedTransaction,
  type TransactionEvent,
  type TransactionState,
  trackedQuerySchema,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { TrackRequest } from '../../ports/transactions.ts';
import type { TrackingTables, TransactionRow } from './tables.ts';

type StoredRow = Omit<TransactionRow, 'id'> & { id: number };

/** What changes about a transaction in one step. */
export interface TransactionUpdate {
  readonly state?: TransactionState;
  readonly block?: { readonly hash: string; readonly height: number } | null;
  readonly reason?: TrackedTransaction['reason'];
  readonly doubleSpentBy?: string | null;
  /** Milliseconds since 1970; null for a transaction that is settled. */
  readonly dueAt?: number | null;
  readonly attempts?: number;
}

type NewEvent = Pick<TransactionEvent, 'kind' | 'text'> &
  Partial<Pick<TransactionEvent, 'state' | 'answer' | 'raw' | 'signature'>>;

/** A change and what the history says of it. */
export interface TransactionStep {
  readonly change: TransactionUpdate;
  readonly events: readonly NewEvent[];
}

export interface TransactionStoreOptions {
  store: Store<TrackingTables>;
  clock: Clock;
  /** Height of the tip, for confirmations; null while it is not known. */
  tipHeight: () => number | null;
}

/** The submitted transactions on disk, with their history and proofs. */
export class TransactionStore {
  readonly #options: TransactionStoreOptions;

  constructor(options: TransactionStoreOptions) {
    this.#options = options;
  }

  /**
   * Inserts transactions as `queued`; one that is known already is left as it is.
   * @returns those that are new
   * @throws PlanchetError `store-failed`, `disk-full`
   */
  async add(requests: readonly TrackRequest[]): Promise<TrackedTransaction[]> {
    const at = this.#options.clock.now();
    return this.#options.store.db.transaction().execute(async (db) => {
      const added: TrackedTransaction[] = [];
      for (const { rawTx, origin, fee, label } of requests) {
        const inserted = await db
          .insertInto('transactions')
          .values({
            txid: txidOf(rawTx),
            raw_tx: rawTx,
            bytes: rawTx.length,
            state: 'queued',
            origin,
            label: label ?? '',
            fee: fee ?? null,
            created_at: at,
            updated_at: at,
            due_at: at,
            attempts: 0,
          })
          .onConflict((conflict) => conflict.column('txid').doNothing())
          .returningAll()
          .executeTakeFirst();
        if (inserted === undefined) continue;
        added.push(this.#view(inserted));
        await db
          .insertInto('transaction_events')
          .values({ transaction_id: inserted.id, at, kind: 'state', state: 'queued', text: '' })
          .execute();
      }
      return added;
    });
  }

  /**
   * Writes changes and their lines of history together. Transactions that are not tracked are left out.
   * @param decide what changes about a transaction; undefined leaves it as it is
   * @returns each changed transaction before and after
   */
  async update(
    txids: readonly string[],
    decide: (before: TrackedTransaction) => TransactionStep | undefined,
  ): Promise<{ before: TrackedTransaction; after: TrackedTransaction }[]> {
    const at = this.#options.clock.now();
    return this.#options.store.db.transaction().execute(async (db) => {
      const changed: { before: TrackedTransaction; after: TrackedTransaction }[] = [];
      for (const txid of txids) {
        const row = await db.selectFrom('transactions').selectAll().where('txid', '=', txid).executeTakeFirst();
        const before = row && this.#view(row);
        const step = before && decide(before);
        if (row === undefined || before === undefined || step === undefined) continue;
        const values = { ...columnsOf(step.change), updated_at: at };
        await db.updateTable('transactions').set(values).where('id', '=', row.id).execute();
        for (const { kind, text, state = null, answer = null, raw = null, signature = null } of step.events) {
          const line = { transaction_id: row.id, at, kind, text, state, raw, signature };
          await db
            .insertInto('transaction_events')
            .values({ ...line, answer: answer && JSON.stringify(answer) })
            .execute();
        }
        changed.push({ before, after: this.#view({ ...row, ...values }) });
      }
      return changed;
    });
  }

  async get(txid: string): Promise<TrackedTransaction | undefined> {
    const row = await this.#row(txid);
    return row && this.#view(row);
  }

  /** @throws PlanchetError `not-found` */
  async detail(txid: string): Promise<TrackedDetail> {
    const { db } = this.#options.store;
    const row = await this.#row(txid);
    if (row === undefined) throw new PlanchetError('merchant.transaction-unknown', { txid });
    const events = await db
      .selectFrom('transaction_events')
      .selectAll()
      .where('transaction_id', '=', row.id)
      .orderBy('id')
      .execute();
    const proof = await db
      .selectFrom('transaction_proofs')
      .selectAll()
      .where('transaction_id', '=', row.id)
      .executeTakeFirst();
    return {
      ...this.#view(row),
      rawTx: row.raw_tx && toHex(row.raw_tx),
      events: events.map(({ at, kind, state, text, answer, raw, signature }) => ({
        at: Number(at),
        kind,
        state,
        text,
        answer: answer === null ? null : JSON.parse(answer),
        raw,
        signature,
      })),
      proof: proof
        ? { bump: toHex(proof.bump), header: toHex(proof.header), height: proof.height, blockHash: proof.block_hash }
        : null,
    };
  }

  /** Newest first. */
  async list(query: Parameters<typeof trackedQuerySchema.parse>[0]): Promise<TrackedPage> {
    const { db } = this.#options.store;
    const { limit, after, states, origins, search } = trackedQuerySchema.parse(query);
    let select = db.selectFrom('transactions').selectAll();
    if (after !== undefined) select = select.where('id', '<', Number(after));
    if (states !== undefined) select = select.where('state', 'in', states);
    if (origins !== undefined) select = select.where('origin', 'in', origins);
    if (search !== undefined && search !== '') {
      const text = search.replaceAll(/[%_\\]/g, '\\$&');
      select = select.where((where) =>
        where.or([
          where('txid', 'like', `${text.toLowerCase()}%`),
          sql<boolean>`label like ${`%${text}%`} escape '\\'`,
        ]),
      );
    }
    const rows = await select
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const counted = await db
      .selectFrom('transactions')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .groupBy('state')
      .execute();
    const page = rows.slice(0, limit);
    return {
      transactions: page.map((row) => this.#view(row)),
      next: rows.length > limit ? String(page.at(-1)?.id) : null,
      counts: Object.fromEntries(counted.map(({ state, count }) => [state, Number(count)])),
    };
  }

  /** @throws PlanchetError `not-found` */
  async label(txid: string, label: string): Promise<TrackedTransaction> {
    const { db } = this.#options.store;
    await db.updateTable('transactions').set({ label }).where('txid', '=', txid).execute();
    const changed = await this.get(txid);
    if (changed === undefined) throw new PlanchetError('merchant.transaction-unknown', { txid });
    return changed;
  }

  #row(txid: string): Promise<StoredRow | undefined> {
    return this.#options.store.db.selectFrom('transactions').selectAll().where('txid', '=', txid).executeTakeFirst();
  }

  #view(row: StoredRow): TrackedTransaction {
    const { block_hash: hash, block_height: height } = row;
    const block = hash === null || height === null ? null : { hash, height };
    const tip = this.#options.tipHeight();
    return {
      txid: row.txid,
      state: row.state,
      origin: row.origin,
      label: row.label,
      bytes: row.bytes,
      fee: row.fee === null ? null : Number(row.fee),
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
      block,
      confirmations: block === null || tip === null ? 0 : Math.max(1, tip - block.height + 1),
      reason: row.reason === null ? null : JSON.parse(row.reason),
      doubleSpentBy: row.double_spent_by,
    };
  }
}

/** Columns of what a change names; the others stay. */
function columnsOf(change: TransactionUpdate): Partial<StoredRow> {
  const { state, block, reason, doubleSpentBy, dueAt, attempts } = change;
  return {
    ...(state !== undefined && { state }),
    ...(block !== undefined && { block_hash: block?.hash ?? null, block_height: block?.height ?? null }),
    ...(reason !== undefined && { reason: reason && JSON.stringify(reason) }),
    ...(doubleSpentBy !== undefined && { double_spent_by: doubleSpentBy }),
    ...(dueAt !== undefined && { due_at: dueAt }),
    ...(attempts !== undefined && { attempts }),
  };
}

import { sql } from 'kysely';
import { fromHex, levelsOfPath, parseBump, parseHeader, pathInBump, toHex, txidOf } from '../../../../chain/index.ts';
import {
  PlanchetError,
  type Serves,
  type TrackedCounts,
  type TrackedDetail,
  type TrackedPage,
  type TrackedTransaction,
  type trackedContract,
  trackedQuerySchema,
  transactionStates,
} from '../../../../contract/index.ts';
import { chunks } from '../../../chunks.ts';
import { pause } from '../../../pause.ts';
import type { Inclusion } from '../../../ports/chain-data.ts';
import type { Clock } from '../../../ports/clock.ts';
import type {
  KeptBackRequest,
  KnownTransaction,
  KnownTransactions,
  TrackRequest,
} from '../../../ports/merchant/transactions.ts';
import type { SqliteStore } from '../../../store/store.ts';
import { firstLook } from './due-times.ts';
import { among, keptBackSentence, type LightRow, viewOf } from './rows.ts';
import { columnsOf, StepWriter, type TransactionStep, withAnswers } from './steps.ts';
import type { TrackingTables, TransactionProofRow } from './tables.ts';

/** Transactions inserted by one statement, and written in one transaction of the database. */
const INSERTED_AT_ONCE = 50;
const WRITTEN_AT_ONCE = 500;

/** Transactions, and bytes of each, that are read to find what spent an output. */
const READ_FOR_SPENDERS = 2_000;
const MAX_BYTES_READ = 100_000;

export interface TransactionPair {
  readonly before: TrackedTransaction;
  readonly after: TrackedTransaction;
}

export interface TransactionStoreOptions {
  store: SqliteStore<TrackingTables>;
  clock: Clock;
  /** Height of the tip, for confirmations; null while it is not known. */
  tipHeight: () => number | null;
}

/** The submitted transactions on disk, with their history and proofs. */
export class TransactionStore implements KnownTransactions, Serves<typeof trackedContract> {
  readonly #options: TransactionStoreOptions;
  readonly #steps: StepWriter;

  constructor(options: TransactionStoreOptions) {
    this.#options = options;
    this.#steps = new StepWriter(options.store.sqlite);
  }

  /**
   * Inserts transactions as `queued`, or as `kept-back` where they have a reason; one that is known already is left as it is.
   * @returns those that are new
   * @throws PlanchetError `store-failed`, `disk-full`
   */
  async add(requests: readonly (TrackRequest | KeptBackRequest)[]): Promise<TrackedTransaction[]> {
    const at = this.#options.clock.now();
    const added: LightRow[] = [];
    for (const group of chunks(requests, WRITTEN_AT_ONCE)) {
      await pause();
      // One transaction for the whole group: each is synced to the disk before anything is sent.
      await this.#options.store.db.transaction().execute(async (db) => {
        for (const some of chunks(group, INSERTED_AT_ONCE)) {
          const raws = new Map(some.map((request) => [txidOf(request.rawTx), request]));
          const inserted = await db
            .insertInto('transactions')
            .values([...raws].map(([txid, request]) => firstRow(txid, request, at)))
            .onConflict((conflict) => conflict.column('txid').doNothing())
            .returningAll()
            .execute();
          const bytes = inserted.flatMap(({ id, txid }) => {
            const request = raws.get(txid);
            return request === undefined ? [] : [{ transaction_id: id, raw_tx: request.rawTx }];
          });
          if (bytes.length > 0) await db.insertInto('transaction_bytes').values(bytes).execute();
          for (const { id, state, reason } of inserted) {
            const sentence = reason === null ? null : keptBackSentence(JSON.parse(reason));
            this.#steps.addEvents(id, at, [{ kind: 'state', state, sentence }]);
          }
          added.push(...inserted);
        }
      });
    }
    return added.map((row) => this.#view(row));
  }

  /**
   * Writes changes, their lines of history and proofs together, some hundreds in each transaction of the database. Transactions that are
   * not tracked are left out.
   * @param decide what changes about a transaction; undefined leaves it as it is
   * @returns each changed transaction before and after
   */
  async update(
    txids: readonly string[],
    decide: (before: TrackedTransaction, attempts: number) => TransactionStep | undefined,
  ): Promise<TransactionPair[]> {
    const at = this.#options.clock.now();
    const changed: TransactionPair[] = [];
    for (const some of chunks(txids, WRITTEN_AT_ONCE)) {
      await pause();
      await this.#options.store.db.transaction().execute(async (db) => {
        const rows = await db.selectFrom('transactions').selectAll().where(among(some)).execute();
        const byTxid = new Map(rows.map((row) => [row.txid, row]));
        for (const txid of new Set(some)) {
          const row = byTxid.get(txid);
          const before = row && this.#view(row);
          const step = before && decide(before, row.attempts);
          if (row === undefined || before === undefined || step === undefined) continue;
          const answers = JSON.stringify(withAnswers(before.answers, step.events));
          const after = { ...row, ...columnsOf(step.change), updated_at: at, answers };
          this.#steps.write({ row: after, events: step.events, proof: step.proof });
          changed.push({ before, after: this.#view(after) });
        }
      });
    }
    return changed;
  }

  async find(txid: string): Promise<TrackedTransaction | undefined> {
    const row = await this.#row(txid);
    return row && this.#view(row);
  }

  /** Those of the transactions that are tracked. */
  async many(txids: readonly string[]): Promise<ReadonlyMap<string, TrackedTransaction>> {
    const { db } = this.#options.store;
    const rows = await db.selectFrom('transactions').selectAll().where(among(txids)).execute();
    return new Map(rows.map((row) => [row.txid, this.#view(row)]));
  }

  /** The raw forms of those transactions that are tracked. */
  async rawOf(txids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const rows = await this.#options.store.db
      .selectFrom('transactions')
      .innerJoin('transaction_bytes', 'transaction_id', 'id')
      .select(['txid', 'raw_tx'])
      .where(among(txids))
      .execute();
    return new Map(rows.map(({ txid, raw_tx: raw }) => [txid, raw]));
  }

  /** The verified proof of a transaction that is proven now. */
  async proofOf(txid: string): Promise<Inclusion | undefined> {
    const stored = await this.#options.store.db
      .selectFrom('transactions')
      .innerJoin('transaction_proofs', 'transaction_proofs.transaction_id', 'transactions.id')
      .select(['bump', 'header', 'height', 'transaction_proofs.block_hash'])
      .where('txid', '=', txid)
      .where('state', '=', 'proven')
      .whereRef('transaction_proofs.block_hash', '=', 'transactions.block_hash')
      .executeTakeFirst();
    const path = stored && pathInBump(parseBump(stored.bump), txid);
    if (stored === undefined || path === undefined) return undefined;
    const { header, height, block_hash: hash } = stored;
    return { hash, height, header, path };
  }

  /** See {@link KnownTransactions}. */
  async withProofs(txids: readonly string[]): Promise<ReadonlyMap<string, KnownTransaction>> {
    const rows = await this.#options.store.db
      .selectFrom('transactions')
      .innerJoin('transaction_bytes', 'transaction_bytes.transaction_id', 'transactions.id')
      .leftJoin('transaction_proofs', 'transaction_proofs.transaction_id', 'transactions.id')
      .select(['txid', 'raw_tx', 'bump'])
      .where(among(txids))
      .execute();
    return new Map(rows.map(({ txid, raw_tx: rawTx, bump }) => [txid, { rawTx, bump }]));
  }

  /** @throws PlanchetError `not-found` */
  async get({ txid }: { txid: string }): Promise<TrackedDetail> {
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
    const rawTx = (await this.rawOf([txid])).get(txid);
    return {
      ...this.#view(row),
      rawTx: rawTx === undefined ? null : toHex(rawTx),
      events: events.map(({ at, kind, state, text, sentence, answer, raw, signature }) => ({
        at: Number(at),
        kind,
        state,
        text,
        sentence: sentence === null ? null : JSON.parse(sentence),
        answer: answer === null ? null : JSON.parse(answer),
        raw,
        signature,
      })),
      proof: proof ? proofView(txid, proof) : null,
    };
  }

  /** Whether the history of a transaction has a message that a miner sent by itself. @param raw the message as it came */
  async hasCallback(txid: string, minerId: string, raw: string): Promise<boolean> {
    const found = await this.#options.store.db
      .selectFrom('transaction_events')
      .innerJoin('transactions', 'transactions.id', 'transaction_events.transaction_id')
      .select('answer')
      .where('txid', '=', txid)
      .where('raw', '=', raw)
      .execute();
    return found.some(({ answer }) => {
      const { request, minerId: from } = JSON.parse(answer ?? '{}');
      return request === 'callback' && from === minerId;
    });
  }

  /** Newest first. */
  async list(query: Parameters<typeof trackedQuerySchema.parse>[0]): Promise<TrackedPage> {
    const { db } = this.#options.store;
    const { limit, after, states, origins, txids, search } = trackedQuerySchema.parse(query);
    let select = db.selectFrom('transactions').selectAll();
    if (after !== undefined) select = select.where('id', '<', Number(after));
    if (states !== undefined) select = select.where('state', 'in', states);
    if (origins !== undefined) select = select.where('origin', 'in', origins);
    if (txids !== undefined) select = select.where(among(txids));
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
    const page = rows.slice(0, limit);
    return {
      transactions: page.map((row) => this.#view(row)),
      next: rows.length > limit ? String(page.at(-1)?.id) : null,
    };
  }

  /** Counts all of them: a view asks for it once, not with every page. */
  async counts(): Promise<TrackedCounts> {
    const counted = await this.#options.store.db
      .selectFrom('transactions')
      .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
      .groupBy('state')
      .execute();
    return Object.fromEntries(counted.map(({ state, count }) => [state, Number(count)]));
  }

  /** @throws PlanchetError `not-found` */
  async label({ txid, label }: { txid: string; label: string }): Promise<TrackedTransaction> {
    const { db } = this.#options.store;
    await db.updateTable('transactions').set({ label }).where('txid', '=', txid).execute();
    const changed = await this.find(txid);
    if (changed === undefined) throw new PlanchetError('merchant.transaction-unknown', { txid });
    return changed;
  }

  /** The labels of those of these transactions that have one. */
  async labelsOf(txids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.#options.store.db
      .selectFrom('transactions')
      .select(['txid', 'label'])
      .where(among(txids))
      .where('label', '<>', '')
      .execute();
    return new Map(rows.map(({ txid, label }) => [txid, label]));
  }

  /**
   * Transactions that spend outputs of this one, among those tracked after it. They are found by reading, as an index of inputs would slow
   * every transaction: the newest {@link READ_FOR_SPENDERS} of usual size are read.
   * @param reached how far they are on their way: a node has them, or at least a miner took them
   */
  async spendersOf(
    txid: string,
    reached: 'submitted' | 'onNetwork' = 'onNetwork',
  ): Promise<{ txid: string; rawTx: Uint8Array; height: number | null }[]> {
    const { db } = this.#options.store;
    const own = await this.#row(txid);
    const newest = db
      .selectFrom('transactions')
      .innerJoin('transaction_bytes', 'transaction_id', 'id')
      .select(['txid', 'raw_tx', 'block_height'])
      .where('id', '>', own?.id ?? 0)
      .where('state', 'in', transactionStates.having(reached))
      .where('bytes', '<', MAX_BYTES_READ)
      .orderBy('id', 'desc')
      .limit(READ_FOR_SPENDERS);
    const rows = await db
      .selectFrom(newest.as('newest'))
      .selectAll()
      .where(({ eb, fn, val }) => eb(fn<number>('instr', ['raw_tx', val(fromHex(txid).reverse())]), '>', 0))
      .execute();
    return rows.map(({ txid: spender, raw_tx: rawTx, block_height: height }) => ({ txid: spender, rawTx, height }));
  }

  #row(txid: string): Promise<LightRow | undefined> {
    return this.#options.store.db.selectFrom('transactions').selectAll().where('txid', '=', txid).executeTakeFirst();
  }

  #view(row: LightRow): TrackedTransaction {
    return viewOf(row, this.#options.tipHeight());
  }
}

/** A stored proof with its path, for drawing it. */
function proofView(txid: string, stored: TransactionProofRow): NonNullable<TrackedDetail['proof']> {
  const { bump, header, height, block_hash: blockHash } = stored;
  const path = pathInBump(parseBump(bump), txid);
  return {
    bump: toHex(bump),
    header: toHex(header),
    height,
    blockHash,
    index: path?.index ?? 0,
    merkleRoot: parseHeader(header).merkleRoot,
    path: path === undefined ? [] : levelsOfPath(path),
  };
}

/** A row of a transaction that is about to be sent, or that was kept back. */
function firstRow(txid: string, request: TrackRequest | KeptBackRequest, at: number) {
  const { rawTx, origin, fee, label } = request;
  const reason = 'reason' in request ? request.reason : null;
  const state = reason === null ? ('queued' as const) : ('kept-back' as const);
  return {
    txid,
    bytes: rawTx.length,
    state,
    reason: reason && JSON.stringify(reason),
    origin,
    label: label ?? '',
    fee: fee ?? null,
    created_at: at,
    updated_at: at,
    due_at: firstLook(state, at),
    attempts: 0,
    answers: '[]',
  };
}

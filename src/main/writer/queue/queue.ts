import { randomUUID } from 'node:crypto';
import { type Kysely, type SqlBool, sql, type Transaction } from 'kysely';
import { type Failure, type Network, PlanchetError } from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import type { Clock } from '../../ports/clock.ts';
import { type DocumentRow, IdSource, idsOf, type TransactionRow } from '../storage/document.ts';
import { RowInsert } from '../storage/row-insert.ts';
import { among, rowsOf, withoutKeyOr } from '../storage/sql-lists.ts';
import type { WriterStore } from '../storage/store.ts';
import type { Dialect, WriterTables, WriteState } from '../storage/tables.ts';
import { AbandonedClaims } from './abandoned-claims.ts';
import { addSpend } from './daily-spend.ts';
import { lockAccepted } from './lock-accepted.ts';
import { turnCoins } from './own-coins.ts';
import { Scheduler } from './scheduler.ts';

/** A claim that is not renewed ends after this; its work is then free for others. */
const CLAIM_MS = 60_000;
/** More than any wait after a failure. */
const LONGEST_WAIT_MS = 2 * CLAIM_MS;
/** Values in one statement stay below what either database takes. */
const CHUNK = 2_000;
const DAY_MS = 86_400_000;

export type WriterDb = Kysely<WriterTables> | Transaction<WriterTables>;

/** A transaction as it is journalled, with the documents it writes in the order of its outputs. */
export interface NewTransaction {
  readonly row: TransactionRow;
  readonly documents: readonly DocumentRow[];
  readonly firstVout: number;
}

/** Why a document waits or was given up. Without an id it is in the words of another program. */
export type Reason = Pick<Failure, 'message'> & Partial<Failure>;

function noted(why: Reason): Pick<DocumentRow, 'last_error' | 'last_failure'> {
  return { last_error: why.message, last_failure: why.id === undefined ? null : JSON.stringify(why) };
}

/** The journal of documents and transactions: what is done with them, and by whom. */
export class WriteQueue {
  readonly db: Kysely<WriterTables>;
  readonly dialect: Dialect;
  readonly network: Network;
  readonly clock: Clock;
  /** See {@link WriterStore.relaxed}. What is signed is on the disk when it is claimed for sending, whichever way it was journalled. */
  readonly relaxed: WriterStore['relaxed'];
  /** How long a claim holds that is not renewed, in milliseconds. */
  readonly claimMs: number;
  /** When work on the queue gives way to what comes in. */
  readonly scheduler = new Scheduler();
  readonly #ids: IdSource;
  readonly #insertTransactions: RowInsert<'writer_transactions'>;
  /** Names this process in claims. */
  readonly #process = randomUUID();
  #claims = 0;
  /** What became of their rows could not be journalled, as on a full disk: those are due now, not when the claim ends. */
  readonly abandoned: AbandonedClaims;

  constructor(store: WriterStore, network: Network, clock: Clock, claimMs = CLAIM_MS) {
    this.claimMs = claimMs;
    this.db = store.db;
    this.relaxed = store.relaxed;
    this.dialect = store.dialect;
    this.abandoned = new AbandonedClaims(store.dialect);
    this.network = network;
    this.clock = clock;
    this.#insertTransactions = new RowInsert(store.dialect, 'writer_transactions');
    this.#ids = new IdSource(() => clock.now());
  }

  /** At the start: where nobody else uses the database, claims of an earlier process are void. */
  async voidClaims(): Promise<void> {
    const now = this.clock.now();
    const free = { claim: null, next_attempt_at: now };
    for (const table of ['writer_documents', 'writer_transactions'] as const) {
      await this.db
        .updateTable(table)
        .set(free)
        .where((eb) => {
          // No wait is so long: the clock was ahead when it was written down.
          const impossible = eb('next_attempt_at', '>', now + LONGEST_WAIT_MS);
          return this.dialect === 'sqlite' ? eb.or([eb('claim', 'is not', null), impossible]) : impossible;
        })
        .where('state', 'in', ['accepted', 'funded', 'signed'] as never)
        .execute();
    }
  }

  newId(): string {
    return this.#ids.next();
  }

  async bodies(db: WriterDb, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    if (ids.length === 0) return new Map();
    const isWanted = among(this.dialect, 'document_id', ids);
    const rows = await db.selectFrom('writer_bodies').selectAll().where(isWanted).execute();
    return new Map(rows.map(({ document_id, body }) => [document_id, body]));
  }

  /**
   * Claims accepted documents for work that takes longer than one database transaction.
   * @param keyIds claims documents of these API keys alone
   */
  async claimAccepted(limit: number, keyIds: readonly string[]): Promise<DocumentRow[]> {
    const claimed = await this.relaxed(async (db) =>
      this.#claim(db, 'writer_documents', await lockAccepted(this, db, limit, { keyIds })),
    );
    if (claimed.length < limit) this.abandoned.allTaken('accepted');
    return claimed;
  }

  /**
   * Claims transactions of a state whose next step is due. This waits for the disk, and with it everything journalled before: what is
   * about to leave the process cannot be forgotten.
   * @param keyIds leaves out transactions that a service pays for under other API keys; none where left out
   */
  async claimTransactions(
    state: 'funded' | 'signed',
    limit: number,
    keyIds?: readonly string[],
  ): Promise<TransactionRow[]> {
    const claimed = await this.db.transaction().execute(async (db) => {
      const rows = await db
        .selectFrom('writer_transactions')
        .selectAll()
        .where('network', '=', this.network)
        .where('state', '=', state)
        .where(sql<SqlBool>`state <> 'proven'`)
        .where(this.abandoned.orDue(state, this.clock.now()))
        .$if(keyIds !== undefined, (query) => query.where(withoutKeyOr(this.dialect, keyIds ?? [])))
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(limit)
        .$if(this.dialect === 'postgres', (query) => query.forUpdate().skipLocked())
        .execute();
      return this.#claim(db, 'writer_transactions', rows);
    });
    if (claimed.length < limit) this.abandoned.allTaken(state);
    return claimed;
  }

  /**
   * Journals new transactions with their documents. The fee counts for today, together with what others have journalled up to now.
   * @param cap fees of a day, in satoshis
   * @throws PlanchetError `fee-too-high` where the fees of today are over it now: the database transaction must not be completed then
   */
  async insertTransactions(
    db: Transaction<WriterTables>,
    added: readonly NewTransaction[],
    cap: number,
  ): Promise<void> {
    if (added.length === 0) return;
    const now = this.clock.now();
    const rows = added.map(({ row }) => row);
    await this.#insertTransactions.run(db, rows);
    for (const [state, some] of Map.groupBy(added, ({ row }) => row.state)) {
      const placed = some.flatMap(({ row, documents, firstVout }) =>
        documents.map((document, index) => [document.id, row.id, String(firstVout + index)]),
      );
      for (const rowsPlaced of chunks(placed, CHUNK)) {
        await sql`update writer_documents set state = ${state}, transaction_id = placed.value ->> 1,
          vout = cast(placed.value ->> 2 as integer), claim = null, last_error = null, last_failure = null, updated_at = ${now}
          from ${rowsOf(this.dialect, rowsPlaced)} as placed where writer_documents.id = placed.value ->> 0`.execute(
          db,
        );
      }
    }
    const fees = rows.reduce((sum, { fee }) => sum + fee, 0);
    if (fees > 0 && (await addSpend(db, { network: this.network, day: this.today(), satoshis: fees })) > cap)
      throw new PlanchetError('writer.daily-cap', { cap });
  }

  /** Fees of this day (UTC), in satoshis. */
  async spentToday(db: WriterDb = this.db): Promise<number> {
    const row = await db
      .selectFrom('writer_spend')
      .select('satoshis')
      .where('network', '=', this.network)
      .where('day', '=', this.today())
      .executeTakeFirst();
    return row?.satoshis ?? 0;
  }

  today(): number {
    return Math.floor(this.clock.now() / DAY_MS) * DAY_MS;
  }

  /** A funded transaction gets its signature. @returns false where the claim was lost: the signed form must then never be sent */
  async signed(row: TransactionRow, rawTx: Uint8Array, txid: string): Promise<boolean> {
    const now = this.clock.now();
    return this.db.transaction().execute(async (db) => {
      const changes = { state: 'signed', raw_tx: rawTx, txid, signed_at: now, next_attempt_at: now } as const;
      if (!(await this.#endClaim(db, row, changes))) return false;
      await this.moveDocuments(db, [row.id], 'signed');
      return true;
    });
  }

  /**
   * The miner took these transactions: what they spent is gone, what they pay to their own owner is there.
   * @returns those whose claim still held
   */
  async taken(rows: readonly TransactionRow[]): Promise<TransactionRow[]> {
    if (rows.length === 0) return [];
    const now = this.clock.now();
    return this.relaxed(async (db) => {
      const ids = idsOf(rows);
      const claims = [...new Set(rows.map(({ claim }) => claim ?? ''))];
      const moved = await db
        .updateTable('writer_transactions')
        .set({ state: 'submitted', submitted_at: now, updated_at: now, last_error: null, claim: null, attempts: 0 })
        .where(among(this.dialect, 'id', ids))
        .where('state', '=', 'signed')
        .where('claim', 'in', claims)
        .returning('id')
        .execute();
      const held = new Set(moved.map(({ id }) => id));
      const mine = rows.filter(({ id }) => held.has(id));
      if (mine.length === 0) return [];
      await this.moveDocuments(db, [...held], 'submitted', { last_error: null, last_failure: null });
      await turnCoins(this.dialect, db, mine);
      return mine;
    });
  }

  /** Given up. Its coins stay held, so that nothing else spends what a replay may need. @returns false where the claim was lost */
  async died(row: TransactionRow, why: Reason, code: number): Promise<boolean> {
    return this.db.transaction().execute(async (db) => {
      if (!(await this.#endClaim(db, row, { state: 'dead', last_error: why.message }))) return false;
      await this.moveDocuments(db, [row.id], 'dead', { ...noted(why), dead_code: code });
      return true;
    });
  }

  /** Tried again after `delay` ms. A lost claim changes nothing. */
  async postpone(row: TransactionRow, why: Reason, delay: number): Promise<void> {
    const changes = this.#later(row, why, delay);
    if (!(await this.#endClaim(this.db, row, changes))) return;
    const { attempts, updated_at } = changes;
    await this.db
      .updateTable('writer_documents')
      .set({ ...noted(why), attempts, updated_at })
      .where('transaction_id', '=', row.id)
      .execute();
  }

  /** An accepted document that cannot be written as things are. */
  async documentDied(db: WriterDb, row: DocumentRow, why: Reason, code: number): Promise<void> {
    await db
      .updateTable('writer_documents')
      .set({ ...noted(why), state: 'dead', dead_code: code, claim: null, updated_at: this.clock.now() })
      .where('id', '=', row.id)
      .where('state', '=', 'accepted')
      .execute();
  }

  /** A claimed document goes back to the others, to be tried after `delay` ms. */
  async documentPostponed(row: DocumentRow, why: Reason, delay: number): Promise<void> {
    await this.db
      .updateTable('writer_documents')
      .set({ ...this.#later(row, why, delay), ...noted(why), claim: null })
      .where('id', '=', row.id)
      .where('state', '=', 'accepted')
      .where('claim', '=', row.claim)
      .execute();
  }

  /** Documents of these transactions, and only those of `wanted`. */
  async documentsOf(transactionIds: readonly string[], wanted?: readonly string[]): Promise<DocumentRow[]> {
    if (transactionIds.length === 0 || wanted?.length === 0) return [];
    return this.db
      .selectFrom('writer_documents')
      .selectAll()
      .where(among(this.dialect, 'transaction_id', transactionIds))
      .$if(wanted !== undefined, (query) => query.where(among(this.dialect, 'id', wanted ?? [])))
      .execute();
  }

  async transaction(id: string): Promise<TransactionRow | undefined> {
    return this.db.selectFrom('writer_transactions').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** @param idOrTxid the journal's name of a document, or the txid of its transaction (its first document then) */
  async find(idOrTxid: string): Promise<DocumentRow | undefined> {
    if (/^[0-9a-f]{32}$/.test(idOrTxid)) {
      return this.db
        .selectFrom('writer_documents')
        .selectAll()
        .where('id', '=', idOrTxid)
        .where('network', '=', this.network)
        .executeTakeFirst();
    }
    if (!/^[0-9a-f]{64}$/.test(idOrTxid)) return undefined;
    return this.db
      .selectFrom('writer_documents as d')
      .innerJoin('writer_transactions as t', 't.id', 'd.transaction_id')
      .selectAll('d')
      .where('t.network', '=', this.network)
      .where('t.txid', '=', idOrTxid)
      .orderBy('d.vout')
      .limit(1)
      .executeTakeFirst();
  }

  /** Documents of a transaction follow its state. */
  async moveDocuments(
    db: Transaction<WriterTables>,
    transactionIds: readonly string[],
    state: WriteState,
    changes: { last_error?: string | null; last_failure?: string | null; dead_code?: number } = {},
  ): Promise<void> {
    for (const some of chunks(transactionIds, CHUNK)) {
      await db
        .updateTable('writer_documents')
        .set({ ...changes, state, updated_at: this.clock.now() })
        .where(among(this.dialect, 'transaction_id', some))
        .execute();
    }
  }

  /** Lets go of a claimed transaction with what came of it. @returns false where the claim was lost: nothing is changed then */
  async #endClaim(db: WriterDb, row: TransactionRow, changes: Partial<TransactionRow>): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('writer_transactions')
      .set({ updated_at: this.clock.now(), ...changes, claim: null })
      .where('id', '=', row.id)
      .where('state', '=', row.state)
      .where('claim', '=', row.claim)
      .executeTakeFirst();
    return Number(numUpdatedRows) === 1;
  }

  /** What is noted of a row that is tried again after `delay` ms. */
  #later({ attempts }: { attempts: number }, { message }: Reason, delay: number) {
    const now = this.clock.now();
    return { attempts: attempts + 1, next_attempt_at: now + delay, last_error: message, updated_at: now };
  }

  async #claim<Row extends { id: string }>(
    db: Transaction<WriterTables>,
    table: 'writer_documents' | 'writer_transactions',
    rows: readonly Row[],
  ): Promise<Row[]> {
    if (rows.length === 0) return [];
    this.#claims += 1;
    const claimed = { claim: `${this.#process}:${this.#claims}`, next_attempt_at: this.clock.now() + this.claimMs };
    const isClaimed = among(this.dialect, 'id', idsOf(rows));
    await db.updateTable(table).set(claimed).where(isClaimed).execute();
    return rows.map((row) => ({ ...row, ...claimed }));
  }
}

import { type SqlBool, sql, type Transaction } from 'kysely';
import type { Logger } from 'pino';
import { formatOutpoint, parseTx } from '../../../chain/index.ts';
import { type Failure, PlanchetError, toFailure, type WriterRetryResult } from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import type { Funding } from '../funding/funding.ts';
import { lookUpCoins, recoverCoins } from '../funding/wallet/coin-pool.ts';
import type { WriterDb } from '../queue/queue.ts';
import { journalAgain } from '../sending/replacement.ts';
import { idsOf, type TransactionRow } from '../storage/document.ts';
import type { WriterTables } from '../storage/tables.ts';
import { RetryJudge, type RetryJudgeOptions, type RetryVerdict } from './retry-judge.ts';

const MOST_DOCUMENTS = 1_000;
/** Each is judged and built for itself, with questions to the node and the miner. */
const MOST_TRANSACTIONS = 200;
const CHANGED = new PlanchetError('writer.retry-changed').toFailure();

export interface DeadLetterRetryOptions extends RetryJudgeOptions {
  fundingOf: (source: TransactionRow['source']) => Funding;
  logger: Logger;
}

/**
 * Takes dead documents up again without ever putting one on the chain twice.
 *
 * A document that never had a signed transaction is simply paid for anew. One that had is another matter: its transaction was refused,
 * but whoever saw it could hand it in again later, and a miner might then take it. So before the document gets a second transaction, the
 * first is held against the chain (see {@link RetryJudge}):
 *
 * - The miner or the node has it after all: it is taken up as it is.
 * - One of the coins it spends is unspent: the new transaction spends that coin too, with more coins where the fee has risen. A chain
 *   holds at most one transaction that spends a coin, so it holds at most one of the two, whichever is mined first. Should that be the
 *   old one, {@link reinstate} gives the document back to it.
 * - A block holds another transaction that spends one of its coins: it can never be mined, and the document is paid for anew. Only a
 *   change of the chain that takes that block away, together with somebody who then hands in a transaction every miner refused, could
 *   bring it back.
 * - Its coins are spent by a transaction no block holds yet: nothing is done, since either of the two may be mined.
 * - Nobody knows its coins: it cannot be told what became of it, nor can a coin be spent that does not exist, so the same bytes are sent
 *   again.
 */
export class DeadLetterRetry {
  readonly #options: DeadLetterRetryOptions;
  readonly #judge: RetryJudge;

  constructor(options: DeadLetterRetryOptions) {
    this.#options = options;
    this.#judge = new RetryJudge(options);
  }

  /** @param ids of documents; all where left out, as many as one call takes */
  async run(ids: readonly string[] | undefined): Promise<WriterRetryResult> {
    const { queue } = this.#options;
    const dead = await queue.db
      .selectFrom('writer_documents')
      .select(['id', 'transaction_id'])
      .where('network', '=', queue.network)
      .where('state', '=', 'dead')
      .where(sql<SqlBool>`state <> 'proven'`)
      .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
      .orderBy('next_attempt_at')
      .orderBy('id')
      .limit(MOST_DOCUMENTS)
      .execute();
    const unsigned = dead.filter(({ transaction_id }) => transaction_id === null);
    const transactions = [...new Set(dead.flatMap(({ transaction_id: id }) => (id === null ? [] : [id])))];
    let retried = await queue.db.transaction().execute((db) => this.#accept(db, idsOf(unsigned)));
    let kept = 0;
    let failure: Failure | null = null;
    for (const id of transactions.slice(0, MOST_TRANSACTIONS)) {
      const documents = await queue.documentsOf([id]);
      const why = await this.#tryAgain(id);
      if (why === undefined) retried += documents.length;
      else {
        kept += documents.length;
        failure ??= why;
      }
    }
    return { retried, kept, reason: failure?.message ?? null, failure };
  }

  /** @returns why nothing was done */
  async #tryAgain(id: string): Promise<Failure | undefined> {
    const { queue, logger } = this.#options;
    try {
      const row = await queue.transaction(id);
      if (row?.state !== 'dead') return CHANGED;
      const verdict = await this.#judge.judge(row);
      logger.info({ transaction: id, verdict: verdict.kind }, 'dead letters are taken up again');
      return await this.#act(row, verdict);
    } catch (error) {
      if (!(error instanceof PlanchetError)) logger.warn({ err: error, transaction: id }, 'a dead letter stays dead');
      return toFailure(error);
    }
  }

  async #act(row: TransactionRow, verdict: RetryVerdict): Promise<Failure | undefined> {
    const { queue, fundingOf } = this.#options;
    if (verdict.kind === 'undecided') return verdict.failure.toFailure();
    if (verdict.kind === 'alive' || verdict.kind === 'unknown') {
      const again = verdict.kind === 'alive' ? verdict.row : row;
      if (again.id !== row.id) await reinstate(this.#options, again);
      const sent = await queue.db.transaction().execute((db) => journalAgain(queue, db, again));
      return sent ? undefined : CHANGED;
    }
    if (verdict.kind === 'impossible') return this.#payAnew(row);
    const documents = (await queue.documentsOf([row.id])).sort((a, b) => (a.vout ?? 0) - (b.vout ?? 0));
    const done = await fundingOf(row.source).replace({ old: row, documents, coins: verdict.coins });
    return done ? undefined : CHANGED;
  }

  /** The old transaction can never be mined: its documents forget it, and what it held of ours is free. */
  async #payAnew(row: TransactionRow): Promise<Failure | undefined> {
    const { queue } = this.#options;
    const coins = await lookUpCoins(this.#options, [row]);
    return queue.db.transaction().execute(async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('writer_transactions')
        .set({ updated_at: queue.clock.now() })
        .where('id', '=', row.id)
        .where('state', '=', 'dead')
        .executeTakeFirst();
      if (Number(numUpdatedRows) !== 1) return CHANGED;
      const documents = await db
        .updateTable('writer_documents')
        .set({ transaction_id: null, vout: null })
        .where('transaction_id', '=', row.id)
        .where('state', '=', 'dead')
        .returning('id')
        .execute();
      await this.#accept(db, idsOf(documents));
      await recoverCoins(db, coins, [row.id]);
      return undefined;
    });
  }

  async #accept(db: Transaction<WriterTables>, ids: readonly string[]): Promise<number> {
    const now = this.#options.queue.clock.now();
    let count = 0;
    for (const some of chunks(ids, 500)) {
      const { numUpdatedRows } = await db
        .updateTable('writer_documents')
        .set({ state: 'accepted', next_attempt_at: now, attempts: 0, dead_code: null, claim: null, updated_at: now })
        .where('id', 'in', some)
        .where('state', '=', 'dead')
        .executeTakeFirst();
      count += Number(numUpdatedRows);
    }
    return count;
  }
}

/**
 * A transaction that was given up and replaced came to life: its documents are its own again. What was to replace it spends one of its
 * coins, so it can never be mined; the other coins of that are free, and its change will never be there.
 * @throws PlanchetError `upstream-*` | `writer.retry-changed`; nothing is changed then
 */
export async function reinstate(options: RetryJudgeOptions, row: TransactionRow): Promise<void> {
  const { queue } = options;
  const later = await replacementsOf(queue.db, row);
  if (later.length === 0) return;
  const ids = idsOf(later);
  const txids = later.map(({ txid }) => txid);
  const { inputs } = parseTx(row.raw_tx);
  const coins = await lookUpCoins(options, later, new Set(inputs.map(formatOutpoint)));
  await queue.db.transaction().execute(async (db) => {
    if ((await replacementsOf(db, row)).length !== later.length) throw new PlanchetError('writer.retry-changed');
    const now = queue.clock.now();
    const last_error = 'the transaction it was to replace came to life';
    await db
      .updateTable('writer_transactions')
      .set({ state: 'dead', last_error, claim: null, updated_at: now })
      .where('id', 'in', ids)
      .execute();
    await db
      .updateTable('writer_documents')
      .set({ transaction_id: row.id, state: 'dead', updated_at: now })
      .where('transaction_id', 'in', ids)
      .execute();
    for (const { txid, vout } of inputs) {
      await db
        .updateTable('writer_coins')
        .set({ held_by: row.id })
        .where('network', '=', row.network)
        .where('txid', '=', txid)
        .where('vout', '=', vout)
        .where('held_by', 'in', ids)
        .execute();
    }
    await recoverCoins(db, coins, ids);
    await db
      .deleteFrom('writer_coins')
      .where('network', '=', row.network)
      .where('txid', 'in', txids)
      .where('held_by', 'is', null)
      .execute();
    await db.updateTable('writer_transactions').set({ replaced_by: null }).where('id', '=', row.id).execute();
  });
}

/** What replaced a transaction, and what replaced that. */
async function replacementsOf(db: WriterDb, { replaced_by }: TransactionRow): Promise<TransactionRow[]> {
  const later: TransactionRow[] = [];
  for (let id = replaced_by; id !== null; ) {
    const next = await db.selectFrom('writer_transactions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    later.push(next);
    id = next.replaced_by;
  }
  return later;
}

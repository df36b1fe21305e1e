import { randomUUID } from 'node:crypto';
import { chunks } from '../../chunks.ts';
import type { SandboxParts } from '../parts.ts';
import { lastSequence } from '../tables.ts';
import type { MerklePaths } from './merkle-paths.ts';
import type { WatchRequest } from './options.ts';
import { asPlayed } from './played-status.ts';
import type { ArcStatus, ArcTransaction } from './statuses.ts';
import type { ArcCallbacksTable, ArcWatchesTable } from './tables.ts';

/** Interval of batched messages. */
const BATCH_INTERVAL_MS = 5_000;
/** Rows per statement: SQLite allows 32,766 values. */
const ROWS_AT_ONCE = 1_000;
/** Sent for every callback request; other statuses only with full updates. */
const LAST_STATUSES: ReadonlySet<ArcStatus> = new Set(['REJECTED', 'MINED']);

type Db = SandboxParts['db'];

export interface ArcWatchesOptions extends Pick<SandboxParts, 'db' | 'clock' | 'faults'> {
  readonly merklePaths: MerklePaths;
}

/** Callback requests for transactions, and the messages for them. */
export class ArcWatches {
  readonly #options: ArcWatchesOptions;
  #sequence: number;

  static async open(options: ArcWatchesOptions): Promise<ArcWatches> {
    return new ArcWatches(options, await lastSequence(options.db, 'arc_callbacks'));
  }

  private constructor(options: ArcWatchesOptions, sequence: number) {
    this.#options = options;
    this.#sequence = sequence;
  }

  /**
   * Starts to watch transactions. Call it before submitting them, so that no status is missed. A repeated request with the same URL and
   * token replaces the first.
   * @returns a function that removes the new watches of refused transactions
   */
  async add(txids: readonly string[], request: WatchRequest): Promise<(refused: readonly string[]) => Promise<void>> {
    const { db } = this.#options;
    const rows = txids.map(
      (txid): ArcWatchesTable => ({
        uid: randomUUID(),
        txid,
        url: request.url,
        token: request.token,
        batch: request.batch ? 1 : 0,
        full_updates: request.fullStatusUpdates ? 1 : 0,
      }),
    );
    await db.transaction().execute(async (trx) => {
      for (const some of chunks(rows, ROWS_AT_ONCE)) {
        await trx
          .insertInto('arc_watches')
          .values(some)
          .onConflict((conflict) =>
            conflict.columns(['txid', 'url', 'token']).doUpdateSet((eb) => ({
              batch: eb.ref('excluded.batch'),
              full_updates: eb.ref('excluded.full_updates'),
            })),
          )
          .execute();
      }
    });
    const uids = new Map(rows.map(({ txid, uid }) => [txid, uid]));
    return async (refused) => {
      const gone = refused.flatMap((txid) => uids.get(txid) ?? []);
      for (const some of chunks(gone, ROWS_AT_ONCE))
        await db.deleteFrom('arc_watches').where('uid', 'in', some).execute();
    };
  }

  /** Removes the callback requests of final transactions, except those with waiting messages. */
  async forget(txids: readonly string[]): Promise<void> {
    for (const some of chunks(txids, ROWS_AT_ONCE)) {
      await this.#options.db
        .deleteFrom('arc_watches')
        .where('txid', 'in', some)
        .where('uid', 'not in', (eb) => eb.selectFrom('arc_callbacks').select('watch_uid'))
        .execute();
    }
  }

  /**
   * Prepares the messages about changed transactions.
   * @returns a function that stores them, to be called in the database transaction that stores the changes
   */
  async messagesFor(changed: readonly ArcTransaction[]): Promise<(db: Db) => Promise<void>> {
    const watches = await this.#watchesOf(changed.map(({ txid }) => txid));
    const rows: ArcCallbacksTable[] = [];
    for (const transaction of changed) {
      const told = (watches.get(transaction.txid) ?? []).filter(
        ({ full_updates }) => full_updates === 1 || LAST_STATUSES.has(transaction.status),
      );
      if (told.length === 0) continue;
      const message = JSON.stringify(await this.#message(transaction));
      for (const watch of told) rows.push(this.#row(watch, message));
    }
    return async (db) => {
      for (const some of chunks(rows, ROWS_AT_ONCE)) await db.insertInto('arc_callbacks').values(some).execute();
    };
  }

  async #watchesOf(txids: readonly string[]): Promise<Map<string, ArcWatchesTable[]>> {
    const found: ArcWatchesTable[][] = [];
    for (const some of chunks(txids, ROWS_AT_ONCE))
      found.push(await this.#options.db.selectFrom('arc_watches').selectAll().where('txid', 'in', some).execute());
    return Map.groupBy(found.flat(), ({ txid }) => txid);
  }

  async #message(transaction: ArcTransaction): Promise<object> {
    const told = asPlayed(transaction, this.#options.faults, 'arc');
    const { txid, status, extraInfo, competing, blockHash, blockHeight, changedAt } = told;
    return {
      timestamp: new Date(changedAt).toISOString(),
      txid,
      txStatus: status,
      extraInfo,
      competingTxs: competing.length === 0 ? null : competing,
      merklePath: await this.#options.merklePaths.of(told),
      blockHash,
      blockHeight,
    };
  }

  #row({ uid, batch }: ArcWatchesTable, message: string): ArcCallbacksTable {
    const now = this.#options.clock.now();
    return {
      sequence: ++this.#sequence,
      watch_uid: uid,
      message,
      attempts: 0,
      next_at: batch === 1 ? Math.ceil((now + 1) / BATCH_INTERVAL_MS) * BATCH_INTERVAL_MS : now,
      state: 'waiting',
      last_error: '',
    };
  }
}

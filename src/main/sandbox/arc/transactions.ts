import { chunks } from '../../chunks.ts';
import { SerialQueue } from '../node/mempool/admission.ts';
import type { RemovedTransaction } from '../node/types.ts';
import type { SandboxParts } from '../parts.ts';
import { type ArcStatus, type ArcTransaction, hasReached } from './statuses.ts';
import type { ArcTransactionsTable } from './tables.ts';
import type { ArcWatches } from './watches.ts';

/** Confirmations after which a transaction is no longer watched in memory. */
const SETTLED_DEPTH = 100;
/** Rows per statement: SQLite allows 32,766 values. */
const ROWS_AT_ONCE = 1_000;

export type ArcChange = Partial<Omit<ArcTransaction, 'txid' | 'changedAt'>>;

export interface ArcTransactionsOptions extends Pick<SandboxParts, 'db' | 'node' | 'clock' | 'logger'> {
  readonly watches: ArcWatches;
  /** Called after changes and the messages about them were stored. */
  readonly changed: (transactions: readonly ArcTransaction[]) => void;
}

/**
 * Follows the transactions that were submitted over ARC. What happened while the sandbox was stopped is found at the next start. Changes
 * are serialised, and stored before they are reported.
 */
export class ArcTransactions {
  readonly #options: ArcTransactionsOptions;
  /** Transactions whose status may still change, by txid. */
  readonly #live = new Map<string, ArcTransaction>();
  readonly #work = new SerialQueue();
  readonly #waiting = new Set<() => void>();
  readonly #stops: (() => void)[];

  static async open(options: ArcTransactionsOptions): Promise<ArcTransactions> {
    const transactions = new ArcTransactions(options);
    await transactions.#load();
    return transactions;
  }

  private constructor(options: ArcTransactionsOptions) {
    this.#options = options;
    const { node } = options;
    this.#stops = [
      node.onTip((tip, { hash, transactions }) => {
        const txids = transactions.map(({ txid }) => txid);
        this.#later(() => this.#mined(hash, tip.height, txids));
      }),
      node.onDisconnect(({ hash }) => this.#later(() => this.#disconnected(hash))),
      node.onRemoved((removed) => {
        if (this.#live.has(removed.txid)) this.#later(() => this.#removed(removed));
      }),
      node.onTransactions((accepted) => {
        const txids = accepted.flatMap(({ txid }) => (isWaitingForNetwork(this.#live.get(txid)) ? [txid] : []));
        if (txids.length > 0) this.#later(() => this.#accepted(txids));
      }),
      node.onRefused(({ txid, conflictedWith = [] }) => {
        const attacked = conflictedWith.flatMap((one) => (this.#live.has(one.txid) ? [one.txid] : []));
        if (attacked.length > 0) this.#later(() => this.#attacked(attacked, txid));
      }),
    ];
  }

  /** The state of a submitted transaction; undefined if it was never submitted over ARC. */
  async get(txid: string): Promise<ArcTransaction | undefined> {
    const live = this.#live.get(txid);
    if (live) return live;
    const row = await this.#options.db
      .selectFrom('arc_transactions')
      .selectAll()
      .where('txid', '=', txid)
      .executeTakeFirst();
    return row && read(row);
  }

  /** Watches transactions. Call it before submitting them, so that no event is missed. @returns those that are new */
  expect(txids: readonly string[]): string[] {
    const fresh = txids.filter((txid) => !this.#live.has(txid));
    const changedAt = this.#options.clock.now();
    for (const txid of fresh) {
      const nothing = { extraInfo: '', competing: [], blockHash: '', blockHeight: 0 };
      this.#live.set(txid, { txid, status: 'RECEIVED', ...nothing, changedAt });
    }
    return fresh;
  }

  /** Stops watching transactions that were refused and have had no other status. */
  forget(txids: readonly string[]): void {
    for (const txid of txids) if (this.#live.get(txid)?.status === 'RECEIVED') this.#live.delete(txid);
  }

  /** Stores the node's results, unless a transaction has changed since. */
  record(outcomes: ReadonlyMap<string, ArcChange>): Promise<void> {
    return this.#work.run(() =>
      this.#change(
        [...outcomes.keys()].filter((txid) => isNew(this.#live.get(txid))),
        ({ txid }) => outcomes.get(txid),
      ),
    );
  }

  /** Resolves when a transaction has this status or a later one, or at the deadline. */
  async waitFor(txid: string, wanted: ArcStatus, deadline: Promise<void>): Promise<void> {
    let over = false;
    const ending = deadline.then(() => {
      over = true;
    });
    while (!over && !this.#isReached(txid, wanted)) {
      const { promise: changed, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await Promise.race([changed, ending]);
      this.#waiting.delete(resolve);
    }
  }

  #isReached(txid: string, wanted: ArcStatus): boolean {
    const transaction = this.#live.get(txid);
    return transaction === undefined || hasReached(transaction.status, wanted);
  }

  /** Stops listening; events so far are stored. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#work.idle();
    for (const wake of this.#waiting) wake();
  }

  #later(work: () => Promise<void>): void {
    this.#work.run(work).catch((error: unknown) => {
      this.#options.logger.error({ err: error }, 'a status of ARC was not stored; the next start makes up for it');
    });
  }

  /** Applies changes. @param changeOf undefined to leave a transaction as it is */
  async #change(
    txids: readonly string[],
    changeOf: (transaction: ArcTransaction) => ArcChange | undefined,
  ): Promise<void> {
    const changedAt = this.#options.clock.now();
    const changed: ArcTransaction[] = [];
    for (const txid of txids) {
      const transaction = this.#live.get(txid);
      const change = transaction && changeOf(transaction);
      if (change) changed.push({ ...transaction, ...change, changedAt });
    }
    if (changed.length === 0) return;
    await this.#store(changed);
    for (const transaction of changed) this.#live.set(transaction.txid, transaction);
    this.#options.changed(changed);
    for (const wake of [...this.#waiting]) wake();
  }

  async #store(changed: readonly ArcTransaction[]): Promise<void> {
    const { db: all, watches } = this.#options;
    const storeMessages = await watches.messagesFor(changed);
    await all.transaction().execute(async (db) => {
      for (const some of chunks(changed, ROWS_AT_ONCE)) {
        await db.replaceInto('arc_transactions').values(some.map(rowOf)).execute();
      }
      await storeMessages(db);
    });
  }

  async #mined(blockHash: string, blockHeight: number, txids: readonly string[]): Promise<void> {
    const winners = new Set(txids);
    const losers = [...this.#live.values()].filter(
      ({ txid, status, competing }) =>
        !winners.has(txid) && status !== 'REJECTED' && competing.some((rival) => winners.has(rival)),
    );
    await this.#change(
      txids.filter((txid) => this.#live.has(txid)),
      () => ({ status: 'MINED', extraInfo: '', blockHash, blockHeight }),
    );
    await this.#change(
      losers.map(({ txid }) => txid),
      ({ competing }) => doubleSpentBy(competing.find((rival) => winners.has(rival)) ?? '', competing),
    );
    const settled = [...this.#live.values()].filter(
      ({ status, blockHeight: height }) => status === 'MINED' && height <= blockHeight - SETTLED_DEPTH,
    );
    for (const { txid } of settled) this.#live.delete(txid);
    await this.#options.watches.forget(settled.map(({ txid }) => txid));
  }

  async #disconnected(blockHash: string): Promise<void> {
    const rows = await this.#options.db
      .selectFrom('arc_transactions')
      .selectAll()
      .where('block_hash', '=', blockHash)
      .execute();
    for (const row of rows) if (!this.#live.has(row.txid)) this.#live.set(row.txid, read(row));
    await this.#change(
      rows.map(({ txid }) => txid),
      (transaction) =>
        transaction.status === 'MINED' && transaction.blockHash === blockHash
          ? { status: 'MINED_IN_STALE_BLOCK' }
          : undefined,
    );
  }

  #removed({ txid, reason, collidedWith }: RemovedTransaction): Promise<void> {
    return this.#change([txid], ({ status, competing }) => {
      if (status === 'RECEIVED' || status === 'REJECTED') return undefined;
      if (collidedWith) return doubleSpentBy(collidedWith.txid, competing);
      return { status: 'REJECTED', extraInfo: REMOVALS[reason], blockHash: '', blockHeight: 0 };
    });
  }

  #accepted(txids: readonly string[]): Promise<void> {
    return this.#change(txids, (transaction) =>
      isWaitingForNetwork(transaction) ? { status: 'SEEN_ON_NETWORK', extraInfo: '' } : undefined,
    );
  }

  #attacked(txids: readonly string[], rival: string): Promise<void> {
    return this.#change(txids, ({ txid, status, competing }) => {
      if (competing.includes(rival) || txid === rival || status === 'MINED' || status === 'REJECTED') return undefined;
      return { status: 'DOUBLE_SPEND_ATTEMPTED', competing: [...competing, rival] };
    });
  }

  /** Loads the transactions that may still change, and applies what happened while the sandbox was stopped. */
  async #load(): Promise<void> {
    const { db, node } = this.#options;
    const rows = await db
      .selectFrom('arc_transactions')
      .selectAll()
      .where((where) =>
        where.or([
          where('status', 'not in', ['MINED', 'REJECTED']),
          where('block_height', '>', node.tip().height - SETTLED_DEPTH),
        ]),
      )
      .execute();
    for (const row of rows) this.#live.set(row.txid, read(row));
    for (const transaction of [...this.#live.values()]) await this.#catchUp(transaction);
  }

  async #catchUp({ txid, status, blockHash, competing }: ArcTransaction): Promise<void> {
    const { node } = this.#options;
    const found = await node.transaction(txid);
    if (found?.blockHash && found.blockHeight !== null) {
      if (found.blockHash !== blockHash) await this.#mined(found.blockHash, found.blockHeight, [txid]);
      return;
    }
    if (status === 'MINED') await this.#change([txid], () => ({ status: 'MINED_IN_STALE_BLOCK' }));
    for (const rival of competing) {
      if ((await node.transaction(rival))?.blockHash)
        return this.#change([txid], () => doubleSpentBy(rival, competing));
    }
    if (found === undefined && status === 'SEEN_ON_NETWORK') {
      const extraInfo = 'evicted: the transaction left the mempool';
      await this.#change([txid], () => ({ status: 'REJECTED', extraInfo }));
    }
  }
}

/** ARC's texts for the node's reasons to drop a transaction. */
const REMOVALS: Readonly<Record<RemovedTransaction['reason'], string>> = {
  expired: 'evicted: the transaction expired from the mempool',
  'mempool-sizelimit-exceeded': 'evicted: mempool full',
  'collision-in-block-tx': 'double spend',
  reorg: 'invalid after a reorganisation',
};

function doubleSpentBy(rival: string, competing: readonly string[]): ArcChange {
  return {
    status: 'REJECTED',
    extraInfo: `double spend: ${rival} was mined`,
    competing: competing.includes(rival) ? competing : [...competing, rival],
    blockHash: '',
    blockHeight: 0,
  };
}

/** Whether a submission decides its status: it is new, or failed before. */
function isNew(transaction: ArcTransaction | undefined): boolean {
  return transaction?.status === 'RECEIVED' || transaction?.status === 'REJECTED';
}

function isWaitingForNetwork(transaction: ArcTransaction | undefined): boolean {
  const { status } = transaction ?? {};
  return status === 'SEEN_IN_ORPHAN_MEMPOOL' || status === 'ACCEPTED_BY_NETWORK' || status === 'REJECTED';
}

function read(row: ArcTransactionsTable): ArcTransaction {
  return {
    txid: row.txid,
    status: row.status,
    extraInfo: row.extra_info,
    competing: JSON.parse(row.competing) as string[],
    blockHash: row.block_hash,
    blockHeight: row.block_height,
    changedAt: Number(row.changed_at),
  };
}

function rowOf(transaction: ArcTransaction): ArcTransactionsTable {
  return {
    txid: transaction.txid,
    status: transaction.status,
    extra_info: transaction.extraInfo,
    competing: JSON.stringify(transaction.competing),
    block_hash: transaction.blockHash,
    block_height: transaction.blockHeight,
    changed_at: transaction.changedAt,
  };
}

import { type SqlBool, sql } from 'kysely';
import type { Logger } from 'pino';
import { type TscProof, toHex, tscNodes } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { FollowLoop } from '../../chain-data/following/follow-loop.ts';
import { type ChainPlace, walkBlocks } from '../../chain-data/following/walk-blocks.ts';
import { chunks } from '../../chunks.ts';
import type { BlockHead, BlockListing, BlockPlace, ChainData, Inclusion, TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BatchMerchant } from '../../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';
import type { WriteQueue } from '../queue/queue.ts';
import type { DocumentWaiters } from '../queue/waiters.ts';
import { idsOf, type TransactionRow } from '../storage/document.ts';
import { among } from '../storage/sql-lists.ts';
import { comeNearer, journalProven, type Proven } from './proven.ts';

/** Mempools with more are not listed. */
const LISTED_MEMPOOL = 20_000;
/** How many blocks back a change of the chain is noticed. */
const REMEMBERED_BLOCKS = 200;
const CHECK_MS = 2_000;
/** Taken by a miner and not proven. */
const ON_ITS_WAY = ['submitted', 'seen', 'mined'] as const;
/** What neither the mempool nor a block shows for so long is sent again. */
const LOST_AFTER_MS = 20_000;
const ASKED_AT_ONCE = 20;
/** Transactions looked at or journalled in one piece: a few milliseconds' work. */
const AT_ONCE = 50;

/** What is asked about without its bytes. */
type WaitingRow = Pick<TransactionRow, 'id' | 'txid' | 'state' | 'updated_at'>;

export interface ProofFollowerOptions {
  queue: WriteQueue;
  chainData: ChainData;
  tips: TipSource;
  merchant: BatchMerchant;
  tracker: Pick<TransactionTracker, 'proofOf'>;
  waiting: DocumentWaiters;
  clock: Clock;
  logger: Logger;
  /** A block freed coins, or a lost transaction is to be sent again. */
  wake: () => void;
  changed: () => void;
}

/**
 * Follows submitted transactions to their blocks: finds each in a block, makes its Merkle proof from the block's own list, and goes back
 * where the chain does.
 */
export class ProofFollower {
  readonly #options: ProofFollowerOptions;
  readonly #looks: FollowLoop;
  /** The last look did not reach the tip. */
  #isBehind = false;
  /** The greatest height that this process's node had. */
  #reached = -1;

  constructor(options: ProofFollowerOptions) {
    this.#options = options;
    this.#looks = new FollowLoop({
      clock: options.clock,
      onNews: (look) => options.tips.onTip(look),
      look: (signal, isNews) => this.#look(signal, isNews),
      pauseMs: () => CHECK_MS,
      onTrouble: (error) => options.logger.warn({ err: error }, 'written documents cannot be followed'),
    });
  }

  start(): void {
    void this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(signal: AbortSignal, isNews: boolean): Promise<void> {
    // While nothing is on its way, a new tip alone says more.
    if (!isNews && !this.#isBehind && !(await this.#isAnyOnItsWay())) return;
    const chainData = this.#options.chainData.until(signal);
    const { end } = await walkBlocks(chainData, this.#place(), signal);
    this.#isBehind = end === 'changed' || end === 'unverified';
    await this.#askAboutWaiting(chainData);
  }

  async #isAnyOnItsWay(): Promise<boolean> {
    const { queue } = this.#options;
    const row = await queue.db
      .selectFrom('writer_transactions')
      .select('id')
      .where('network', '=', queue.network)
      .where('state', 'in', ON_ITS_WAY)
      .where(sql<SqlBool>`state <> 'proven'`)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  #place(): ChainPlace {
    const { queue } = this.#options;
    return {
      blocks: (limit = REMEMBERED_BLOCKS) =>
        queue.db
          .selectFrom('writer_blocks')
          .select(['height', 'hash'])
          .where('network', '=', queue.network)
          .orderBy('height', 'desc')
          .limit(limit)
          .execute(),
      remember: (block) => remember(queue, block),
      since: async (fork) => (fork === undefined ? this.#oldest() : 0),
      leave: (fork) => this.#undoAbove(fork),
      search: (block, listing) => this.#search(block, listing),
      // Where others share the database, their nodes may have blocks that this one never had.
      isAhead: ({ height }, tip) => {
        this.#reached = Math.max(this.#reached, tip);
        return queue.dialect === 'postgres' && height > this.#reached;
      },
    };
  }

  async #undoAbove(fork: number): Promise<void> {
    const { queue, logger, changed } = this.#options;
    logger.info({ fork }, 'blocks left the chain; their documents wait for others');
    await queue.db.transaction().execute(async (db) => {
      const back = await db
        .updateTable('writer_transactions')
        .set({
          state: 'submitted',
          block_hash: null,
          block_height: null,
          proof: null,
          mined_at: null,
          proven_at: null,
          updated_at: queue.clock.now(),
        })
        .where('network', '=', queue.network)
        .where('block_hash', 'in', (eb) =>
          eb
            .selectFrom('writer_blocks')
            .select('hash')
            .where('writer_blocks.network', '=', queue.network)
            .where('height', '>', fork),
        )
        .returning('id')
        .execute();
      await queue.moveDocuments(db, idsOf(back), 'submitted');
      await db.deleteFrom('writer_blocks').where('network', '=', queue.network).where('height', '>', fork).execute();
    });
    changed();
  }

  /** When the oldest transaction was made that is not in a block. */
  async #oldest(): Promise<number | undefined> {
    const { queue } = this.#options;
    const oldest = await queue.db
      .selectFrom('writer_transactions')
      .select((eb) => eb.fn.min('created_at').as('at'))
      .where('network', '=', queue.network)
      .where(sql<SqlBool>`state <> 'proven'`)
      .executeTakeFirst();
    return oldest?.at == null ? undefined : Number(oldest.at);
  }

  async #search({ height, hash, header }: BlockHead, listing: BlockListing): Promise<void> {
    const { queue, waiting, wake, changed } = this.#options;
    listing.check();
    const { txids } = listing;
    const proven: Proven[] = [];
    for (const some of chunks(txids, queue.scheduler.batchSize(AT_ONCE))) {
      await queue.scheduler.next();
      for (const row of await this.#unproven(some)) {
        proven.push({ row, proof: jsonOf({ path: listing.path(row.txid), header }) });
      }
    }
    await journalProven(this.#options, proven, { height, hash });
    await comeNearer(queue, txids);
    if (proven.length === 0) return;
    await waiting.notifyOf(proven.map(({ row }) => row.id));
    wake();
    changed();
  }

  #unproven(txids: readonly string[]): Promise<TransactionRow[]> {
    const { queue } = this.#options;
    return queue.db
      .selectFrom('writer_transactions')
      .selectAll()
      .where('network', '=', queue.network)
      .where(among(queue.dialect, 'txid', txids))
      .where('state', 'in', ['signed', 'submitted', 'seen', 'mined', 'dead'])
      .execute();
  }

  /** What no block holds yet: seen in the mempool, or asked about, or sent again. */
  async #askAboutWaiting(chainData: ChainData): Promise<void> {
    const { queue, waiting, changed } = this.#options;
    const open = await this.#waitingRows();
    if (open.length === 0) return;
    const { value: mempool } = await chainData.mempool(LISTED_MEMPOOL);
    const listed = mempool && new Set(mempool);
    const seen = open.filter((row) => row.state === 'submitted' && listed?.has(row.txid));
    if (seen.length > 0) {
      for (const some of chunks(seen, queue.scheduler.batchSize(AT_ONCE))) {
        await queue.scheduler.next();
        await this.#noteSeen(idsOf(some));
      }
      changed();
    }
    const now = queue.clock.now();
    // A time in the future was written before the clock was put back.
    const isOld = (row: WaitingRow): boolean => Math.abs(now - row.updated_at) > LOST_AFTER_MS;
    const missing = open.filter((row) => !listed?.has(row.txid) && isOld(row));
    for (const some of chunks(missing.slice(0, 10 * ASKED_AT_ONCE), ASKED_AT_ONCE)) {
      await Promise.all(some.map((row) => this.#ask(row, chainData)));
    }
    await waiting.notifyOf(idsOf(missing));
  }

  async #waitingRows(): Promise<WaitingRow[]> {
    const { queue } = this.#options;
    const rows: WaitingRow[] = [];
    // State by state, as the index has them: together they would have to be sorted, however many wait.
    for (const state of ON_ITS_WAY) {
      await queue.scheduler.next();
      const some = await queue.db
        .selectFrom('writer_transactions')
        .select(['id', 'txid', 'state', 'updated_at'])
        .where('network', '=', queue.network)
        .where('state', '=', state)
        .where(sql<SqlBool>`state <> 'proven'`)
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(1_000)
        .execute();
      rows.push(...some);
    }
    return rows;
  }

  async #noteSeen(ids: readonly string[]): Promise<void> {
    const { queue } = this.#options;
    const now = queue.clock.now();
    await queue.relaxed(async (db) => {
      const moved = await db
        .updateTable('writer_transactions')
        .set({ state: 'seen', seen_at: now, updated_at: now })
        .where(among(queue.dialect, 'id', ids))
        .where('state', '=', 'submitted')
        .returning('id')
        .execute();
      await queue.moveDocuments(db, idsOf(moved), 'seen');
    });
  }

  /** Takes the proof that a miner sent, or asks the miner about one transaction, and the node for its proof where it is in a block. */
  async #ask(row: WaitingRow, chainData: ChainData): Promise<void> {
    const { queue, merchant, wake, logger, tracker } = this.#options;
    const kept = await tracker.proofOf(row.txid);
    if (kept !== undefined && (await chainData.hashAt(kept.height)).value === kept.hash)
      return this.#journal(row, kept);
    const status = await merchant.status(row.txid);
    const now = queue.clock.now();
    if (!status.known) {
      logger.warn({ transaction: row.id, txid: row.txid }, 'the miner does not know what it took; it is sent again');
      await queue.db.transaction().execute(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('writer_transactions')
          .set({ state: 'signed', next_attempt_at: now, attempts: 0, claim: null, updated_at: now })
          .where('id', '=', row.id)
          .where('state', '=', row.state)
          .executeTakeFirst();
        // Another process may have found it in a block meanwhile.
        if (Number(numUpdatedRows) === 1) await queue.moveDocuments(db, [row.id], 'signed');
      });
      wake();
      return;
    }
    const { blockHash } = status;
    const found = blockHash === null ? undefined : await this.#inclusion(row.txid, blockHash, chainData);
    if (found !== undefined) return this.#journal(row, found);
    await queue.db.updateTable('writer_transactions').set({ updated_at: now }).where('id', '=', row.id).execute();
  }

  async #journal({ id }: WaitingRow, found: Inclusion): Promise<void> {
    const row = await this.#options.queue.transaction(id);
    if (row !== undefined) await journalProven(this.#options, [{ row, proof: jsonOf(found) }], found);
  }

  /**
   * @returns undefined where no proof holds. The block may just have left the chain, so this is asked again later and keeps no other transaction
   * waiting.
   */
  async #inclusion(txid: string, hash: string, chainData: ChainData): Promise<Inclusion | undefined> {
    try {
      return (await chainData.inclusion(txid, hash)).value;
    } catch (error) {
      const isOfThis =
        error instanceof PlanchetError && (error.code === 'proof-invalid' || error.id === 'chain.node-error');
      if (!isOfThis) throw error;
      this.#options.logger.warn({ err: error, txid, hash }, 'no proof holds yet');
      return undefined;
    }
  }
}

/** A verified path as the journal keeps proofs. */
function jsonOf({ path, header }: Pick<Inclusion, 'path' | 'header'>): string {
  const { index, txid: txOrId } = path;
  const proof: TscProof = { index, txOrId, targetType: 'header', target: toHex(header), nodes: tscNodes(path) };
  return JSON.stringify(proof);
}

async function remember({ db, network }: WriteQueue, { height, hash }: BlockPlace): Promise<void> {
  await db
    .insertInto('writer_blocks')
    .values({ network, height, hash })
    .onConflict((conflict) => conflict.columns(['network', 'height']).doUpdateSet({ hash }))
    .execute();
  await db
    .deleteFrom('writer_blocks')
    .where('network', '=', network)
    .where('height', '<', height - REMEMBERED_BLOCKS)
    .execute();
}

import { type SqlBool, sql } from 'kysely';
import type { Logger } from 'pino';
import { type MerklePath, type TscProof, toHex, tscNodes } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import type { BlockHead, ChainData, TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BatchMerchant } from '../../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';
import type { WriteQueue } from '../queue/queue.ts';
import type { DocumentWaiters } from '../queue/waiters.ts';
import type { TransactionRow } from '../storage/document.ts';
import { among, chunks } from '../storage/sql-lists.ts';
import { comeNearer, journalProven, type Proven } from './proven.ts';

/** Mempools with more are not listed. */
const LISTED_MEMPOOL = 20_000;
/** How many blocks back a change of the chain is noticed. */
const REMEMBERED_BLOCKS = 200;
/** A start looks no further back: blocks before it held nothing of ours, or are found through the miner. */
const CATCH_UP_BLOCKS = 5_000;
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
  #running = false;
  #checks: Rerun | undefined;
  #cancel: () => void = () => undefined;
  #stopTips: () => void = () => undefined;
  #lastTrouble = '';
  /** The chain may have changed since it was searched. */
  #isChanged = true;
  /** The greatest height that this process's node had. */
  #reached = -1;

  constructor(options: ProofFollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.#checks = new Rerun({ work: () => this.#check(), onError: (error) => this.#failed(error) });
    this.#stopTips = this.#options.tips.onTip(() => this.check());
    this.check();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#stopTips();
    this.#cancel();
    await this.#checks?.stop();
  }

  /** Looks at the chain now; asked while it does so, once more afterwards. */
  check(): void {
    this.#isChanged = true;
    void this.#checks?.wake();
  }

  async #check(): Promise<void> {
    this.#cancel();
    try {
      // While nothing is on its way, a new tip alone says more.
      if (this.#isChanged || (await this.#isAnyOnItsWay())) await this.#look();
      this.#lastTrouble = '';
    } finally {
      if (this.#running) this.#cancel = this.#options.clock.after(CHECK_MS, () => void this.#checks?.wake());
    }
  }

  async #look(): Promise<void> {
    this.#isChanged = false;
    try {
      await this.#scanBlocks();
      await this.#askAboutWaiting();
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
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

  #failed(error: unknown): void {
    if (!this.#running) return;
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#lastTrouble)
      this.#options.logger.warn({ err: error }, 'written documents cannot be followed');
    this.#lastTrouble = message;
  }

  async #scanBlocks(): Promise<void> {
    const { chainData, queue } = this.#options;
    const { height: tip } = (await chainData.tip()).value;
    this.#reached = Math.max(this.#reached, tip);
    const last = await this.#lastCommon();
    const first = last === undefined ? await this.#firstHeight(tip) : last.height + 1;
    let below = last?.hash;
    for (let height = first; height <= tip && this.#running; height++) {
      const { value: head } = await chainData.headerAt(height);
      // The chain changed while it was searched: the next look first goes back.
      if (head === undefined || !(await this.#takeBlock(head, below))) {
        this.#isChanged = true;
        return;
      }
      below = head.hash;
    }
    if (last === undefined && first > tip) await remember(queue, tip, (await chainData.hashAt(tip)).value ?? '');
  }

  /**
   * Goes back to the last block that is still in the chain. Where others share the database, their nodes may have blocks that this one
   * never had: such a block has left the chain only if one below it has.
   * @returns undefined where none is known
   */
  async #lastCommon(): Promise<{ height: number; hash: string } | undefined> {
    const { queue, chainData } = this.#options;
    const known = await queue.db
      .selectFrom('writer_blocks')
      .selectAll()
      .where('network', '=', queue.network)
      .orderBy('height', 'desc')
      .limit(REMEMBERED_BLOCKS)
      .execute();
    const ahead: typeof known = [];
    for (const block of known) {
      const isAhead = queue.dialect === 'postgres' && block.height > this.#reached;
      if (!isAhead && (await chainData.hashAt(block.height)).value === block.hash) return ahead[0] ?? block;
      ahead.push(block);
      if (!isAhead) for (const { height, hash } of ahead.splice(0)) await this.#undo(height, hash);
    }
    return ahead[0];
  }

  async #undo(height: number, hash: string): Promise<void> {
    const { queue, logger, changed } = this.#options;
    logger.info({ height, hash }, 'a block left the chain; its documents wait for another');
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
        .where('block_hash', '=', hash)
        .returning('id')
        .execute();
      await queue.moveDocuments(
        db,
        back.map(({ id }) => id),
        'submitted',
      );
      await db.deleteFrom('writer_blocks').where('network', '=', queue.network).where('height', '=', height).execute();
    });
    changed();
  }

  /** Where a journal that never saw a block begins: before its oldest transaction that is not in one. */
  async #firstHeight(tip: number): Promise<number> {
    const { queue, chainData } = this.#options;
    const oldest = await queue.db
      .selectFrom('writer_transactions')
      .select((eb) => eb.fn.min('created_at').as('at'))
      .where('network', '=', queue.network)
      .where(sql<SqlBool>`state <> 'proven'`)
      .executeTakeFirst();
    if (oldest?.at == null) return tip + 1;
    let height = tip;
    const floor = Math.max(1, tip - CATCH_UP_BLOCKS);
    // Block times may be two hours off.
    const since = Math.floor(Number(oldest.at) / 1_000) - 7_200;
    while (height > floor) {
      const { value: head } = await chainData.headerAt(height);
      if (head === undefined || head.time < since) break;
      height -= Math.min(10, height - floor);
    }
    return height;
  }

  /** @param below hash of the block searched before it. @returns false where the block does not build on that one */
  async #takeBlock(head: BlockHead, below: string | undefined): Promise<boolean> {
    const { queue, chainData, waiting, wake, changed } = this.#options;
    const { height, hash, header } = head;
    if (below !== undefined && head.previousHash !== below) return false;
    const { value: listing } = await chainData.listing(head);
    if (listing === undefined) {
      await remember(queue, height, hash);
      return true;
    }
    listing.check();
    const { txids } = listing;
    const proven: Proven[] = [];
    for (const some of chunks(txids, queue.scheduler.batchSize(AT_ONCE))) {
      await queue.scheduler.next();
      for (const row of await this.#unproven(some)) {
        proven.push({ row, proof: JSON.stringify(tscProof(listing.path(row.txid), header)) });
      }
    }
    await journalProven(this.#options, proven, { height, hash });
    await comeNearer(queue, txids);
    await remember(queue, height, hash);
    if (proven.length === 0) return true;
    await waiting.notifyOf(proven.map(({ row }) => row.id));
    wake();
    changed();
    return true;
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
  async #askAboutWaiting(): Promise<void> {
    const { queue, chainData, waiting, changed } = this.#options;
    const open = await this.#waitingRows();
    if (open.length === 0) return;
    const { value: mempool } = await chainData.mempool(LISTED_MEMPOOL);
    const listed = mempool && new Set(mempool);
    const seen = open.filter((row) => row.state === 'submitted' && listed?.has(row.txid));
    if (seen.length > 0) {
      for (const some of chunks(seen, queue.scheduler.batchSize(AT_ONCE))) {
        await queue.scheduler.next();
        await this.#noteSeen(some.map(({ id }) => id));
      }
      changed();
    }
    const now = queue.clock.now();
    const missing = open.filter((row) => !listed?.has(row.txid) && now - row.updated_at > LOST_AFTER_MS);
    for (const some of chunks(missing.slice(0, 10 * ASKED_AT_ONCE), ASKED_AT_ONCE)) {
      await Promise.all(some.map((row) => this.#ask(row)));
    }
    await waiting.notifyOf(missing.map(({ id }) => id));
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
      await queue.moveDocuments(
        db,
        moved.map(({ id }) => id),
        'seen',
      );
    });
  }

  /** Takes the proof that a miner sent, or asks the miner about one transaction, and the node for its proof where it is in a block. */
  async #ask(row: WaitingRow): Promise<void> {
    const known = await this.#options.tracker.proofOf(row.txid);
    if (known !== undefined && (await this.#options.chainData.hashAt(known.height)).value === known.blockHash) {
      const { path, header, blockHash: hash, height } = known;
      return this.#journal(row, tscProof(path, header), { hash, height });
    }
    const { queue, merchant, wake, logger } = this.#options;
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
    const { blockHash: hash, blockHeight: height } = status;
    const proof = hash === null || height === null ? undefined : await this.#proofIn(row.txid, hash);
    if (proof === undefined || hash === null || height === null) {
      await queue.db.updateTable('writer_transactions').set({ updated_at: now }).where('id', '=', row.id).execute();
      return;
    }
    await this.#journal(row, proof, { hash, height });
  }

  async #journal(row: WaitingRow, proof: TscProof, block: { hash: string; height: number }): Promise<void> {
    const complete = await this.#options.queue.transaction(row.id);
    if (complete !== undefined)
      await journalProven(this.#options, [{ row: complete, proof: JSON.stringify(proof) }], block);
  }

  /**
   * The proof of a transaction in a block of the chain.
   * @returns undefined where there is none that holds. The block may just have left the chain, so this is asked again later and keeps no other
   * transaction waiting.
   */
  async #proofIn(txid: string, hash: string): Promise<TscProof | undefined> {
    try {
      const { value: found } = await this.#options.chainData.inclusion(txid, hash);
      return found && tscProof(found.path, found.header);
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
function tscProof(path: MerklePath, header: Uint8Array): TscProof {
  return { index: path.index, txOrId: path.txid, targetType: 'header', target: toHex(header), nodes: tscNodes(path) };
}

async function remember(queue: WriteQueue, height: number, hash: string): Promise<void> {
  const { db, network } = queue;
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

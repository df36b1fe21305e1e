import { formatOutpoint } from '../../../chain/index.ts';
import type { Store } from '../../ports/store.ts';
import {
  blockRow,
  type ChainTip,
  connectBlock,
  type DisconnectedBlock,
  disconnectBlock,
  following,
  loadTip,
  type RunScripts,
  readBlock,
} from './chainstate/chainstate.ts';
import { BlockRejectedError, checkBlock, type NewBlock, serializeNewBlock } from './consensus/blocks.ts';
import type { RuleSets } from './consensus/rule-sets.ts';
import type { ScriptCheck } from './consensus/script-check.ts';
import type { Mempool } from './mempool/mempool.ts';
import { MempoolEntry, mempoolRow } from './mempool/mempool-entry.ts';
import { recheckMempool } from './mempool/mempool-recheck.ts';
import { rawBlock } from './storage/block-bytes.ts';
import { blockByHash, deleteMempool, insertRows, tipBlock } from './storage/chain-store.ts';
import {
  deleteSideBlock,
  findBlock,
  hasMark,
  insertSideBlock,
  lastArrival,
  markFailed,
  rememberChronicle,
  type SideBlockRow,
  setMark,
  sideBlockRows,
} from './storage/side-store.ts';
import type { NodeTables } from './storage/tables.ts';

/** Steps of a chain change, in order. */
export type ChainStep =
  | {
      readonly kind: 'connected';
      readonly tip: ChainTip;
      readonly block: NewBlock;
      readonly fromMempool: ReadonlySet<string>;
    }
  | { readonly kind: 'disconnected'; readonly height: number; readonly block: NewBlock }
  /** A mempool transaction that conflicts with a block. */
  | {
      readonly kind: 'collision';
      readonly entry: MempoolEntry;
      readonly blockHash: string;
      readonly collidedWith: { readonly txid: string; readonly raw: Uint8Array };
    }
  /** A mempool transaction that the new chain does not allow. */
  | { readonly kind: 'dropped'; readonly entry: MempoolEntry }
  /** An invalid block. */
  | { readonly kind: 'refused'; readonly block: NewBlock; readonly height: number; readonly error: BlockRejectedError };

type Collision = Pick<Extract<ChainStep, { kind: 'collision' }>, 'entry' | 'collidedWith'>;

export interface LedgerOptions {
  readonly store: Store<NodeTables>;
  readonly mempool: Mempool;
  readonly ruleSets: RuleSets;
  readonly scripts: ScriptCheck;
  readonly runScripts: RunScripts;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Maximum seconds that a block's time may be ahead of the clock. */
const MOST_AHEAD = 7_200;

/**
 * The block tree and its chain of most work. Every step (connecting or disconnecting a block, with its effects on outputs and mempool) is
 * one database transaction, so a crash at any point leaves a consistent chain. Not reentrant: callers serialise all changes.
 */
export class Ledger {
  readonly #store: Store<NodeTables>;
  readonly #mempool: Mempool;
  readonly #options: LedgerOptions;
  readonly #side: Map<string, SideBlockRow>;
  readonly #failures = new Map<string, string>();
  #nextArrival: number;
  #tip: ChainTip;
  /** True if mempool scripts were checked under another rule set than the next block's. */
  #isOtherEra = false;
  /** True if the mempool may hold transactions that the chain does not allow, since a block was disconnected. */
  #isUnchecked = false;
  /** Steps that were stored and not returned yet, because the change failed after them. */
  readonly #steps: ChainStep[] = [];

  /** @param tip of the stored chain. An interrupted reorganisation is completed. */
  static async open(options: LedgerOptions, tip: ChainTip): Promise<Ledger> {
    const { db } = options.store;
    const side = new Map((await sideBlockRows(db)).map((row) => [row.hash, row]));
    const ledger = new Ledger(options, tip, side, (await lastArrival(db)) + 1);
    const { chronicleHeight } = options.ruleSets;
    ledger.#isOtherEra =
      (await hasMark(db, 'scripts-unchecked')) || !(await hasMark(db, `chronicle-${chronicleHeight}`));
    ledger.#isUnchecked = await hasMark(db, 'mempool-unchecked');
    await ledger.activate();
    await rememberChronicle(db, chronicleHeight);
    return ledger;
  }

  private constructor(options: LedgerOptions, tip: ChainTip, side: Map<string, SideBlockRow>, nextArrival: number) {
    this.#options = options;
    this.#store = options.store;
    this.#mempool = options.mempool;
    this.#tip = tip;
    this.#side = side;
    this.#nextArrival = nextArrival;
  }

  get tip(): ChainTip {
    return this.#tip;
  }

  get ruleSets(): RuleSets {
    return this.#options.ruleSets;
  }

  /** Blocks outside the main chain. */
  sideBlocks(): IterableIterator<SideBlockRow> {
    return this.#side.values();
  }

  sideBlock(hash: string): SideBlockRow | undefined {
    return this.#side.get(hash);
  }

  /** True if the block breaks a rule, was invalidated, or has such an ancestor. */
  isInvalid(hash: string): boolean {
    for (let row = this.#side.get(hash); row !== undefined; row = this.#side.get(row.previous_hash)) {
      if (row.failed === 1) return true;
    }
    return false;
  }

  /** Why a block was refused when it was to be connected, since the process started. */
  failureOf(hash: string): string | undefined {
    return this.#failures.get(hash);
  }

  /** Height at which a side block's branch leaves the main chain. */
  forkHeight(hash: string): number {
    const [first] = this.#branch(hash);
    return first === undefined ? this.#tip.height : first.height - 1;
  }

  /** Whether a block of any branch exists. */
  async has(hash: string): Promise<boolean> {
    return this.#side.has(hash) || (await blockByHash(this.#store.db, hash)) !== undefined;
  }

  /** The validation context after this block; undefined if it is unknown. */
  async context(hash: string): Promise<ChainTip | undefined> {
    if (hash === this.#tip.hash) return this.#tip;
    const { db } = this.#store;
    const branch = this.#branch(hash);
    const root = await blockByHash(db, branch[0]?.previous_hash ?? hash);
    if (root === undefined) return undefined;
    const base = await loadTip(db, root);
    const last = branch.at(-1);
    if (last === undefined) return base;
    return {
      hash: last.hash,
      height: last.height,
      time: last.time,
      times: [...base.times, ...branch.map(({ time }) => time)].slice(-11),
      medianTime: last.median_time,
      chainwork: BigInt(`0x${last.chainwork}`),
      chainTransactions: last.chain_transactions,
      arrival: last.arrival,
    };
  }

  /** Connects a block built on the tip from mempool transactions. @throws BlockRejectedError */
  async extend(block: NewBlock): Promise<ChainStep[]> {
    await this.#connect(block, this.#nextArrival++, () => false);
    if (this.#isOtherEra) await this.#recheckMempool();
    return this.#taken();
  }

  /**
   * Stores a side block after the checks that need no unspent outputs.
   * @throws BlockRejectedError
   */
  async keep(block: NewBlock): Promise<void> {
    const { previousHash } = block.header;
    const previous = await this.context(previousHash);
    if (previous === undefined) throw new BlockRejectedError('prev-blk-not-found');
    if (this.isInvalid(previousHash)) throw new BlockRejectedError('bad-prevblk');
    checkBlock(block, previous);
    // the clock may have been put back: the earliest time that the chain allows is not too far ahead
    const latest = Math.max(this.#options.now() / 1000 + MOST_AHEAD, previous.medianTime + 1);
    if (block.header.time > latest) throw new BlockRejectedError('time-too-new');
    const arrival = this.#nextArrival++;
    const { raw } = serializeNewBlock(block);
    const row: SideBlockRow = {
      ...blockRow(following(previous, block, arrival), block, raw.length),
      arrival,
      validity: 'transactions',
      failed: 0,
    };
    await insertSideBlock(this.#store.db, row, raw);
    this.#side.set(row.hash, row);
  }

  /**
   * Activates the valid branch with most work; of two with equal work, the one that arrived first. Also completes a change that failed
   * midway, and then returns all its steps.
   */
  async activate(): Promise<ChainStep[]> {
    for (let branch = this.#better(); branch.length > 0; branch = this.#better()) {
      const fork = (branch[0] as SideBlockRow).height - 1;
      while (this.#tip.height > fork) await this.#disconnect();
      for (const row of branch) {
        if (!(await this.#connectSide(row))) break;
      }
    }
    if (this.#isUnchecked || this.#isOtherEra) await this.#recheckMempool();
    return this.#taken();
  }

  #taken(): ChainStep[] {
    return this.#steps.splice(0);
  }

  /**
   * Invalidates a block and its descendants. If it was on the main chain, the best other branch is activated.
   * @throws Error for an unknown block and for the genesis block
   */
  async invalidate(hash: string): Promise<ChainStep[]> {
    if (!this.#side.has(hash)) {
      const row = await blockByHash(this.#store.db, hash);
      if (row === undefined || row.height === 0) throw new Error(`block ${hash} cannot be declared invalid`);
      while (this.#tip.height >= row.height) await this.#disconnect();
    }
    await this.#fail([hash], true);
    return this.activate();
  }

  /** Clears the invalid mark of a block, its ancestors and its descendants. */
  async reconsider(hash: string): Promise<ChainStep[]> {
    const line = new Set(this.#branch(hash).map((row) => row.hash));
    for (const row of this.#side.values()) {
      if (this.#branch(row.hash).some((ancestor) => ancestor.hash === hash)) line.add(row.hash);
    }
    const failed = [...line].filter((one) => this.#side.get(one)?.failed === 1);
    if (failed.length > 0) await this.#fail(failed, false);
    return this.activate();
  }

  async #fail(hashes: readonly string[], failed: boolean): Promise<void> {
    await markFailed(this.#store.db, hashes, failed);
    for (const hash of hashes) {
      const row = this.#side.get(hash);
      if (row !== undefined) this.#side.set(hash, { ...row, failed: failed ? 1 : 0 });
    }
  }

  /** The side blocks from the main chain to a block, inclusive. */
  #branch(hash: string): SideBlockRow[] {
    const branch: SideBlockRow[] = [];
    for (let row = this.#side.get(hash); row !== undefined; row = this.#side.get(row.previous_hash)) branch.push(row);
    return branch.reverse();
  }

  /** The branch that should become the main chain; empty if the main chain is the best. */
  #better(): SideBlockRow[] {
    const tipWork = this.#tip.chainwork.toString(16).padStart(64, '0');
    let best = { chainwork: tipWork, arrival: this.#tip.arrival, hash: '' };
    for (const row of this.#side.values()) {
      const wins = row.chainwork > best.chainwork || (row.chainwork === best.chainwork && row.arrival < best.arrival);
      if (wins && !this.isInvalid(row.hash)) best = row;
    }
    return best.hash === '' ? [] : this.#branch(best.hash);
  }

  async #connectSide(row: SideBlockRow): Promise<boolean> {
    const raw = await rawBlock(this.#store.db, row.hash);
    if (raw === undefined) throw new Error(`block ${row.hash} is missing`);
    const block = readBlock(raw);
    const unchecked = row.validity === 'transactions';
    const isUnchecked = (txid: string) => unchecked && (this.#isOtherEra || !this.#mempool.has(txid));
    try {
      await this.#connect(block, row.arrival, isUnchecked);
      return true;
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error;
      await this.#fail([row.hash], true);
      this.#failures.set(row.hash, error.reason);
      this.#steps.push({ kind: 'refused', block, height: row.height, error });
      return false;
    }
  }

  async #connect(block: NewBlock, arrival: number, isUnchecked: (txid: string) => boolean): Promise<void> {
    const own = new Set(block.transactions.map(({ txid }) => txid));
    const fromMempool = new Set([...own].filter((txid) => this.#mempool.has(txid)));
    const collisions = this.#collisions(block, own);
    const changesRules = this.#options.ruleSets.changesAfter(this.#tip.height + 1);
    const tip = await this.#store.db.transaction().execute(async (db) => {
      await deleteMempool(db, [...fromMempool, ...collisions.map(({ entry }) => entry.txid)]);
      const connected = await connectBlock(db, this.#tip, block, { ...this.#options, arrival, isUnchecked });
      if (changesRules) await setMark(db, 'scripts-unchecked');
      if (this.#side.has(block.hash)) await deleteSideBlock(db, block.hash);
      return connected;
    });
    this.#tip = tip;
    this.#isOtherEra ||= changesRules;
    this.#side.delete(block.hash);
    for (const txid of fromMempool) this.#mempool.remove(txid);
    for (const { entry } of collisions) this.#mempool.remove(entry.txid);
    this.#mempool.regroup();
    for (const collision of collisions) this.#steps.push({ kind: 'collision', blockHash: block.hash, ...collision });
    this.#steps.push({ kind: 'connected', tip, block, fromMempool });
  }

  /** Mempool transactions that conflict with the block, and their descendants. */
  #collisions(block: NewBlock, own: ReadonlySet<string>): Collision[] {
    const found = new Map<string, Collision>();
    for (const { txid, tx, raw } of block.transactions.slice(1)) {
      for (const input of tx.inputs) {
        const spender = this.#mempool.spender(formatOutpoint(input));
        if (spender === undefined || own.has(spender.txid) || found.has(spender.txid)) continue;
        for (const entry of [spender, ...this.#mempool.descendants(spender)]) {
          if (!found.has(entry.txid)) found.set(entry.txid, { entry, collidedWith: { txid, raw } });
        }
      }
    }
    return [...found.values()];
  }

  async #disconnect(): Promise<void> {
    const { hash, height } = this.#tip;
    const changesRules = this.#options.ruleSets.changesAfter(height);
    const { tip, block, released, side } = await this.#store.db.transaction().execute(async (db) => {
      const undone = await disconnectBlock(db, this.#tip);
      const entries = this.#returning(undone.released);
      await insertRows(db, 'node_mempool', entries.map(mempoolRow));
      await setMark(db, 'mempool-unchecked');
      if (changesRules) await setMark(db, 'scripts-unchecked');
      const aside = (await findBlock(db, hash))?.side;
      if (aside === undefined) throw new Error(`block ${hash} was lost`);
      return { ...undone, released: entries, side: aside };
    });
    this.#side.set(hash, side);
    this.#tip = tip;
    this.#isOtherEra ||= changesRules;
    this.#isUnchecked = true;
    this.#mempool.prepend(released);
    this.#steps.push({ kind: 'disconnected', height, block });
  }

  #returning(released: DisconnectedBlock['released']): MempoolEntry[] {
    const first = this.#mempool.firstSequence - released.length;
    return released.map(
      ({ txid, tx, raw, fee }, index) =>
        new MempoolEntry({
          txid,
          raw,
          outpoints: tx.inputs.map(formatOutpoint),
          fee,
          sequence: first + index,
          time: this.#options.now(),
          height: this.#tip.height - 1,
          ancestors: 0,
        }),
    );
  }

  /** Drops mempool transactions that the current chain does not allow, and their descendants. */
  async #recheckMempool(): Promise<void> {
    const scripts = this.#isOtherEra ? this.#options.scripts : undefined;
    const dropped = await recheckMempool(this.#store, this.#mempool, this.#tip, scripts);
    this.#isOtherEra = false;
    this.#isUnchecked = false;
    for (const entry of dropped) this.#steps.push({ kind: 'dropped', entry });
  }
}

/** Loads the tip of a store; undefined for an empty one. */
export async function storedTip(store: Store<NodeTables>): Promise<ChainTip | undefined> {
  const row = await tipBlock(store.db);
  return row && loadTip(store.db, row);
}

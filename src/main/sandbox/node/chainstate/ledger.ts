import { formatOutpoint } from '../../../../chain/index.ts';
import type { Store } from '../../../ports/store.ts';
import { BlockRejectedError, checkBlock, type NewBlock, serializeNewBlock } from '../consensus/blocks.ts';
import type { Eras } from '../consensus/eras.ts';
import type { ScriptCheck } from '../consensus/script-check.ts';
import type { Mempool } from '../mempool/mempool.ts';
import { MempoolEntry } from '../mempool/mempool-entry.ts';
import { recheckMempool } from '../mempool/mempool-recheck.ts';
import { rawBlock } from '../storage/block-bytes.ts';
import { blockByHash, deleteMempool, insertMempool, tipBlock } from '../storage/chain-store.ts';
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
} from '../storage/side-store.ts';
import type { MempoolTable, NodeTables } from '../storage/tables.ts';
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
} from './chainstate.ts';

/** What a change of the chain did, in the order it was done. */
export type ChainStep =
  | {
      readonly kind: 'connected';
      readonly tip: ChainTip;
      readonly block: NewBlock;
      readonly fromMempool: ReadonlySet<string>;
    }
  | { readonly kind: 'disconnected'; readonly height: number; readonly block: NewBlock }
  /** A waiting transaction that a block made impossible. */
  | {
      readonly kind: 'collision';
      readonly entry: MempoolEntry;
      readonly blockHash: string;
      readonly collidedWith: { readonly txid: string; readonly raw: Uint8Array };
    }
  /** A waiting transaction that the new chain does not allow any more. */
  | { readonly kind: 'dropped'; readonly entry: MempoolEntry }
  /** A block that breaks a rule. */
  | { readonly kind: 'refused'; readonly block: NewBlock; readonly height: number; readonly error: BlockRejectedError };

export interface LedgerOptions {
  readonly store: Store<NodeTables>;
  readonly mempool: Mempool;
  readonly eras: Eras;
  readonly scripts: ScriptCheck;
  readonly runScripts: RunScripts;
  /** Milliseconds. */
  readonly now: () => number;
}

/** How far ahead of the clock a block's time may be, in seconds. */
const MOST_AHEAD = 7_200;

/**
 * The tree of blocks and the chain of most work in it. Every step (a block connected or taken off, with what that does to the outputs
 * and the mempool) is one transaction of the database, so whatever stops the program in between leaves a chain that is whole.
 * Nothing here runs at the same time as anything else here: callers see to that.
 */
export class Ledger {
  readonly #store: Store<NodeTables>;
  readonly #mempool: Mempool;
  readonly #runScripts: RunScripts;
  readonly #now: () => number;
  readonly #options: LedgerOptions;
  readonly #side: Map<string, SideBlockRow>;
  readonly #failures = new Map<string, string>();
  #nextArrival: number;
  #tip: ChainTip;
  /** True while scripts of waiting transactions were run by other rules than the next block follows. */
  #isOtherEra = false;

  /** @param tip of the chain in the store. A reorganisation that was interrupted is finished. */
  static async open(options: LedgerOptions, tip: ChainTip): Promise<Ledger> {
    const { db } = options.store;
    const side = new Map((await sideBlockRows(db)).map((row) => [row.hash, row]));
    const ledger = new Ledger(options, tip, side, (await lastArrival(db)) + 1);
    const { chronicleHeight } = options.eras;
    ledger.#isOtherEra =
      (await hasMark(db, 'scripts-unchecked')) || !(await hasMark(db, `chronicle-${chronicleHeight}`));
    await ledger.activate();
    if (ledger.#isOtherEra || (await hasMark(db, 'mempool-unchecked'))) await ledger.#recheckMempool();
    await rememberChronicle(db, chronicleHeight);
    return ledger;
  }

  private constructor(options: LedgerOptions, tip: ChainTip, side: Map<string, SideBlockRow>, nextArrival: number) {
    this.#options = options;
    this.#store = options.store;
    this.#mempool = options.mempool;
    this.#runScripts = options.runScripts;
    this.#now = options.now;
    this.#tip = tip;
    this.#side = side;
    this.#nextArrival = nextArrival;
  }

  get tip(): ChainTip {
    return this.#tip;
  }

  get eras(): Eras {
    return this.#options.eras;
  }

  /** Blocks that are not on the main chain. */
  sideBlocks(): IterableIterator<SideBlockRow> {
    return this.#side.values();
  }

  sideBlock(hash: string): SideBlockRow | undefined {
    return this.#side.get(hash);
  }

  /** True where the block breaks a rule, was declared invalid, or follows one that is so. */
  isInvalid(hash: string): boolean {
    for (let row = this.#side.get(hash); row !== undefined; row = this.#side.get(row.previous_hash)) {
      if (row.failed === 1) return true;
    }
    return false;
  }

  /** Why a block was refused when it was to be connected, since the program was started. */
  failureOf(hash: string): string | undefined {
    return this.#failures.get(hash);
  }

  /** Height of the newest block of the main chain that a side block builds on. */
  forkHeight(hash: string): number {
    const [first] = this.#branch(hash);
    return first === undefined ? this.#tip.height : first.height - 1;
  }

  /** True for a block of any branch. */
  async has(hash: string): Promise<boolean> {
    return this.#side.has(hash) || (await blockByHash(this.#store.db, hash)) !== undefined;
  }

  /** What the next block after this one is held against; undefined for a block nobody knows. */
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

  /** Connects a block that was made on the tip out of transactions of the mempool. @throws BlockRejectedError */
  async extend(block: NewBlock): Promise<ChainStep[]> {
    const steps = await this.#connect(block, this.#nextArrival++, () => false);
    return this.#isOtherEra ? [...steps, ...(await this.#recheckMempool())] : steps;
  }

  /**
   * Keeps a block beside the main chain after the checks that need no unspent outputs.
   * @throws BlockRejectedError
   */
  async keep(block: NewBlock): Promise<void> {
    const { previousHash } = block.header;
    const previous = await this.context(previousHash);
    if (previous === undefined) throw new BlockRejectedError('prev-blk-not-found');
    if (this.isInvalid(previousHash)) throw new BlockRejectedError('bad-prevblk');
    checkBlock(block, previous);
    if (block.header.time > this.#now() / 1000 + MOST_AHEAD) throw new BlockRejectedError('time-too-new');
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

  /** Makes the valid branch with most work the main chain; of two with the same work the one that came first. */
  async activate(): Promise<ChainStep[]> {
    const steps: ChainStep[] = [];
    let undone = false;
    for (let branch = this.#better(); branch.length > 0; branch = this.#better()) {
      const fork = (branch[0] as SideBlockRow).height - 1;
      while (this.#tip.height > fork) {
        steps.push(...(await this.#disconnect()));
        undone = true;
      }
      for (const row of branch) {
        if (!(await this.#connectSide(row, steps))) break;
      }
    }
    if (undone || this.#isOtherEra) steps.push(...(await this.#recheckMempool()));
    return steps;
  }

  /**
   * Declares a block and what follows it invalid; if it was on the main chain, the best of the others takes over.
   * @throws Error for a block nobody knows and for the first block
   */
  async invalidate(hash: string): Promise<ChainStep[]> {
    const steps: ChainStep[] = [];
    if (!this.#side.has(hash)) {
      const row = await blockByHash(this.#store.db, hash);
      if (row === undefined || row.height === 0) throw new Error(`block ${hash} cannot be declared invalid`);
      while (this.#tip.height >= row.height) steps.push(...(await this.#disconnect()));
    }
    await this.#fail([hash], true);
    steps.push(...(await this.activate()), ...(await this.#recheckMempool()));
    return steps;
  }

  /** Takes the mark of an invalid block off the block, what it builds on and what builds on it. */
  async reconsider(hash: string): Promise<ChainStep[]> {
    const line = new Set([...this.#branch(hash)].map((row) => row.hash));
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

  /** The side blocks that lead from the main chain to a block, that one last. */
  #branch(hash: string): SideBlockRow[] {
    const branch: SideBlockRow[] = [];
    for (let row = this.#side.get(hash); row !== undefined; row = this.#side.get(row.previous_hash)) branch.push(row);
    return branch.reverse();
  }

  /** The branch that ought to be the main chain; empty while the main chain is. */
  #better(): SideBlockRow[] {
    const tipWork = this.#tip.chainwork.toString(16).padStart(64, '0');
    let best = { chainwork: tipWork, arrival: this.#tip.arrival, hash: '' };
    for (const row of this.#side.values()) {
      const wins = row.chainwork > best.chainwork || (row.chainwork === best.chainwork && row.arrival < best.arrival);
      if (wins && !this.isInvalid(row.hash)) best = row;
    }
    return best.hash === '' ? [] : this.#branch(best.hash);
  }

  async #connectSide(row: SideBlockRow, steps: ChainStep[]): Promise<boolean> {
    const raw = await rawBlock(this.#store.db, row.hash);
    if (raw === undefined) throw new Error(`block ${row.hash} is missing`);
    const block = readBlock(raw);
    const unchecked = row.validity === 'transactions';
    const isUnchecked = (txid: string) => unchecked && (this.#isOtherEra || !this.#mempool.has(txid));
    try {
      steps.push(...(await this.#connect(block, row.arrival, isUnchecked)));
      return true;
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error;
      await this.#fail([row.hash], true);
      this.#failures.set(row.hash, error.reason);
      steps.push({ kind: 'refused', block, height: row.height, error });
      return false;
    }
  }

  async #connect(block: NewBlock, arrival: number, isUnchecked: (txid: string) => boolean): Promise<ChainStep[]> {
    const own = new Set(block.transactions.map(({ txid }) => txid));
    const fromMempool = new Set([...own].filter((txid) => this.#mempool.has(txid)));
    const collisions = this.#collisions(block, own);
    const changesEra = this.#options.eras.changesAfter(this.#tip.height + 1);
    const tip = await this.#store.db.transaction().execute(async (db) => {
      await deleteMempool(db, [...fromMempool, ...collisions.map(({ entry }) => entry.txid)]);
      const connected = await connectBlock(db, this.#tip, block, {
        arrival,
        isUnchecked,
        runScripts: this.#runScripts,
        eras: this.#options.eras,
      });
      if (changesEra) await setMark(db, 'scripts-unchecked');
      if (this.#side.has(block.hash)) await deleteSideBlock(db, block.hash);
      return connected;
    });
    this.#tip = tip;
    this.#isOtherEra ||= changesEra;
    this.#side.delete(block.hash);
    for (const txid of fromMempool) this.#mempool.remove(txid);
    for (const { entry } of collisions) this.#mempool.remove(entry.txid);
    this.#mempool.regroup();
    return [
      ...collisions.map((collision) => ({ kind: 'collision' as const, blockHash: block.hash, ...collision })),
      { kind: 'connected', tip, block, fromMempool },
    ];
  }

  /** Waiting transactions that spend what the block spends, and all that build on them. */
  #collisions(
    block: NewBlock,
    own: ReadonlySet<string>,
  ): { entry: MempoolEntry; collidedWith: { txid: string; raw: Uint8Array } }[] {
    const found = new Map<string, { entry: MempoolEntry; collidedWith: { txid: string; raw: Uint8Array } }>();
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

  async #disconnect(): Promise<ChainStep[]> {
    const { hash, height } = this.#tip;
    const changesEra = this.#options.eras.changesAfter(height);
    const { tip, block, released } = await this.#store.db.transaction().execute(async (db) => {
      const undone = await disconnectBlock(db, this.#tip);
      const entries = this.#returning(undone.released);
      await insertMempool(db, entries.map(mempoolRow));
      await setMark(db, 'mempool-unchecked');
      if (changesEra) await setMark(db, 'scripts-unchecked');
      return { ...undone, released: entries };
    });
    const side = (await findBlock(this.#store.db, hash))?.side;
    if (side === undefined) throw new Error(`block ${hash} was lost`);
    this.#side.set(hash, side);
    this.#tip = tip;
    this.#isOtherEra ||= changesEra;
    this.#mempool.prepend(released);
    return [{ kind: 'disconnected', height, block }];
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
          time: this.#now(),
          height: this.#tip.height - 1,
          ancestors: 0,
        }),
    );
  }

  /** Drops what the chain as it is now does not allow, with all that builds on it. */
  async #recheckMempool(): Promise<ChainStep[]> {
    const scripts = this.#isOtherEra ? this.#options.scripts : undefined;
    const dropped = await recheckMempool(this.#store, this.#mempool, this.#tip, scripts);
    this.#isOtherEra = false;
    return dropped.map((entry) => ({ kind: 'dropped', entry }));
  }
}

/** The row of a waiting transaction. */
export function mempoolRow({ sequence, txid, raw, fee, time, height }: MempoolEntry): MempoolTable {
  return { sequence, txid, raw, fee, time, height };
}

/** Reads the tip of a store, undefined for an empty one. */
export async function storedTip(store: Store<NodeTables>): Promise<ChainTip | undefined> {
  const row = await tipBlock(store.db);
  return row && loadTip(store.db, row);
}

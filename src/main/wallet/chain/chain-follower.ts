import { formatOutpoint, parseHeader } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { BlockFindings, ChainData, Sought } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChainHeader, FollowedHeaders } from '../../ports/headers.ts';
import type { ScannedBlock } from '../coins/book-edit.ts';
import type { CoinBook } from '../coins/coin-book.ts';
import { highestPaid } from '../coins/used-keys.ts';
import type { KeySource } from '../keys/key-source.ts';
import { beginAnew, dropTransaction, partsOf, pruneSpent, rollBack } from './coin-effects.ts';
import { applyAndFollow, keysText, searchAgain, searchedForAll } from './followed-keys.ts';
import { HistoryScan, type Reading } from './history-scan.ts';
import { settleDisputes } from './spend-watch.ts';
import { type ScriptCheck, type Unconfirmed, UnconfirmedChecks } from './unconfirmed-checks.ts';
import { readUnconfirmed } from './unconfirmed-reader.ts';

/** Mempool transactions fetched in one pass; the rest is for the next. */
const MAX_FETCHED = 500;
/** A transaction the node has not known for so long is given up, and the coins it spent are free again. */
export const GIVE_UP_AFTER_MS = 600_000;
/** Clocks of miners and of this machine may differ by two hours (a consensus rule); a third is for ours. */
const BIRTH_MARGIN_MS = 3 * 3_600_000;
const PRUNE_EVERY_BLOCKS = 100;
/** How often it is noted that everything is searched: so many blocks are read again at most where further keys come in. */
const NOTE_SEARCHED_EVERY_BLOCKS = 100;
/** Blocks that are taken in one commit, which waits for the disk; fewer where they are large. */
const BLOCKS_AT_ONCE = 100;
const BYTES_AT_ONCE = 1_000_000;

type ReadBlock = BlockFindings & ScannedBlock;

export interface ChainFollowerOptions {
  chainData: ChainData;
  headers: FollowedHeaders;
  clock: Clock;
  keys: KeySource;
  book: CoinBook;
  scripts: ScriptCheck;
  /** Told when {@link ChainFollower.reading} is another one. */
  onReading: () => void;
}

/**
 * Brings a coin book up to the chain and the node's mempool, one pass at a time. Which blocks are on the chain is said by the verified headers,
 * and what a block holds by its Merkle root: the node only sends them.
 */
export class ChainFollower {
  readonly #chainData: ChainData;
  readonly #headers: FollowedHeaders;
  readonly #clock: Clock;
  readonly #keys: KeySource;
  readonly #book: CoinBook;
  /** Mempool transactions that were already checked, related to the wallet or not. */
  #seen = new Set<string>();
  /** Listed, and without bytes when they were asked for. */
  #absent: ReadonlySet<string> = new Set();
  /** Of mempool transactions that are not read yet, by id: those that spend from them and were read before. */
  #early = new Map<string, Set<string>>();
  readonly #checks: UnconfirmedChecks;
  readonly #history: HistoryScan;
  /** The tip when what is not proven was checked last. */
  #checkedAt: string | undefined;

  constructor({ chainData, headers, clock, keys, book, scripts, onReading }: ChainFollowerOptions) {
    this.#chainData = chainData;
    this.#headers = headers;
    this.#clock = clock;
    this.#keys = keys;
    this.#book = book;
    this.#checks = new UnconfirmedChecks({ chainData, clock, book, scripts });
    this.#history = new HistoryScan({ chainData, headers, clock, keys, book, onReading });
  }

  /** How far the looking up of listed transactions is; undefined while there is none. */
  get reading(): Reading | undefined {
    return this.#history.reading;
  }

  /**
   * Scans new blocks (after going back where the chain changed) and new mempool transactions. Where payments made it follow further keys
   * meanwhile, what it scanned before is searched for those as well: an address may be paid before one that was given out earlier.
   * @param best the node's best block, where it is known already; else the node is asked for it
   * @throws PlanchetError `upstream-*` (`wallet.chain-refused`, `wallet.block-refused` where the node invents), NodeRpcError; what was done
   *   until then stays, and the next pass goes on from there
   */
  async pass(signal: AbortSignal, best?: string): Promise<void> {
    for (;;) {
      const isIndexed = await this.#scan(signal, best);
      const areThere = await this.#fetchKeys();
      if (searchedForAll(this.#book.state.keys, this.#keys.all)) {
        if (areThere) await this.#noteSearched();
        return;
      }
      // an index tells of further keys without going back
      if (!isIndexed) await searchAgain(this.#book, this.#keys.all, this.#clock.now());
      this.#readMempoolAnew();
    }
  }

  /** @returns false where another wallet has the keys and does not answer: the next pass asks it again */
  async #fetchKeys(): Promise<boolean> {
    try {
      await this.#keys.prepare?.(highestPaid(this.#book.used));
      return true;
    } catch {
      return false;
    }
  }

  /** The blocks up to the tip hold nothing for keys that come later. */
  async #noteSearched(): Promise<void> {
    const { searchedTo } = this.#book.state;
    if (searchedTo !== null && this.#searched - searchedTo < NOTE_SEARCHED_EVERY_BLOCKS) return;
    await this.#book.change((edit) => {
      if (searchedForAll(edit.currentState.keys, this.#keys.all)) edit.setState({ searchedTo: this.#searched });
    });
  }

  /** The last block that was scanned; the one before the first, where there is none yet. */
  get #searched(): number {
    return this.#book.tip?.height ?? (this.#book.state.birthHeight ?? 0) - 1;
  }

  /** @returns whether an index of scripts told what there is, so that no block was searched */
  async #scan(signal: AbortSignal, best: string | undefined): Promise<boolean> {
    // The mempool is listed first: what a block takes out of it meanwhile is then found in the block.
    const listedAt = this.#clock.now();
    if (await this.#scanIndex(listedAt, signal)) return true;
    const { value: mempool } = await this.#chainData.until(signal).mempool();
    await this.#scanBlocks(signal, best);
    // Where it is too large to be listed, payments are seen in blocks alone.
    if (mempool !== undefined) await this.#scanMempool(mempool, listedAt, signal);
    await settleDisputes(this.#book, this.#chainData.until(signal));
    return false;
  }

  /** @returns false where nobody keeps an index of scripts */
  async #scanIndex(listedAt: number, signal: AbortSignal): Promise<boolean> {
    const chain = this.#chainData.until(signal);
    const keys = this.#keys.all;
    const { value: history } = await chain.history(keys.map(({ pubKeyHash }) => pubKeyHash));
    if (history === undefined) return false;
    const further = keys.filter((key) => !searchedForAll(this.#book.state.keys, [key]));
    await this.#returnToChain();
    const waiting = await this.#history.take(history, new Set(further.map(({ pubKeyHash }) => pubKeyHash)), signal);
    if (further.length > 0) await this.#book.change((edit) => edit.setState({ keys: keysText(keys) }));
    await this.#scanMempool(waiting, listedAt, signal);
    return true;
  }

  async #scanBlocks(signal: AbortSignal, told: string | undefined): Promise<void> {
    // Between blocks, the mempool and this are all that a pass asks for.
    const headers = this.#headers;
    const isRead = (hash: string): boolean => hash === this.#book.tip?.hash && headers.isActive(hash);
    if (told !== undefined && isRead(told)) return;
    const { hash: best } = (await this.#chainData.until(signal).tip()).value;
    if (isRead(best)) return;
    if (best !== headers.tip?.hash || headers.isReading || headers.failure !== null)
      await this.#readHeaders(best, signal);
    for (;;) {
      await this.#returnToChain();
      const next = (this.#book.tip?.height ?? (await this.#birthHeight()) - 1) + 1;
      if (headers.at(next) === undefined) return;
      const read: ReadBlock[] = [];
      try {
        await this.#read(read, next, signal);
      } finally {
        if (read.length > 0) await this.#take(read);
      }
    }
  }

  /**
   * Has the headers up to the node's newest block read and verified.
   * @throws PlanchetError `wallet.chain-refused` where that block is not on the chain with the most work; what the reading failed with
   */
  async #readHeaders(best: string, signal: AbortSignal): Promise<void> {
    await endsOrAborts(this.#headers.refresh(), signal);
    const { failure } = this.#headers;
    if (failure === null && this.#headers.isActive(best)) return;
    if (failure instanceof PlanchetError) throw failure;
    const reason = failure?.message ?? 'Another chain has more work.';
    throw new PlanchetError('wallet.chain-refused', { hash: best, node: this.#nodeName, reason });
  }

  get #nodeName(): string {
    return this.#chainData.name;
  }

  /** Adds blocks that are taken together, each on the one before; fewer where the chain changed meanwhile. */
  async #read(read: ReadBlock[], from: number, signal: AbortSignal): Promise<void> {
    let bytes = 0;
    const keys = new Set(this.#keys.all.map(({ pubKeyHash }) => pubKeyHash));
    // What a block pays, the next one may spend.
    const made = new Set<string>();
    const { coins } = this.#book;
    const sought = { keys, outpoints: { has: (outpoint: string) => coins.has(outpoint) || made.has(outpoint) } };
    for (let height = from; read.length < BLOCKS_AT_ONCE && bytes < BYTES_AT_ONCE; height++) {
      signal.throwIfAborted();
      const hash = this.#headers.at(height)?.hash;
      if (hash === undefined) return;
      const block = await this.#search({ height, hash }, sought, signal);
      const last = read.at(-1) ?? this.#book.tip;
      if (last && parseHeader(block.header).previousHash !== last.hash) return;
      read.push({ ...block, height, hash });
      for (const { txid, outputs } of block.transactions)
        for (const { vout } of outputs) made.add(formatOutpoint({ txid, vout }));
      bytes += block.bytes;
    }
  }

  /** Finds the last block that is still on the chain and goes back to it. */
  async #returnToChain(): Promise<void> {
    const blocks = this.#book.blocks;
    const isActive = ({ hash }: ScannedBlock): boolean => this.#headers.isActive(hash);
    const last = blocks.at(-1);
    if (!last || isActive(last)) return;
    const common = blocks.findLast(isActive);
    // Chains of one network share their first block, so that block in common says nothing: the node was given another chain.
    if (!common || common.height === 0) await beginAnew(this.#book, this.#clock.now());
    else {
      const { height } = common;
      const touched = [...this.#book.transactions].filter(([, record]) => (record.height ?? 0) > height);
      await this.#book.change((edit) => {
        const at = this.#clock.now();
        rollBack(edit, height, at, true);
        const txids = touched.map(([txid]) => txid);
        if (txids.length > 0) edit.tell({ kind: 'reorganised', at, txids, height });
      });
    }
    this.#readMempoolAnew();
  }

  #readMempoolAnew(): void {
    this.#seen = new Set();
    this.#early = new Map();
  }

  /** @throws PlanchetError `wallet.other-block`, `wallet.block-refused`, `upstream-*` */
  async #search(block: ScannedBlock, sought: Sought, signal: AbortSignal): Promise<BlockFindings> {
    const { hash } = block;
    const { value } = await this.#chainData
      .until(signal)
      .search(block, sought)
      .catch((error: unknown) => {
        if (!(error instanceof PlanchetError)) throw error;
        const node = this.#nodeName;
        if (error.id === 'chain.block-differs') throw new PlanchetError('wallet.other-block', { hash, node });
        if (error.id !== 'chain.block-invalid') throw error;
        throw new PlanchetError('wallet.block-refused', { hash, node, reason: String(error.values?.reason) });
      });
    if (value === undefined) throw new PlanchetError('chain.block-unknown', { hash });
    return value;
  }

  async #take(blocks: readonly ReadBlock[]): Promise<void> {
    await this.#book.change((edit) => {
      const now = this.#clock.now();
      for (const { height, hash, header, transactions } of blocks) {
        const at = { height, now, time: parseHeader(header).time * 1_000 };
        const parts = transactions.map((tx) => ({ ...tx, coinbase: tx.index === 0, malleable: false }));
        applyAndFollow(edit, parts, this.#keys, at);
        edit.addBlock({ height, hash });
        if (height % PRUNE_EVERY_BLOCKS === 0) pruneSpent(edit, height);
      }
    });
  }

  /** Decided once and then stored: the height the scan begins at. */
  async #birthHeight(): Promise<number> {
    const stored = this.#book.state.birthHeight;
    if (stored !== null) return stored;
    const { birth } = this.#keys;
    const birthHeight = 'height' in birth ? birth.height : this.#heightAt(birth.time - BIRTH_MARGIN_MS);
    await this.#book.change((edit) => edit.setState({ birthHeight }));
    return birthHeight;
  }

  /** @returns the height of the last block before a time (ms); block times rise, but for a wobble the margin covers. */
  #heightAt(time: number): number {
    let before = 0;
    let after = (this.#headers.tip?.height ?? 0) + 1;
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      const { header } = this.#headers.at(middle) as ChainHeader;
      if (parseHeader(header).time * 1_000 <= time) before = middle;
      else after = middle;
    }
    return before;
  }

  async #scanMempool(mempool: readonly string[], listedAt: number, signal: AbortSignal): Promise<void> {
    const listed = new Set(mempool);
    this.#checkAgain();
    const waits = mempool.filter((txid) => !this.#seen.has(txid));
    // What nobody had the last time comes last, so that invented ids keep nothing back.
    const unseen = [
      ...waits.filter((txid) => !this.#absent.has(txid)),
      ...waits.filter((txid) => this.#absent.has(txid)),
    ].slice(0, MAX_FETCHED);
    const { read, unread, absent } = await readUnconfirmed(this.#chainData.until(signal), unseen);
    // Once the transaction before is read, or in a block, it is seen what they spend of it.
    const parents = [...this.#early.keys()].filter((txid) => read.has(txid) || !listed.has(txid));
    const early = new Set(parents.flatMap((txid) => [...(this.#early.get(txid) ?? [])]));
    const again = [...early].filter((txid) => listed.has(txid) && !read.has(txid));
    const second = await readUnconfirmed(this.#chainData.until(signal), again);
    for (const [txid, one] of second.read) read.set(txid, one);
    const left = await this.#takeUnconfirmed(read, listed, signal);
    await this.#noteMissing(listed, listedAt);
    // Only now: what could not be stored is read again.
    for (const txid of parents) this.#early.delete(txid);
    for (const [txid, { tx }] of read) {
      for (const { txid: parent } of tx.inputs) {
        if (!listed.has(parent) || this.#seen.has(parent) || read.has(parent)) continue;
        this.#early.set(parent, (this.#early.get(parent) ?? new Set()).add(txid));
      }
    }
    this.#seen = new Set([...mempool.filter((txid) => this.#seen.has(txid)), ...unseen]);
    for (const txid of [...left, ...unread, ...second.unread]) this.#seen.delete(txid);
    // A service may list a transaction before it hands out its bytes.
    this.#absent = new Set(absent);
    for (const txid of this.#absent) this.#seen.delete(txid);
  }

  /** With each block, what was not proven is read once more: the block may hold what it builds on. */
  #checkAgain(): void {
    const tip = this.#book.tip?.hash;
    if (tip === this.#checkedAt) return;
    for (const [txid, { unproven }] of this.#book.pending) if (unproven) this.#seen.delete(txid);
    this.#checkedAt = tip;
  }

  /** Checks what concerns the wallet and takes what holds. @returns the ids of those that were left for the next pass */
  async #takeUnconfirmed(
    read: ReadonlyMap<string, Unconfirmed>,
    listed: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<string[]> {
    const rest = new Map(read);
    const left: string[] = [];
    let followed: number;
    do {
      followed = this.#keys.all.length;
      const some = this.#checks.concerning(rest, this.#keys.all);
      const verdicts = await this.#checks.judge(some, read, listed, signal);
      const among = (verdict: string): Unconfirmed[] =>
        [...some.values()].filter(({ txid }) => verdicts.get(txid) === verdict);
      const unproven = among('unproven');
      const taken = [...among('valid'), ...unproven].map(({ tx, txid }) => partsOf(tx, txid));
      const at = { height: null, now: this.#clock.now(), unproven: new Set(unproven.map(({ txid }) => txid)) };
      await this.#book.change((edit) => {
        applyAndFollow(edit, taken, this.#keys, at);
        // one that an earlier version believed
        for (const { txid } of among('invalid')) if (edit.pendingOf(txid)?.unproven) dropTransaction(edit, txid);
      });
      for (const txid of some.keys()) {
        rest.delete(txid);
        if (!verdicts.has(txid)) left.push(txid);
      }
      // Keys that are followed since may be paid by what concerned nobody before.
    } while (this.#keys.all.length > followed);
    return left;
  }

  async #noteMissing(listed: ReadonlySet<string>, listedAt: number): Promise<void> {
    const now = this.#clock.now();
    await this.#book.change((edit) => {
      for (const [txid, pending] of this.#book.pending) {
        // Seen since the listing, by another way: the listing says nothing about it.
        if (pending.since >= listedAt) continue;
        if (listed.has(txid)) {
          if (pending.missingSince !== null) edit.setPending(txid, { ...pending, missingSince: null });
        } else if (pending.missingSince === null) {
          edit.setPending(txid, { ...pending, missingSince: now });
        } else if (now - pending.missingSince >= GIVE_UP_AFTER_MS) {
          edit.tell({ kind: 'dropped', at: now, txids: [txid], height: null });
          dropTransaction(edit, txid, 'dropped');
        }
      }
    });
  }
}

/** Waits for work that goes on without whoever stops waiting. @throws the reason of the signal */
function endsOrAborts(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}

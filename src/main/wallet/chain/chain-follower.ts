import { formatOutpoint, parseHeader } from '../../../chain/index.ts';
import { type Phrase, PlanchetError, phrase } from '../../../contract/index.ts';
import type { BlockFindings, KeyHistory, Sought } from '../../ports/chain-data.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import type { ScannedBlock } from '../coins/storage/coin-edit.ts';
import { highestPaid } from '../coins/storage/used-keys.ts';
import { beginAnew, pruneSpent, rollBack } from './coin-effects.ts';
import { applyAndFollow, keysText, searchAgain, searchedForAll } from './followed-keys.ts';
import { HistoryScan, type Reading } from './history-scan.ts';
import { MempoolScan } from './mempool/mempool-scan.ts';
import type { ScriptCheck } from './mempool/unconfirmed-checks.ts';
import { MissingBlocks, type MissingBlocksOptions } from './missing-blocks.ts';
import { settleDisputes } from './spend-watch.ts';

/** Clocks of miners and of this machine may differ by two hours (a consensus rule); a third is for ours. */
const BIRTH_MARGIN_MS = 3 * 3_600_000;
const PRUNE_EVERY_BLOCKS = 100;
/** How often it is noted that everything is searched: so many blocks are read again at most where further keys come in. */
const NOTE_SEARCHED_EVERY_BLOCKS = 100;
/** Blocks that are taken in one commit, which waits for the disk; fewer where they are large. */
const BLOCKS_AT_ONCE = 100;
const BYTES_AT_ONCE = 1_000_000;

type ReadBlock = BlockFindings & ScannedBlock;

export interface ChainFollowerOptions extends MissingBlocksOptions {
  readonly scripts: ScriptCheck;
  /** Hashes of the keys that a payment is expected for: every operator is asked about these. */
  readonly awaited: () => readonly string[];
}

/**
 * Brings a coin store up to the chain and the node's mempool, one pass at a time. Which blocks are on the chain is said by the verified headers,
 * and what a block holds by its Merkle root: the node only sends them.
 */
export class ChainFollower {
  readonly #options: ChainFollowerOptions;
  readonly #mempool: MempoolScan;
  /** See {@link settleDisputes}. */
  readonly #disputed = new Set<string>();
  readonly #history: HistoryScan;
  readonly #missing: MissingBlocks;
  #toldBy: ReadonlyMap<string, readonly string[]> = new Map();
  #cut: KeyHistory['cut'];

  constructor(options: ChainFollowerOptions) {
    this.#options = options;
    this.#mempool = new MempoolScan(options);
    this.#history = new HistoryScan(options);
    this.#missing = new MissingBlocks(options);
  }

  /** Names of the operators that tell of a transaction that waits for a block; undefined where a node does, or nobody. */
  toldBy(txid: string): readonly string[] | undefined {
    return this.#toldBy.get(txid);
  }

  /** Why payments to one of the addresses may be missing, as of the last pass: nobody tells its whole history. */
  get cut(): PlanchetError | undefined {
    const [first] = this.#cut ?? [];
    return first && new PlanchetError('wallet.history-cut', first);
  }

  /** How far the looking up of listed transactions is; undefined while there is none. */
  get reading(): Reading | undefined {
    return this.#missing.reading ?? this.#history.reading;
  }

  /**
   * Scans new blocks (after going back where the chain changed) and new mempool transactions. Where payments made it follow further keys
   * meanwhile, what it scanned before is searched for those as well: an address may be paid before one that was given out earlier.
   * @param best the node's best block, where it is known already; else the node is asked for it
   * @throws PlanchetError `upstream-*` (`wallet.chain-refused`, `wallet.block-refused` where the node invents), NodeRpcError; what was done
   *   until then stays, and the next pass goes on from there
   */
  async pass(signal: AbortSignal, best?: string): Promise<void> {
    const { coinStore, keys, clock } = this.#options;
    for (;;) {
      const isIndexed = await this.#scan(signal, best);
      const areThere = await this.#fetchKeys();
      if (searchedForAll(coinStore.state.keys, keys.all)) {
        if (areThere) await this.#noteSearched();
        return;
      }
      // an index tells of further keys without going back
      if (!isIndexed) await searchAgain(coinStore, keys.all, clock.now());
      this.#mempool.beginAnew();
    }
  }

  /** Takes a transaction that the node announces. @returns whether a pass is due */
  announced(txid: string, raw: Uint8Array): boolean {
    return this.#mempool.announced(txid, raw);
  }

  /** @returns false where another wallet has the keys and does not answer: the next pass asks it again */
  async #fetchKeys(): Promise<boolean> {
    const { keys, coinStore } = this.#options;
    try {
      await keys.prepare?.(highestPaid(coinStore.used));
      return true;
    } catch {
      return false;
    }
  }

  /** The blocks up to the tip hold nothing for keys that come later. */
  async #noteSearched(): Promise<void> {
    const { coinStore, keys } = this.#options;
    const { searchedTo } = coinStore.state;
    if (searchedTo !== null && this.#searched - searchedTo < NOTE_SEARCHED_EVERY_BLOCKS) return;
    await coinStore.change((edit) => {
      if (searchedForAll(edit.currentState.keys, keys.all)) edit.setState({ searchedTo: this.#searched });
    });
  }

  /** The last block that was scanned; the one before the first, where there is none yet. */
  get #searched(): number {
    const { tip, state } = this.#options.coinStore;
    return tip?.height ?? (state.birthHeight ?? 0) - 1;
  }

  /** @returns whether an index of scripts told what there is, so that no block was searched */
  async #scan(signal: AbortSignal, best: string | undefined): Promise<boolean> {
    // The mempool is listed first: what a block takes out of it meanwhile is then found in the block.
    const { chainData, coinStore, clock } = this.#options;
    const listedAt = clock.now();
    if (await this.#scanIndex(listedAt, signal)) return true;
    const { value: mempool } = await chainData.until(signal).mempool();
    await this.#scanBlocks(signal, best);
    await this.#mempool.scan(mempool, listedAt, signal);
    await settleDisputes(coinStore, chainData.until(signal), this.#disputed);
    return false;
  }

  /** @returns false where nobody keeps an index of scripts */
  async #scanIndex(listedAt: number, signal: AbortSignal): Promise<boolean> {
    const { chainData, coinStore, awaited } = this.#options;
    const keys = this.#options.keys.all;
    // what left the chain by the verified headers counts as confirmed no longer, whether the index answers or not
    await this.#returnToChain();
    const hashes = keys.map(({ pubKeyHash }) => pubKeyHash);
    const { value: history } = await chainData.until(signal).history(hashes, awaited());
    if (history === undefined) return false;
    this.#toldBy = history.toldBy ?? new Map();
    this.#cut = history.cut;
    const further = keys.filter((key) => !searchedForAll(coinStore.state.keys, [key]));
    await this.#returnToChain();
    const waiting = await this.#history.take(history, new Set(further.map(({ pubKeyHash }) => pubKeyHash)), signal);
    if (further.length > 0) await coinStore.change((edit) => edit.setState({ keys: keysText(keys) }));
    await this.#mempool.scan(waiting, listedAt, signal);
    return true;
  }

  async #scanBlocks(signal: AbortSignal, told: string | undefined): Promise<void> {
    // Between blocks, the mempool and this are all that a pass asks for.
    const { headers, coinStore, chainData, awaited } = this.#options;
    const isRead = (hash: string): boolean => hash === coinStore.tip?.hash && headers.isActive(hash);
    if (told !== undefined && isRead(told)) return;
    const { hash: best } = (await chainData.until(signal).tip()).value;
    if (isRead(best)) return;
    if (best !== headers.tip?.hash || headers.isReading || headers.failure !== null)
      await this.#readHeaders(best, signal);
    for (;;) {
      await this.#returnToChain();
      const next = (coinStore.tip?.height ?? (await this.#birthHeight()) - 1) + 1;
      if (headers.at(next) === undefined) return;
      const read: ReadBlock[] = [];
      let lacking: PlanchetError | undefined;
      try {
        await this.#read(read, next, signal);
      } catch (error) {
        if (!(error instanceof PlanchetError) || error.id !== 'chain.block-pruned') throw error;
        lacking = error;
      } finally {
        if (read.length > 0) await this.#take(read);
      }
      if (lacking === undefined) continue;
      await this.#missing.take(next + read.length, lacking, awaited(), signal);
      this.#mempool.beginAnew();
    }
  }

  /**
   * Has the headers up to the node's newest block read and verified.
   * @throws PlanchetError `wallet.chain-refused` where that block is not on the chain with the most work; what the reading failed with
   */
  async #readHeaders(best: string, signal: AbortSignal): Promise<void> {
    const { headers, chainData } = this.#options;
    await endsOrAborts(headers.refresh(), signal);
    const { failure } = headers;
    if (failure === null && headers.isActive(best)) return;
    if (failure !== null && failure.id !== 'chain.source-of-no-use') throw failure;
    const reason = failure?.values?.reason ?? phrase('reason.more-work');
    throw new PlanchetError('wallet.chain-refused', { hash: best, node: chainData.name, reason });
  }

  /** Adds blocks that are taken together, each on the one before; fewer where the chain changed meanwhile. */
  async #read(read: ReadBlock[], from: number, signal: AbortSignal): Promise<void> {
    const { headers, coinStore } = this.#options;
    let bytes = 0;
    const keys = new Set(this.#options.keys.all.map(({ pubKeyHash }) => pubKeyHash));
    // What a block pays, the next one may spend.
    const made = new Set<string>();
    const { coins } = coinStore;
    const sought = {
      keys,
      outpoints: { has: (outpoint: string) => coins.has(outpoint) || made.has(outpoint) },
      withProof: true,
    };
    for (let height = from; read.length < BLOCKS_AT_ONCE && bytes < BYTES_AT_ONCE; height++) {
      signal.throwIfAborted();
      const hash = headers.at(height)?.hash;
      if (hash === undefined) return;
      const block = await this.#search({ height, hash }, sought, signal);
      const last = read.at(-1) ?? coinStore.tip;
      if (last && parseHeader(block.header).previousHash !== last.hash) return;
      read.push({ ...block, height, hash });
      for (const { txid, outputs } of block.transactions)
        for (const { vout } of outputs) made.add(formatOutpoint({ txid, vout }));
      bytes += block.bytes;
    }
  }

  /** Finds the last block that is still on the chain and goes back to it. */
  async #returnToChain(): Promise<void> {
    const { coinStore, headers, clock } = this.#options;
    const { blocks } = coinStore;
    const isActive = ({ hash }: ScannedBlock): boolean => headers.isActive(hash);
    const last = blocks.at(-1);
    if (!last || isActive(last)) return;
    const { tip, isReading } = headers;
    // headers that are not open yet, or are read anew, say nothing of it
    if (tip === null || (isReading && tip.height < last.height)) return;
    const common = blocks.findLast(isActive);
    // Chains of one network share their first block, so that block in common says nothing: the node was given another chain.
    if (!common || common.height === 0) await beginAnew(coinStore, clock.now());
    else {
      const { height } = common;
      const touched = [...coinStore.transactions].filter(([, record]) => (record.height ?? 0) > height);
      await coinStore.change((edit) => {
        const at = clock.now();
        rollBack(edit, height, at, true);
        const txids = touched.map(([txid]) => txid);
        if (txids.length > 0) edit.tell({ kind: 'reorganised', at, txids, height });
      });
    }
    this.#mempool.beginAnew();
  }

  /** @throws PlanchetError `wallet.other-block`, `wallet.block-refused`, `upstream-*` */
  async #search(block: ScannedBlock, sought: Sought, signal: AbortSignal): Promise<BlockFindings> {
    const { hash } = block;
    const { chainData } = this.#options;
    const { value } = await chainData
      .until(signal)
      .search(block, sought)
      .catch((error: unknown) => {
        if (!(error instanceof PlanchetError)) throw error;
        const node = chainData.name;
        if (error.id === 'chain.block-differs') throw new PlanchetError('wallet.other-block', { hash, node });
        if (error.id !== 'chain.block-invalid') throw error;
        const reason = (error.values?.reason as string | Phrase | undefined) ?? '';
        throw new PlanchetError('wallet.block-refused', { hash, node, reason });
      });
    if (value === undefined) throw new PlanchetError('chain.block-unknown', { hash });
    return value;
  }

  async #take(blocks: readonly ReadBlock[]): Promise<void> {
    const { coinStore, keys, clock, keep } = this.#options;
    await coinStore.change((edit) => {
      const now = clock.now();
      for (const { height, hash, header, transactions } of blocks) {
        const at = { height, now, time: parseHeader(header).time * 1_000 };
        const parts = transactions.map((tx) => ({ ...tx, coinbase: tx.index === 0, malleable: false }));
        applyAndFollow(edit, parts, keys, at);
        edit.addBlock({ height, hash });
        if (height % PRUNE_EVERY_BLOCKS === 0) pruneSpent(edit, height);
      }
    });
    const { transactions: ours } = coinStore;
    await keep(
      blocks.flatMap(({ height, transactions }) =>
        transactions.flatMap(({ txid, raw, path }) => (path && ours.has(txid) ? [{ txid, raw, height, path }] : [])),
      ),
    );
  }

  /** Decided once and then stored: the height the scan begins at. */
  async #birthHeight(): Promise<number> {
    const { coinStore, keys } = this.#options;
    const stored = coinStore.state.birthHeight;
    if (stored !== null) return stored;
    const { birth } = keys;
    const birthHeight = 'height' in birth ? birth.height : this.#heightAt(birth.time - BIRTH_MARGIN_MS);
    await coinStore.change((edit) => edit.setState({ birthHeight }));
    return birthHeight;
  }

  /** @returns the height of the last block before a time (ms); block times rise, but for a wobble the margin covers. */
  #heightAt(time: number): number {
    const { headers } = this.#options;
    let before = 0;
    let after = (headers.tip?.height ?? 0) + 1;
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      const { header } = headers.at(middle) as ChainHeader;
      if (parseHeader(header).time * 1_000 <= time) before = middle;
      else after = middle;
    }
    return before;
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

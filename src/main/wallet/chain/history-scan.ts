import { type MerklePath, parseHeader, parseTx } from '../../../chain/index.ts';
import type { ChainData, KeyHistory } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FollowedHeaders } from '../../ports/headers.ts';
import { type CoinEdit, REMEMBERED_BLOCKS, type TransactionRecord } from '../coins/storage/coin-edit.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import type { MinedTransaction } from '../coins/storage/kept-transactions.ts';
import type { KeySource } from '../keys/key-source.ts';
import { partsOf, pruneSpent, type WalletTransaction } from './coin-effects.ts';
import { applyAndFollow } from './followed-keys.ts';
import { type ClaimedSpent, SpendWatch } from './spend-watch.ts';

/** Transactions that are looked up together and taken in one commit; what was taken is not looked up again, also after a restart. */
const AT_ONCE = 20;
/** At most so many: transactions of one block stay together up to this number, since they may spend from each other. */
const MOST_AT_ONCE = 60;
/** Bytes after which those that are looked up already are taken first. */
const BYTES_AT_ONCE = 16_000_000;

/** A transaction and its height by the word of the index. */
type Row = readonly [txid: string, height: number];

/** A transaction that a block of the verified headers holds. */
interface Mined {
  readonly parts: WalletTransaction;
  readonly height: number;
  readonly hash: string;
  readonly raw: Uint8Array;
  /** Undefined where nobody shows one. */
  readonly path: MerklePath | undefined;
}

/** How far a reading of many transactions is. */
export interface Reading {
  readonly done: number;
  readonly total: number;
  /** Milliseconds that the rest takes if it goes on as before; null before anything is done. */
  readonly leftMs: number | null;
}

export interface HistoryScanOptions {
  readonly chainData: ChainData;
  readonly headers: FollowedHeaders;
  readonly clock: Pick<Clock, 'now'>;
  readonly keys: KeySource;
  readonly coinStore: CoinStore;
  /** Keeps transactions of the wallet with their paths. */
  readonly keep: (mined: readonly MinedTransaction[]) => Promise<void>;
  /** Told when {@link HistoryScan.reading} is another one. */
  readonly onReading: () => void;
  /** The last height of which anything is taken: blocks above it are searched. Left out where none is. */
  readonly to?: number;
  /** See {@link SpendWatch}. */
  readonly claimedSpent?: ClaimedSpent;
}

/**
 * Brings a coin store up to what an index of scripts lists. The list says what to look up; what counts are the bytes of each transaction and its path
 * to a verified header. A row may come late, after those that spend from it.
 */
export class HistoryScan {
  readonly #options: HistoryScanOptions;
  readonly #spends: SpendWatch;
  /** Transactions that the index lists and that do not concern the wallet. */
  readonly #others = new Set<string>();
  /** Transactions that the index calls unconfirmed and that no block up to this tip is known to hold. The index may be late. */
  readonly #asked = new Set<string>();
  /** Transactions that the index lists and that nobody has, up to this tip. */
  readonly #missing = new Set<string>();
  #askedAt: string | undefined;
  #progress: { readonly since: number; done: number; readonly total: number } | undefined;

  constructor(options: HistoryScanOptions) {
    this.#options = options;
    this.#spends = new SpendWatch(options.coinStore, options.clock, options.claimedSpent);
  }

  /** Undefined while nothing is looked up. */
  get reading(): Reading | undefined {
    if (this.#progress === undefined) return undefined;
    const { since, done, total } = this.#progress;
    const perRow = (this.#options.clock.now() - since) / done;
    return { done, total, leftMs: done === 0 ? null : Math.round(perRow * (total - done)) };
  }

  /**
   * @param further keys that were not followed before: what touches them is taken once more, for these
   * @returns the ids of what no block holds
   * @throws PlanchetError `upstream-*`; what was taken until then stays, and is not looked up again
   */
  async take(history: KeyHistory, further: ReadonlySet<string>, signal: AbortSignal): Promise<string[]> {
    const again = new Set(history.mined.flatMap(({ key, txid }) => (further.has(key) ? [txid] : [])));
    const { rows, waiting } = await this.#rowsOf(history, signal);
    const unknown = rows.filter(([txid]) => !this.#isTaken(txid, again) && !this.#missing.has(txid));
    await this.#takeRows(unknown, waiting, signal, true);
    // what was taken before may spend what came only now
    const marked = rows.filter(([txid]) => this.#recordOf(txid)?.searchedFor === 0);
    await this.#takeRows(marked, waiting, signal, false);
    const taken = new Set([...unknown, ...marked].map(([txid]) => txid));
    const spenders = await this.#spends.look(this.#options.chainData.until(signal), taken);
    const mined = spenders.flatMap((txid): Row[] => (waiting.has(txid) ? [] : [[txid, 0]]));
    await this.#takeRows(mined, waiting, signal, true);
    await this.#options.coinStore.change((edit) => this.#noteBlocks(edit));
    return [...waiting];
  }

  /** The rows in order of their blocks, with what the wallet waits for where the index lacks it: it may list plain payments alone. */
  async #rowsOf({ mined, waiting: listed }: KeyHistory, signal: AbortSignal) {
    const heights = new Map(mined.map(({ txid, height }) => [txid, height]));
    const waiting = new Set(listed);
    const { coinStore, chainData, headers } = this.#options;
    if (headers.tip?.hash !== this.#askedAt) for (const ids of [this.#asked, this.#missing]) ids.clear();
    this.#askedAt = headers.tip?.hash;
    for (const txid of coinStore.pending.keys()) {
      if (heights.has(txid) || (waiting.has(txid) && this.#asked.has(txid))) continue;
      this.#asked.add(txid);
      const { value: placed } = await chainData.until(signal).placed(txid);
      if (placed === undefined) continue;
      if (placed.block === null) waiting.add(txid);
      else {
        heights.set(txid, placed.block.height);
        waiting.delete(txid);
      }
    }
    const rows: Row[] = [...heights].sort(([, a], [, b]) => a - b);
    return { rows, waiting };
  }

  get #to(): number {
    return this.#options.to ?? Number.POSITIVE_INFINITY;
  }

  #recordOf(txid: string): (TransactionRecord & { readonly height: number }) | undefined {
    const record = this.#options.coinStore.transactions.get(txid);
    return record?.height == null ? undefined : { ...record, height: record.height };
  }

  /** @param again is taken once more, unless it was for as many keys already */
  #isTaken(txid: string, again: ReadonlySet<string>): boolean {
    const record = this.#recordOf(txid);
    if (record === undefined) return this.#others.has(txid) && !again.has(txid);
    return record.searchedFor > 0 && (!again.has(txid) || record.searchedFor >= this.#options.keys.all.length);
  }

  /**
   * @param waiting takes those that no block holds, whatever the index says
   * @param areNew whether those that were taken before may spend from them
   */
  async #takeRows(rows: readonly Row[], waiting: Set<string>, signal: AbortSignal, areNew: boolean): Promise<void> {
    if (rows.length === 0) return;
    const { clock, chainData, onReading } = this.#options;
    const chain = chainData.until(signal);
    this.#progress = { since: clock.now(), done: 0, total: rows.length };
    try {
      for (const some of inParts(rows)) {
        await this.#takeSome(some, await chain.transactions(some), waiting, signal, areNew);
        this.#progress.done += some.length;
        onReading();
      }
    } finally {
      this.#progress = undefined;
      onReading();
    }
  }

  async #takeSome(
    txids: readonly string[],
    raws: ReadonlyMap<string, Uint8Array>,
    waiting: Set<string>,
    signal: AbortSignal,
    areNew: boolean,
  ): Promise<void> {
    const chain = this.#options.chainData.until(signal);
    let found: Mined[] = [];
    let bytes = 0;
    for (const txid of txids) {
      const raw = raws.get(txid);
      const { value: placed } = raw === undefined ? { value: undefined } : await chain.placed(txid, raw);
      if (placed?.block == null) {
        (placed === undefined ? this.#missing : waiting).add(txid);
        continue;
      }
      if (placed.block.height > this.#to) continue;
      const { raw: placedRaw, path } = placed;
      found.push({ parts: partsOf(parseTx(placedRaw), txid), ...placed.block, raw: placedRaw, path });
      bytes += placedRaw.length;
      if (bytes < BYTES_AT_ONCE) continue;
      await this.#commit(found, areNew);
      [found, bytes] = [[], 0];
    }
    await this.#commit(found, areNew);
  }

  async #commit(found: readonly Mined[], areNew: boolean): Promise<void> {
    const { coinStore, clock, headers, keys } = this.#options;
    if (found.length === 0) return;
    const byHeight = Map.groupBy(found, ({ height }) => height);
    await coinStore.change((edit) => {
      const now = clock.now();
      for (const [height, mined] of [...byHeight].sort(([a], [b]) => a - b)) {
        const block = headers.at(height);
        // a block may have left the chain since its transactions were looked up
        const there = mined.flatMap(({ hash, parts }) => (hash === block?.hash ? [parts] : []));
        if (block === undefined || there.length === 0) continue;
        applyAndFollow(edit, there, keys, { height, now, time: parseHeader(block.header).time * 1_000 });
      }
      if (areNew) {
        const lowest = Math.min(...byHeight.keys());
        const taken = new Set(found.map(({ parts }) => parts.txid));
        edit.takeAgain(({ height }, txid) => height !== null && height >= lowest && !taken.has(txid));
      }
      // in the same edit: what counts as mined above the noted blocks would stay so when its block leaves the chain
      this.#noteBlocks(edit);
    });
    const ours: MinedTransaction[] = [];
    for (const { parts, raw, path, height } of found) {
      const { txid } = parts;
      if (this.#recordOf(txid) === undefined) this.#others.add(txid);
      else if (path !== undefined) ours.push({ txid, raw, path, height });
    }
    await this.#options.keep(ours);
  }

  /** The blocks up to the tip, so that a change of the chain is seen. */
  #noteBlocks(edit: CoinEdit): void {
    const { coinStore, headers } = this.#options;
    const tip = headers.tip !== null && headers.tip.height > this.#to ? headers.at(this.#to) : headers.tip;
    const last = coinStore.tip;
    if (tip == null || tip.hash === last?.hash || (last && !headers.isActive(last.hash))) return;
    const from = Math.max((last?.height ?? -1) + 1, tip.height - REMEMBERED_BLOCKS + 1);
    for (let height = from; height <= tip.height; height++) {
      const hash = headers.at(height)?.hash;
      if (hash === undefined) return;
      edit.addBlock({ height, hash });
    }
    pruneSpent(edit, tip.height);
  }
}

/** Some at a time, cut between two blocks where that is possible. */
function* inParts(rows: readonly Row[]): Generator<string[]> {
  let part: string[] = [];
  for (const [at, [txid, height]] of rows.entries()) {
    part.push(txid);
    const isEnd = rows[at + 1]?.[1] !== height;
    if (part.length < MOST_AT_ONCE && !(isEnd && part.length >= AT_ONCE)) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

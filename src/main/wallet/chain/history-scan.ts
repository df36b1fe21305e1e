import { parseHeader, parseTx } from '../../../chain/index.ts';
import type { ChainData, KeyHistory } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FollowedHeaders } from '../../ports/headers.ts';
import { REMEMBERED_BLOCKS } from '../coins/book-edit.ts';
import type { CoinBook } from '../coins/coin-book.ts';
import type { KeySource } from '../keys/key-source.ts';
import { partsOf, pruneSpent, type WalletTransaction } from './coin-effects.ts';
import { applyAndFollow } from './followed-keys.ts';

/** Transactions that are looked up and taken together, and their bytes; what was taken is not looked up again. */
const AT_ONCE = 50;
const BYTES_AT_ONCE = 16_000_000;

/** A transaction that a block of the verified headers holds. */
interface Mined {
  readonly parts: WalletTransaction;
  readonly height: number;
  readonly hash: string;
}

export interface HistoryScanOptions {
  readonly chainData: ChainData;
  readonly headers: FollowedHeaders;
  readonly clock: Pick<Clock, 'now'>;
  readonly keys: KeySource;
  readonly book: CoinBook;
}

/**
 * Brings a coin book up to what an index of scripts lists. The list says what to look up; what counts are the bytes of each transaction and its path
 * to a verified header. A row may come late, after those that spend from it.
 */
export class HistoryScan {
  readonly #options: HistoryScanOptions;
  /** Transactions that the index lists and that do not concern the wallet. */
  readonly #others = new Set<string>();
  /** Of what the index says is waiting: those that no block up to this tip is known to hold. The index may be late. */
  readonly #asked = new Set<string>();
  #askedAt: string | undefined;
  /** What was taken since the tip was noted last. */
  readonly #takenNow = new Set<string>();

  constructor(options: HistoryScanOptions) {
    this.#options = options;
  }

  /**
   * @param again what keys have that were not followed before: it is taken once more, for these
   * @returns the ids of what no block holds
   * @throws PlanchetError `upstream-*`; what was taken until then stays
   */
  async take(history: KeyHistory, again: KeyHistory | undefined, signal: AbortSignal): Promise<string[]> {
    const { rows, waiting } = await this.#rowsOf(history, signal);
    const further = new Set(again?.mined.map(({ txid }) => txid));
    const unknown = rows.filter(({ txid }) => further.has(txid) || (!this.#isTaken(txid) && !this.#others.has(txid)));
    const lowest = await this.#takeRows(unknown, waiting, signal);
    // what was taken before may spend what came only now
    const now = new Set(unknown);
    const later = rows.filter((row) => !now.has(row) && (this.#heightOf(row.txid) ?? -1) >= lowest);
    await this.#takeRows(later, waiting, signal);
    await this.#noteTip();
    this.#takenNow.clear();
    return [...waiting];
  }

  /** The rows in order of their blocks, with what the wallet waits for where the index lacks it: it lists plain payments alone. */
  async #rowsOf({ mined, waiting: listed }: KeyHistory, signal: AbortSignal) {
    const heights = new Map(mined.map(({ txid, height }) => [txid, height]));
    const waiting = new Set(listed);
    const { book, chainData, headers } = this.#options;
    if (headers.tip?.hash !== this.#askedAt) this.#asked.clear();
    this.#askedAt = headers.tip?.hash;
    for (const txid of book.pending.keys()) {
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
    const rows = [...heights].map(([txid, height]) => ({ txid, height }));
    return { rows: rows.sort((a, b) => a.height - b.height), waiting };
  }

  #heightOf(txid: string): number | undefined {
    return this.#options.book.transactions.get(txid)?.height ?? undefined;
  }

  /** A book that went back takes everything above again: it has forgotten what was spent and pruned. */
  #isTaken(txid: string): boolean {
    const height = this.#heightOf(txid);
    if (height === undefined) return false;
    return this.#takenNow.has(txid) || height <= (this.#options.book.tip?.height ?? -1);
  }

  /**
   * @param waiting takes those that no block holds, whatever the index says
   * @returns the lowest height of those that were taken
   */
  async #takeRows(rows: readonly { txid: string }[], waiting: Set<string>, signal: AbortSignal): Promise<number> {
    const chain = this.#options.chainData.until(signal);
    let lowest = Number.POSITIVE_INFINITY;
    let found: Mined[] = [];
    let bytes = 0;
    for (const { txid } of rows) {
      const { value: placed } = await chain.placed(txid);
      if (placed === undefined) continue;
      const { raw, block } = placed;
      if (block === null) {
        waiting.add(txid);
        continue;
      }
      found.push({ parts: partsOf(parseTx(raw), txid), ...block });
      lowest = Math.min(lowest, block.height);
      bytes += raw.length;
      if (found.length < AT_ONCE && bytes < BYTES_AT_ONCE) continue;
      await this.#commit(found);
      [found, bytes] = [[], 0];
    }
    await this.#commit(found);
    return lowest;
  }

  async #commit(found: readonly Mined[]): Promise<void> {
    const { book, clock, headers, keys } = this.#options;
    if (found.length === 0) return;
    const byHeight = Map.groupBy(found, ({ height }) => height);
    await book.change((edit) => {
      const now = clock.now();
      for (const [height, mined] of [...byHeight].sort(([a], [b]) => a - b)) {
        const block = headers.at(height);
        // a block may have left the chain since its transactions were looked up
        const there = mined.filter(({ hash }) => hash === block?.hash);
        if (block === undefined || there.length === 0) continue;
        const at = { height, now, time: parseHeader(block.header).time * 1_000 };
        applyAndFollow(
          edit,
          there.map(({ parts }) => parts),
          keys,
          at,
        );
      }
      pruneSpent(edit, headers.tip?.height ?? 0);
    });
    for (const { parts } of found) {
      const isOurs = this.#heightOf(parts.txid) !== undefined;
      (isOurs ? this.#takenNow : this.#others).add(parts.txid);
    }
  }

  /** The blocks up to the tip, so that a change of the chain is seen. */
  async #noteTip(): Promise<void> {
    const { book, headers } = this.#options;
    const { tip } = headers;
    const last = book.tip;
    if (tip === null || tip.hash === last?.hash || (last && !headers.isActive(last.hash))) return;
    const from = Math.max((last?.height ?? -1) + 1, tip.height - REMEMBERED_BLOCKS + 1);
    await book.change((edit) => {
      for (let height = from; height <= tip.height; height++) {
        const hash = headers.at(height)?.hash;
        if (hash === undefined) return;
        edit.addBlock({ height, hash });
      }
      pruneSpent(edit, tip.height);
    });
  }
}

import { PlanchetError } from '../../../contract/index.ts';
import type { CacheEntry } from '../cache/cache-entry.ts';
import type { CachedChain } from '../chain/chain-view.ts';
import { cachedReply, type Reply, upstreamFault } from './reply.ts';

/** Replies from cached answers, with the confirmations that their blocks have now. */
export class CachedReplies {
  readonly #chain: CachedChain;
  /** Replies made of a cached answer whose block is known to be part of the chain. */
  hits = 0;

  constructor(chain: CachedChain) {
    this.#chain = chain;
  }

  /** The reply from a cached answer; undefined if the chain must first confirm its block. */
  fresh(entry: CacheEntry, idText: string): Reply | undefined {
    if (entry.anchor === undefined) return this.#hit(entry, idText, 0);
    const chain = this.#chain;
    const height = chain.isFresh() ? chain.heightOf(entry.anchor) : undefined;
    if (height === undefined || (entry.height !== undefined && entry.height !== height)) return undefined;
    if (entry.below === 1 && (entry.block === undefined || chain.heightOf(entry.block) !== height - 1))
      return undefined;
    return this.#hit(entry, idText, confirmationsOf(entry, height, chain));
  }

  /**
   * Asks the chain whether the block of a cached answer is still part of it. Where no upstream can be asked the answer is served as stale,
   * or the failure if the chain was never known.
   * @returns undefined if the block is no longer part of the chain
   */
  async confirmed(entry: CacheEntry, idText: string): Promise<Reply | undefined> {
    const chain = this.#chain;
    try {
      const height = await this.#locate(entry);
      return height === undefined ? undefined : this.#hit(entry, idText, confirmationsOf(entry, height, chain));
    } catch (error) {
      if (!(error instanceof PlanchetError)) throw error;
      if (chain.tip === null) return upstreamFault(error, idText);
      // The anchor was on the main chain; a reorganisation since then would have removed the entry.
      const height = chain.heightOf(entry.anchor as string) ?? entry.height;
      const confirmations = lastConfirmations(entry, height, chain);
      return { ...cachedReply(entry, idText, confirmations), source: 'stale', age: secondsOf(chain) };
    }
  }

  #hit(entry: CacheEntry, idText: string, confirmations: number): Reply {
    this.hits += 1;
    return cachedReply(entry, idText, confirmations);
  }

  /** Height of an entry's anchor block; undefined if the main chain no longer contains it at that height. */
  async #locate({ anchor, height, below, block }: CacheEntry): Promise<number | undefined> {
    const chain = this.#chain;
    const at = await chain.locate(anchor as string, height);
    if (at === undefined || (height !== undefined && height !== at)) return undefined;
    if (below !== 1) return at;
    if (block === undefined) return undefined;
    return (await chain.locate(block, at - 1)) === at - 1 && chain.heightOf(anchor as string) === at ? at : undefined;
  }
}

/** Seconds since an upstream confirmed the tip. */
export function secondsOf(chain: Pick<CachedChain, 'age'>): number {
  return Math.floor(chain.age / 1_000);
}

function confirmationsOf(entry: CacheEntry, height: number, chain: Pick<CachedChain, 'tip'>): number {
  return (chain.tip?.height ?? height) - (height - (entry.below ?? 0)) + 1;
}

/** Never fewer confirmations than the answer had when it was cached, however old the known tip is. */
function lastConfirmations(entry: CacheEntry, height: number | undefined, chain: Pick<CachedChain, 'tip'>): number {
  const before = (entry.depth ?? 0) + (entry.below ?? 0);
  return height === undefined ? before : Math.max(before, confirmationsOf(entry, height, chain));
}

// How the chain is followed. Who follows it keeps a place: the blocks that it has searched, the newest of them as many as it may have to go back.
// `FollowLoop` says when to look: with a new tip, when asked, after a pause; one look at a time, and no wake-up is lost.
// `walkBlocks` is one look. It goes back first: the newest remembered block that is still on the main chain is the fork, and the user takes back
// all that stands on blocks above it, in one step. A fork deeper than what is remembered takes back everything.
// Then it goes forward, block by block, each on the one before. The user searches a block's list of transactions, whose Merkle paths are made
// from the list and lead to the block's header; a block that is too large to be listed is remembered without. A block is remembered only after
// it was searched, so that a walk which ends in the middle (a call failed, the process ended, the chain changed) goes on with that block.
// Which blocks are on the main chain is what `ChainData` says, with the verified headers behind it.
// A proof is made while its block is walked, is kept by the tracker of transactions, and is dropped with its block; who needs one asks the
// tracker (`inclusion`), which asks the node for those of blocks that were never walked.
import { pause } from '../../pause.ts';
import type { BlockHead, BlockListing, BlockPlace, ChainData } from '../../ports/chain-data.ts';

/** A walk that never saw a block looks no further back: blocks before it held nothing of ours, or are found by other ways. */
const CATCH_UP_BLOCKS = 5_000;
/** Block times may be two hours off. */
const CLOCK_MARGIN_S = 7_200;
/** A first walk looks for its beginning in steps of so many blocks. */
const STEP_BLOCKS = 10;

/** The place of one that follows the chain, and what it does with blocks. */
export interface ChainPlace {
  /** The newest remembered blocks, newest first; all of them, if not told otherwise. */
  blocks(limit?: number): Promise<readonly BlockPlace[]>;
  /** Remembers a searched block in place of those at its height and above. */
  remember(block: BlockPlace): Promise<void>;
  /**
   * Time in milliseconds since 1970 since when a block may hold something; undefined where nothing waits, so that no block is searched up to the tip.
   * @param fork where the search goes on; undefined where no block is known, so that it begins at this time
   */
  since(fork: BlockPlace | undefined): Promise<number | undefined>;
  /** Takes back what stands on blocks above a height, and forgets these blocks. @param fork -1 for all of them */
  leave(fork: number): Promise<void>;
  search(block: BlockHead, listing: BlockListing): Promise<void>;
  /**
   * Whether the block is from another node, which is ahead of this one: such a block has left the chain only if one below it has.
   * @param tip the height of this node
   */
  isAhead?(block: BlockPlace, tip: number): boolean;
}

/**
 * How a walk ended: there was no new block; at the tip; at a block that is not on the last one, since the chain changed; at one that the verified
 * headers do not have.
 */
export type Walk = { readonly end: 'same' | 'tip' | 'changed' } | { readonly end: 'unverified'; readonly hash: string };

/**
 * Brings a place up to the main chain.
 * @throws PlanchetError `upstream-*`, `proof-invalid` where a list contradicts its block; the next walk goes on from there
 */
export async function walkBlocks(chainData: ChainData, place: ChainPlace, signal: AbortSignal): Promise<Walk> {
  const chain = chainData.until(signal);
  const { value: tip } = await chain.tip();
  const [last] = await place.blocks(1);
  if (last?.hash === tip.hash) return { end: 'same' };
  let below = await goBack(chain, place, tip.height, signal);
  const since = await place.since(below);
  if (since === undefined) {
    await place.remember(tip);
    return { end: 'tip' };
  }
  let height = below === undefined ? await firstHeight(chain, tip.height, since) : below.height + 1;
  for (; height <= tip.height; height++) {
    signal.throwIfAborted();
    const { value: head } = await chain.headerAt(height);
    if (head === undefined) {
      const { value: hash } = await chain.hashAt(height);
      return hash === undefined ? { end: 'changed' } : { end: 'unverified', hash };
    }
    if (below !== undefined && head.previousHash !== below.hash) return { end: 'changed' };
    const { value: listing } = await chain.listing(head);
    await pause();
    if (listing !== undefined) await place.search(head, listing);
    await place.remember(head);
    below = head;
  }
  return { end: 'tip' };
}

/** @returns the last remembered block that is still on the chain */
async function goBack(
  chain: ChainData,
  place: ChainPlace,
  tip: number,
  signal: AbortSignal,
): Promise<BlockPlace | undefined> {
  const known = await place.blocks();
  const own = known.filter((block) => !place.isAhead?.(block, tip));
  let fork: BlockPlace | undefined;
  for (const block of own) {
    signal.throwIfAborted();
    if ((await chain.hashAt(block.height)).value !== block.hash) continue;
    fork = block;
    break;
  }
  if (fork === own[0]) return known[0];
  await place.leave(fork?.height ?? -1);
  return fork;
}

/** The height of a block before a time in milliseconds since 1970. */
async function firstHeight(chain: ChainData, tip: number, since: number): Promise<number> {
  const floor = Math.max(1, tip - CATCH_UP_BLOCKS);
  let height = tip;
  while (height > floor) {
    const { value: head } = await chain.headerAt(height);
    if (head === undefined || head.time < since / 1_000 - CLOCK_MARGIN_S) break;
    height -= Math.min(STEP_BLOCKS, height - floor);
  }
  return height;
}

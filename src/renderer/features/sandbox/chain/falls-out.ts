import type { SandboxBlock } from '../../../../contract/index.ts';

/** What a reorganisation removes from the chain. */
interface FallsOut {
  /** Heights of the lowest and the highest block that are removed. */
  readonly from: number;
  readonly to: number;
  /** Number of transactions that return to the mempool. The rewards of the blocks are not included: they are lost. */
  readonly transactions: number;
  /** The known ones among them, in the order in which they were mined. */
  readonly txids: readonly string[];
  /** False if some of the removed blocks are not loaded, so that there may be more transactions. */
  readonly isComplete: boolean;
}

/**
 * What is removed if the newest blocks are replaced.
 * @param blocks the newest of the chain, oldest first
 * @param depth number of blocks to replace, from 1
 */
export function fallsOut(blocks: readonly SandboxBlock[], depth: number): FallsOut {
  const gone = blocks.slice(-depth);
  const tip = blocks.at(-1)?.height ?? 0;
  return {
    from: tip - depth + 1,
    to: tip,
    transactions: gone.reduce((sum, block) => sum + block.transactions, 0),
    txids: gone.flatMap(({ txids }) => txids),
    isComplete: gone.length === depth,
  };
}

/** The most blocks that one reorganisation can replace. The first block and one above it always stay. */
export function mostReplaced(tipHeight: number): number {
  return Math.max(0, Math.min(1_000, tipHeight - 1));
}

/**
 * How many blocks are removed if the tip is dropped at a position.
 * @param distance pixels from the end of the chain to the left
 * @param pitch width of a block with its gap, in pixels
 */
export function depthAt(distance: number, pitch: number, most: number): number {
  return Math.min(most, Math.max(0, Math.round(distance / pitch)));
}

import type { SandboxBlock } from '../../../../contract/index.ts';

/** What a reorganisation takes out of the chain. */
interface FallsOut {
  /** Heights of the lowest and the highest block that fall out. */
  readonly from: number;
  readonly to: number;
  /** Transactions that wait for a block again. The rewards of the blocks are not among them: they are lost. */
  readonly transactions: number;
  /** Those of them that are known, in the order in which they were mined. */
  readonly txids: readonly string[];
  /** False where blocks fall out that are not known yet, so that there may be more transactions. */
  readonly isComplete: boolean;
}

/**
 * What falls out where the newest blocks are replaced.
 * @param blocks the newest of the chain, oldest first
 * @param depth how many are replaced, from 1
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

/** Blocks that one reorganisation replaces at most: the first block and one above it always stand. */
export function mostReplaced(tipHeight: number): number {
  return Math.max(0, Math.min(1_000, tipHeight - 1));
}

/**
 * How many blocks fall out where the tip is dropped.
 * @param distance pixels from the end of the chain to the left
 * @param pitch width of a block with its gap, in pixels
 */
export function depthAt(distance: number, pitch: number, most: number): number {
  return Math.min(most, Math.max(0, Math.round(distance / pitch)));
}

import type { BlockRow } from '../../../../contract/index.ts';

/** Satoshis for 1,000 bytes, over the whole block; null where nobody told its fees or size. */
export function rateOf(block: Pick<BlockRow, 'fees' | 'size'> | undefined): number | null {
  if (block?.fees == null || block.size === null) return null;
  return Math.round((block.fees / block.size) * 1_000);
}

import { asInteger, failure, isNull } from './params.ts';

const BLOCKS_A_MONTH = 4_320;

/** Blocks that `getchaintxstats` counts up to the one at a height. @throws NodeRpcError -1, -8 */
export function statsWindow(nblocks: unknown, height: number): number {
  const most = Math.max(0, height - 1);
  const count = isNull(nblocks) ? Math.min(BLOCKS_A_MONTH, most) : asInteger(nblocks);
  if (count >= 0 && (count === 0 || count < height)) return count;
  throw failure('parameter', "Invalid block count: should be between 0 and the block's height - 1");
}

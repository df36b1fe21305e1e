import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { depthAt, fallsOut, mostReplaced } from './falls-out.ts';

const block = (height: number, txids: string[], transactions = txids.length) => ({
  hash: String(height).padStart(64, '0'),
  height,
  time: height,
  bytes: 200,
  transactions,
  txids,
});
const chain = [block(10, ['a']), block(11, []), block(12, ['b', 'c']), block(13, ['d'])];

describe('what a reorganisation removes', () => {
  it.each([
    [1, 13, ['d']],
    [2, 12, ['b', 'c', 'd']],
    [3, 11, ['b', 'c', 'd']],
    [4, 10, ['a', 'b', 'c', 'd']],
  ])('with %i blocks goes down to %i, and its transactions wait in the order they were mined', (depth, from, txids) => {
    expect(fallsOut(chain, depth)).toEqual({ from, to: 13, transactions: txids.length, txids, isComplete: true });
  });

  it('includes the number of unlisted transactions, and whether some blocks are not loaded yet', () => {
    expect(fallsOut([block(7, ['a'], 900)], 1)).toMatchObject({ transactions: 900, txids: ['a'], isComplete: true });
    expect(fallsOut(chain, 6)).toMatchObject({ from: 8, to: 13, transactions: 4, isComplete: false });
  });
});

it('a reorganisation keeps the first block and one above it', () => {
  expect([0, 1, 2, 120, 5_000].map(mostReplaced)).toEqual([0, 0, 1, 119, 1_000]);
});

it('a reorganisation starts at the block closest to where the tip is dropped, within its limit', () => {
  expect([-50, 0, 37, 39, 76, 700].map((distance) => depthAt(distance, 76, 5))).toEqual([0, 0, 0, 1, 1, 5]);
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), fc.nat({ max: 1_000 }), (distance, most) => {
      const depth = depthAt(distance, 76, most);
      expect(Number.isInteger(depth) && depth >= 0 && depth <= most).toBe(true);
    }),
  );
});

import { describe, expect, it } from 'vitest';
import { hashToDisplay, sha256d } from '../encoding/bytes.ts';
import { ByteWriter } from '../encoding/writer.ts';
import { parseBump } from './bump.ts';
import { MAX_TREE_HEIGHT } from './merkle-path.ts';

const HASH = 0;
const DUPLICATE = 1;
const TXID = 2;

type Node = readonly [offset: number, flags: number, hash?: Uint8Array];
const hash = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const parent = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256d(Uint8Array.of(...left, ...right));

/** The bytes of a BUMP, whether it holds or not. */
function bump(levels: readonly (readonly Node[])[]): Uint8Array {
  const writer = new ByteWriter(100);
  writer.varint(7);
  writer.u8(levels.length);
  for (const nodes of levels) {
    writer.varint(nodes.length);
    for (const [offset, flags, bytes] of nodes) {
      writer.varint(offset);
      writer.u8(flags);
      if (bytes) writer.bytes(bytes);
    }
  }
  return writer.done();
}

const pair: readonly Node[] = [
  [0, TXID, hash(1)],
  [1, HASH, hash(2)],
];

describe('a BUMP', () => {
  it('leads from its leaves to the root', () => {
    const root = parent(parent(hash(1), hash(2)), hash(3));
    expect(parseBump(bump([pair, [[1, HASH, hash(3)]]]))).toMatchObject({ height: 7, root: hashToDisplay(root) });
    const own = parent(hash(1), hash(1));
    expect(parseBump(bump([[pair[0] as Node, [1, DUPLICATE]]])).root).toBe(hashToDisplay(own));
  });

  it('can have the height of the largest tree of a block, and no more', () => {
    const levels = (count: number): (readonly Node[])[] => [
      pair,
      ...Array.from({ length: count - 1 }, (): Node[] => [[1, HASH, hash(9)]]),
    ];
    expect(parseBump(bump(levels(MAX_TREE_HEIGHT))).levels).toHaveLength(MAX_TREE_HEIGHT);
    for (const count of [0, MAX_TREE_HEIGHT + 1])
      expect(() => parseBump(bump(count === 0 ? [] : levels(count)))).toThrow(/^The tree is empty or too high/);
  });

  it.each<[string, readonly (readonly Node[])[], RegExp]>([
    [
      'with flags that have no meaning',
      [
        [
          [0, TXID, hash(1)],
          [1, 3, hash(2)],
        ],
      ],
      /^A node has unknown flags/,
    ],
    [
      'with a node that stands twice',
      [
        [
          [0, TXID, hash(1)],
          [0, HASH, hash(1)],
        ],
      ],
      /^A node stands twice/,
    ],
    ['with a leaf beyond the end', [[...pair, [2, HASH, hash(3)]]], /^A node is beyond the end of its level/],
    ['with a node beyond the end', [pair, [[2, HASH, hash(3)]]], /^A node is beyond the end of its level/],
    [
      'whose left leaf repeats another',
      [
        [
          [0, DUPLICATE],
          [1, TXID, hash(1)],
        ],
      ],
      /^A left node repeats another/,
    ],
    ['without a hash among its leaves', [[[1, DUPLICATE]]], /^No leaf has a hash/],
    [
      'with a node of no use',
      [
        [
          [0, TXID, hash(1)],
          [1, HASH, hash(2)],
        ],
        [
          [0, HASH, hash(3)],
          [1, HASH, hash(4)],
        ],
      ],
      /^A node is of no use/,
    ],
    ['without the sibling of a leaf', [[[0, TXID, hash(1)]], [[1, HASH, hash(3)]]], /^A node of the path is missing/],
    // a tree of other leaves would have the same root (CVE-2012-2459)
    [
      'that repeats a hash as if it were another',
      [
        [
          [0, TXID, hash(1)],
          [1, HASH, hash(1)],
        ],
      ],
      /^The path repeats a hash/,
    ],
  ])('%s is refused', (_, levels, message) => {
    expect(() => parseBump(bump(levels))).toThrow(message);
  });
});

import { describe, expect, it } from 'vitest';
import type { Answer, BlockHead, BlockListing, BlockPlace, ChainData } from '../../ports/chain-data.ts';
import { type ChainPlace, walkBlocks } from './walk-blocks.ts';

const BLOCK_S = 600;
const unknown = { basis: 'unknown' } as const;
const listing = {} as BlockListing;

function told<T>(value: T) {
  return { basis: 'told', value } as const;
}

/** A chain whose blocks are named by one letter each, from height 0. Each block knows the names of those below it. */
class Chain {
  names: string;
  /** Hashes that the verified headers do not have, and those of blocks too large to be listed. */
  unverified = new Set<string>();
  unlisted = new Set<string>();
  asked = 0;
  /** Runs before each answer; may throw in its place. */
  before: (what: string, height: number) => void = () => undefined;

  constructor(names: string) {
    this.names = names;
  }

  hash(height: number): string {
    return this.names.slice(0, height + 1);
  }

  head(height: number): Answer<BlockHead> {
    const hash = this.hash(height);
    if (height >= this.names.length || this.unverified.has(hash)) return unknown;
    return told({ hash, height, previousHash: hash.slice(0, -1), time: height * BLOCK_S } as BlockHead);
  }

  readonly data = {
    until: () => this.data,
    tip: async () => told({ hash: this.names, height: this.names.length - 1 }),
    hashAt: async (height: number) => {
      this.asked += 1;
      this.before('hashAt', height);
      return height < this.names.length ? told(this.hash(height)) : unknown;
    },
    headerAt: async (height: number) => {
      this.before('headerAt', height);
      return this.head(height);
    },
    listing: async ({ hash, height }: BlockHead) => {
      this.before('listing', height);
      return this.unlisted.has(hash) ? unknown : told(listing);
    },
  } as unknown as ChainData;
}

/** A place that remembers so many blocks. */
class Place implements ChainPlace {
  known: BlockPlace[] = [];
  searched: string[] = [];
  left: number[] = [];
  from: number | undefined = 0;
  ahead = Number.POSITIVE_INFINITY;
  readonly #most: number;

  constructor(most = 100) {
    this.#most = most;
  }

  async blocks(limit = this.#most): Promise<BlockPlace[]> {
    return this.known.slice(0, limit);
  }

  async remember({ hash, height }: BlockPlace): Promise<void> {
    const below = this.known.filter((block) => block.height < height);
    this.known = [{ hash, height }, ...below].slice(0, this.#most);
  }

  async since(): Promise<number | undefined> {
    return this.from;
  }

  async leave(fork: number): Promise<void> {
    this.left.push(fork);
    this.known = this.known.filter(({ height }) => height <= fork);
  }

  async search({ hash }: BlockHead): Promise<void> {
    this.searched.push(hash);
  }

  isAhead({ height }: BlockPlace): boolean {
    return height > this.ahead;
  }
}

function walk(chain: Chain, place: Place, signal = new AbortController().signal) {
  return walkBlocks(chain.data, place, signal);
}

describe('a walk along the chain', () => {
  it('searches each new block once, in order, and asks for nothing while the tip is the same', async () => {
    const [chain, place] = [new Chain('abc'), new Place()];
    expect(await walk(chain, place)).toEqual({ end: 'tip' });
    expect(place.searched).toEqual(['ab', 'abc']);
    chain.names = 'abcde';
    await walk(chain, place);
    expect(place.searched).toEqual(['ab', 'abc', 'abcd', 'abcde']);
    chain.asked = 0;
    expect(await walk(chain, place)).toEqual({ end: 'same' });
    expect([chain.asked, place.searched.length, place.left]).toEqual([0, 4, []]);
  });

  it('leaves out everything up to the tip while nothing waits', async () => {
    const [chain, place] = [new Chain('abc'), new Place()];
    place.from = undefined;
    expect(await walk(chain, place)).toEqual({ end: 'tip' });
    expect([place.searched, place.known]).toEqual([[], [{ hash: 'abc', height: 2 }]]);
  });

  it('begins two hours of block time before what waits, and no more than 5,000 blocks back', async () => {
    const [chain, place] = [new Chain('a'.repeat(6_001)), new Place()];
    place.from = 5_900 * BLOCK_S * 1_000;
    await walk(chain, place);
    // twelve blocks are two hours, and the beginning is looked for in steps of ten
    expect(place.searched[0]?.length).toBe(5_880 + 1);
    const other = new Place();
    await walk(chain, other);
    expect(other.searched[0]?.length).toBe(1_000 + 1);
  });

  it('remembers a block that is too large to be listed, without a search', async () => {
    const [chain, place] = [new Chain('abc'), new Place()];
    chain.unlisted.add('ab');
    await walk(chain, place);
    expect([place.searched, place.known[0]?.hash]).toEqual([['abc'], 'abc']);
  });

  it.each(['headerAt', 'listing'])('goes on with the block at which %s failed', async (where) => {
    const [chain, place] = [new Chain('abcd'), new Place()];
    chain.before = (what, height) => {
      if (what === where && height === 2 && place.searched.length === 1) throw new Error('no node');
    };
    // looks for its beginning first
    place.known = [{ hash: 'a', height: 0 }];
    await expect(walk(chain, place)).rejects.toThrow('no node');
    expect([place.searched, place.known[0]?.hash]).toEqual([['ab'], 'ab']);
    chain.before = () => undefined;
    await walk(chain, place);
    expect(place.searched).toEqual(['ab', 'abc', 'abcd']);
  });

  it('ends between two blocks where its signal does', async () => {
    const [chain, place, abort] = [new Chain('abcd'), new Place(), new AbortController()];
    chain.before = (what, height) => {
      if (what === 'listing' && height === 1) abort.abort(new Error('stopped'));
    };
    await expect(walk(chain, place, abort.signal)).rejects.toThrow('stopped');
    expect(place.searched).toEqual(['ab']);
  });

  it('ends on its way back where its signal does', async () => {
    const [chain, place, abort] = [new Chain('abcd'), new Place(), new AbortController()];
    await walk(chain, place);
    chain.names = 'aXYZ';
    chain.asked = 0;
    chain.before = () => abort.abort(new Error('stopped'));
    await expect(walk(chain, place, abort.signal)).rejects.toThrow('stopped');
    expect([chain.asked, place.left]).toEqual([1, []]);
  });
});

describe('a reorganisation', () => {
  it('is left once, at the last remembered block that is still on the chain, and its blocks are searched', async () => {
    const [chain, place] = [new Chain('abcd'), new Place()];
    await walk(chain, place);
    chain.names = 'abXYZ';
    expect(await walk(chain, place)).toEqual({ end: 'tip' });
    expect([place.left, place.searched.slice(3)]).toEqual([[1], ['abX', 'abXY', 'abXYZ']]);
  });

  it('deeper than what is remembered leaves everything, and begins anew', async () => {
    const [chain, place] = [new Chain('abcdef'), new Place(2)];
    await walk(chain, place);
    place.searched = [];
    chain.names = 'abXYZUV';
    await walk(chain, place);
    expect([place.left, place.searched[0], place.known[0]?.hash]).toEqual([[-1], 'ab', 'abXYZUV']);
  });

  it('that only makes the chain shorter leaves what is above the tip', async () => {
    const [chain, place] = [new Chain('abcd'), new Place()];
    await walk(chain, place);
    chain.names = 'ab';
    expect(await walk(chain, place)).toEqual({ end: 'tip' });
    expect([place.left, place.known[0]?.hash, place.searched.length]).toEqual([[1], 'ab', 3]);
    // back at its first block, and further than that
    chain.names = 'X';
    await walk(chain, place);
    expect([place.left, place.known]).toEqual([[1, -1], [{ hash: 'X', height: 0 }]]);
  });

  it('in the middle of a walk ends it at the block that builds on another, and the next walk goes back', async () => {
    const [chain, place] = [new Chain('abcd'), new Place()];
    chain.before = (what, height) => {
      if (what === 'headerAt' && height === 3 && place.searched.length === 2) chain.names = 'abXYZ';
    };
    expect(await walk(chain, place)).toEqual({ end: 'changed' });
    expect([place.left, place.known[0]?.hash]).toEqual([[], 'abc']);
    expect(await walk(chain, place)).toEqual({ end: 'tip' });
    expect([place.left, place.known[0]?.hash]).toEqual([[1], 'abXYZ']);
  });

  it('to a shorter chain in the middle of a walk ends it too', async () => {
    const [chain, place] = [new Chain('abcd'), new Place()];
    chain.before = (what, height) => {
      if (what === 'headerAt' && height === 2 && place.searched.length === 1) chain.names = 'ab';
    };
    expect(await walk(chain, place)).toEqual({ end: 'changed' });
    expect(place.known[0]?.hash).toBe('ab');
  });
});

it('a first walk begins at a tip that the verified headers do not have', async () => {
  const [chain, place] = [new Chain('abcd'), new Place()];
  chain.unverified.add('abcd');
  expect(await walk(chain, place)).toEqual({ end: 'unverified', hash: 'abcd' });
  expect(place.searched).toEqual([]);
});

it('a block that the verified headers do not have is named and not searched', async () => {
  const [chain, place] = [new Chain('abcd'), new Place()];
  chain.unverified.add('abc');
  place.known = [{ hash: 'a', height: 0 }];
  expect(await walk(chain, place)).toEqual({ end: 'unverified', hash: 'abc' });
  expect([place.searched, place.known[0]?.hash]).toEqual([['ab'], 'ab']);
});

describe('blocks of a node that is ahead of this one', () => {
  it('stay while those below them are on the chain, or are not there either', async () => {
    const [chain, place] = [new Chain('abc'), new Place()];
    place.ahead = 2;
    place.known = ['abcde', 'abcd', 'abc'].map((hash) => ({ hash, height: hash.length - 1 }));
    await walk(chain, place);
    place.known = place.known.slice(0, 2);
    await walk(chain, place);
    expect([place.left, place.searched, place.known.length]).toEqual([[], [], 2]);
  });

  it('leave with one below them that has left', async () => {
    const [chain, place] = [new Chain('abX'), new Place()];
    place.ahead = 2;
    place.known = ['abcde', 'abcd', 'abc', 'ab'].map((hash) => ({ hash, height: hash.length - 1 }));
    await walk(chain, place);
    expect([place.left, place.searched]).toEqual([[1], ['abX']]);
  });
});

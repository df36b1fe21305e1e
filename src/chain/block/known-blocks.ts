/** A block that every node of a chain has. */
export interface KnownBlock {
  readonly height: number;
  /** Display hex. */
  readonly hash: string;
}

/** The first block of the main chain, and of all chains that split off it. */
export const MAIN_FIRST_BLOCK: KnownBlock = {
  height: 0,
  hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
};

/** The first block of the main chain after the last chain split off. The Open BSV licence names it. */
export const MAIN_AFTER_SPLITS: KnownBlock = {
  height: 556_767,
  hash: '000000000000000001d956714215d96ffc00e0afda4cd0a96c96f8d802b1662b',
};

/** Compact target of the easiest block of the main chain and the test chains. */
export const EASIEST_BITS = 0x1d00ffff;

/** Compact target of the easiest block of a chain for regression tests. */
export const EASIEST_REGTEST_BITS = 0x207fffff;

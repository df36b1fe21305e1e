import {
  EASIEST_BITS,
  EASIEST_REGTEST_BITS,
  type KnownBlock,
  MAIN_AFTER_SPLITS,
  MAIN_FIRST_BLOCK,
} from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';

/** Chain names that an upstream of each network may report in `getblockchaininfo`. */
export const chainNames: Readonly<Record<Network, readonly string[]>> = {
  sandbox: ['regtest'],
  private: ['regtest'],
  test: ['test', 'stn', 'regtest'],
  main: ['main'],
};

/**
 * Blocks that every node of a chain has. Nodes of the chains that split off report `main` too and have the same first block. The block
 * after the last split tells them apart.
 */
export const blocksOfChain: ReadonlyMap<string, readonly KnownBlock[]> = new Map([
  ['main', [MAIN_FIRST_BLOCK, MAIN_AFTER_SPLITS]],
]);

/** Compact target of the easiest block that a network allows. */
export const easiestBits: Readonly<Record<Network, number>> = {
  sandbox: EASIEST_REGTEST_BITS,
  private: EASIEST_REGTEST_BITS,
  // a test network may be a regression-test chain
  test: EASIEST_REGTEST_BITS,
  main: EASIEST_BITS,
};

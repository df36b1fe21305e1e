import type { Network } from '../../../contract/index.ts';

/** Chain names that an upstream of each network may report in `getblockchaininfo`. */
export const chainNames: Readonly<Record<Network, readonly string[]>> = {
  sandbox: ['regtest'],
  test: ['test', 'stn', 'regtest'],
  main: ['main'],
};

/**
 * Blocks that every node of a chain has. Nodes of the chains that split off report `main` too and have the same first block. The block
 * after the last split tells them apart; the Open BSV licence names it.
 */
export const blocksOfChain: Readonly<Record<string, readonly { height: number; hash: string }[]>> = {
  main: [
    { height: 0, hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f' },
    { height: 556_767, hash: '000000000000000001d956714215d96ffc00e0afda4cd0a96c96f8d802b1662b' },
  ],
};

/** Compact target of the easiest block that a network allows. */
export const easiestBits: Readonly<Record<Network, number>> = {
  sandbox: 0x207fffff,
  // a test network may be a regression-test chain
  test: 0x207fffff,
  main: 0x1d00ffff,
};

import type { Rate } from '../../../../chain/index.ts';
import type { MempoolLimits } from '../types.ts';

/** Compact target of every block: the easiest one, met by every second hash. */
export const REGTEST_BITS = 0x207fffff;

/** Genesis block of regtest chains, as in the node. Its coinbase cannot be spent. */
export const GENESIS_BLOCK_HEX =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa' +
  '4b1e5e4adae5494dffff7f20020000000101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d' +
  '0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f75742066' +
  '6f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4' +
  'f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000';

/** Confirmations before a coinbase can be spent. */
export const COINBASE_MATURITY = 100;

/** Lock times below this are block heights, others are times in seconds. */
export const LOCKTIME_THRESHOLD = 500_000_000;

/** Block version: version bits form, as used by current nodes. */
export const BLOCK_VERSION = 0x20000000;

/** The node's policy beyond the consensus rules. Sizes in bytes. */
export const policy = {
  /** Mining fee rate, as reported in quotes. */
  miningFee: { satoshis: 500, bytes: 1000 } satisfies Rate,
  /** Minimum relay fee rate: transactions below it are refused. */
  relayFee: { satoshis: 250, bytes: 1000 } satisfies Rate,
  /** Minimum amount of a spendable output. */
  dustSatoshis: 1,
  maxTxBytes: 10_000_000,
  /** Maximum size of mined blocks; further transactions wait for the next block. */
  maxMinedBlockBytes: 32_000_000,
  maxTxVersion: 2,
  maxNonFinalBytes: 50_000_000,
} as const;

/** The limits that the policy quote reports. */
export const defaultLimits: MempoolLimits = {
  /** Maximum unconfirmed ancestors in one line, counted like the node. */
  maxAncestors: 10_000,
  /** Maximum unconfirmed ancestors below the mining fee rate, counted like the node. */
  maxUnpaidAncestors: 25,
  /** Maximum mempool size. Half the node's default, because the sandbox shares the machine with other programs. */
  maxBytes: 500_000_000,
  expiryMs: 14 * 24 * 3_600_000,
  nonFinalExpiryMs: 28 * 24 * 3_600_000,
  /** Enough for one transaction of maximum size. */
  maxOrphanBytes: 10_000_000,
  orphanExpiryMs: 20 * 60_000,
};

import type { Network } from '../../../contract/index.ts';
import type { WalletKey } from './wallet-key.ts';

/** How many addresses in a row are given out at most while no block pays one of them: other wallets look no further (BIP44). */
export const GAP_LIMIT = 20;
/**
 * Keys are followed so far behind the last used one at least: a payment that made further addresses be given out may leave the chain for
 * good, and this program once counted unconfirmed ones.
 */
const LEAST_FOLLOWED_BEHIND = 3 * GAP_LIMIT;
/** Keys are added in steps, since the chain is searched again for those that come in while it is read. */
const FOLLOWED_STEP = 100;

/** How many keys are followed where this is the highest index that was given out or paid. */
export function followedCount(highest: number): number {
  return Math.ceil((highest + 1 + LEAST_FOLLOWED_BEHIND) / FOLLOWED_STEP) * FOLLOWED_STEP;
}

/** The keys of one account, wherever they come from. */
export interface KeySource {
  readonly network: Network;
  readonly state: 'missing' | 'locked' | 'ready';
  /** The key of the main address. @throws PlanchetError `wallet-missing` | `vault-locked` */
  readonly key: WalletKey;
  /** Every key whose coins are followed. @throws PlanchetError `wallet-missing` | `vault-locked` */
  readonly all: readonly WalletKey[];
  /** The keys of addresses that are given out, in the order of their indices. @throws PlanchetError `wallet-missing` | `vault-locked` */
  readonly money: readonly WalletKey[];
  /** Owns redeemable tokens; only the first account of a seed has it. */
  readonly tokenKey: WalletKey | undefined;
  /** Where a scan for the account's coins may begin: a height, else a time (ms). */
  readonly birth: { height: number } | { time: number };
  /** False where nothing can be sent: the private keys are nowhere within reach. */
  readonly canSign: boolean;
  /** Whether fresh addresses can be made. */
  readonly hasFurther: boolean;
  /** Highest index that was given out before the keys were restored; left out where no backup said so. */
  readonly restoredTo?: number;
  /** Derives as many keys as {@link followedCount} says. @returns whether there are more than before */
  followBehind(index: number): boolean;
  /** Fetches what {@link followBehind} needs, where keys come from elsewhere. */
  prepare?(index: number): Promise<void>;
  /** The derivation path of a key, e.g. `m/44'/236'/0'/0/3`; left out where it is not known. */
  pathOf?(index: number): string;
  /** Reads the keys again, after the vault was opened or locked. Keys that are the same stay the same objects. */
  reload(): void;
}

import type { MinerKind, TransactionReason } from '../../contract/index.ts';

/** How far a transaction has come by the word of one miner, whichever API it speaks. */
type MinerStatus =
  /** The miner does not know it. */
  | 'unknown'
  /** The miner took it and has not validated or announced it yet. */
  | 'accepted'
  /** It waits in a mempool. */
  | 'seen'
  | 'mined'
  /** Its block left the main chain. */
  | 'stale'
  /** The miner dropped it for lack of room. */
  | 'evicted'
  /** Another transaction spends the same coin; which one wins is not known yet. */
  | 'double-spend-attempted'
  | 'rejected'
  /** The miner failed, not the transaction. */
  | 'unclear';

/** What one miner says of one transaction. */
export interface MinerVerdict {
  readonly txid: string;
  readonly status: MinerStatus;
  /** The miner's own word, for example `success` or `SEEN_ON_NETWORK`. */
  readonly word: string;
  /** Why, where the miner gave a reason. */
  readonly reason: TransactionReason | null;
  readonly block: { readonly hash: string; readonly height: number } | null;
  /** Merkle proof that came with the answer (BRC-74); not verified. */
  readonly bump: Uint8Array | null;
  /** Transactions that spend the same coins. */
  readonly conflicts: readonly { readonly txid: string; readonly rawTx: Uint8Array | null }[];
  /** The answer as it came. */
  readonly raw: string;
  /** `none` for an API that signs nothing. */
  readonly signature: 'valid' | 'unsigned' | 'none';
}

/** A miner as histories name it. */
export interface NamedMiner {
  readonly id: string;
  readonly name: string;
  readonly kind: MinerKind;
}

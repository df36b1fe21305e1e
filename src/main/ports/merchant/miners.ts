import type { Failure, Miner, MinerKind, MinerQuote, Reason, TransactionReason } from '../../../contract/index.ts';

/** How far a transaction has come by the word of one miner, whichever API it speaks. */
export type MinerStatus =
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

export interface MinerVerdict {
  readonly txid: string;
  readonly status: MinerStatus;
  /** The miner's own word, for example `success` or `SEEN_ON_NETWORK`. */
  readonly word: string;
  /** Why, where the miner gave a reason. */
  readonly reason: TransactionReason | null;
  /** The failure to show to the one who submitted it; null if nothing failed. */
  readonly failure: Failure | null;
  readonly block: { readonly hash: string; readonly height: number } | null;
  /** Merkle proof that came with the answer (BRC-74); not verified. */
  readonly bump: Uint8Array | null;
  /** The same from a merchant API, as JSON in the TSC form; left out where there was none. */
  readonly proof?: unknown;
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

/** What is asked of a miner beside mining. A miner that cannot do it ignores it. */
export interface SubmitOptions {
  /** Where the miner reports what becomes of the transaction. */
  readonly callback?: {
    readonly url: string;
    /** Value of the header `Authorization` of the callback (mAPI), or its bearer token (ARC). */
    readonly token: string;
    /** mAPI: `libsodium sealed_box <base64 of the public key>`. */
    readonly encryption?: string;
  };
  readonly merkleProof?: boolean;
  readonly dsCheck?: boolean;
  /** ARC: answers only once this status is reached. */
  readonly waitFor?: string;
  /** ARC: seconds, 1 to 30. */
  readonly maxTimeout?: number;
  readonly skipFeeValidation?: boolean;
  readonly skipScriptValidation?: boolean;
  readonly skipTxValidation?: boolean;
  readonly cumulativeFeeValidation?: boolean;
  readonly forceValidation?: boolean;
  readonly fullStatusUpdates?: boolean;
}

/** An endpoint of a miner, over any of the protocols. */
export interface MinerEndpoint extends NamedMiner {
  /**
   * The fee quote or policy, cached until it expires.
   * @param remaining milliseconds for which a cached one must still be valid; 0 where left out
   * @throws PlanchetError `upstream-*`, `unauthorized`, `merchant-key-changed`
   */
  quote(remaining?: number): Promise<MinerQuote>;
  /**
   * Submits transactions, parents before children.
   * @returns one verdict for each, in the same order
   * @throws PlanchetError if the outcome of every transaction is unknown
   */
  submit(transactions: readonly OutgoingTransaction[], options?: SubmitOptions): Promise<MinerVerdict[]>;
  /** @throws PlanchetError `upstream-*`, `unauthorized`, `merchant-key-changed` */
  status(txid: string): Promise<MinerVerdict>;
  /**
   * ARC: why the miner says that it cannot work; null if it can.
   * @throws PlanchetError `upstream-*`, `unauthorized`
   */
  complaint?(): Promise<Reason | null>;
  /**
   * Reads what the miner reports about the submissions of this run, until its stream ends; left out if it has no stream.
   * @throws PlanchetError `upstream-*`, `unauthorized`; the reason of the signal
   */
  follow?(take: (verdict: MinerVerdict) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** The endpoints that a person set up, in the order in which they are tried. */
export interface Miners {
  list(): Promise<Miner[]>;
  /** Those that are switched on and have an address. */
  usable(): MinerEndpoint[];
  get(id: string): MinerEndpoint | undefined;
}

/** A signed transaction on its way to miners. */
export interface OutgoingTransaction {
  /** Display-order hex. */
  readonly txid: string;
  readonly rawTx: Uint8Array;
}

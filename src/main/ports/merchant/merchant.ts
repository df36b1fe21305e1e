import type { PlanchetError, QuoteSource } from '../../../contract/index.ts';

/** Fee rate in satoshis per number of bytes. */
export interface FeeRate {
  readonly satoshis: number;
  readonly bytes: number;
}

/** The limits of a miner; undefined where it does not state one. */
export interface MinerPolicy {
  readonly maxTxBytes?: number | undefined;
  readonly maxScriptBytes?: number | undefined;
  /** Signature operations of a transaction. */
  readonly maxSigops?: number | undefined;
  readonly maxAncestors?: number | undefined;
}

export interface FeeQuote {
  readonly standard: FeeRate;
  readonly data: FeeRate;
  readonly expiresAt: number;
  /** The limits that came with it. */
  readonly policy?: MinerPolicy | undefined;
  readonly source?: QuoteSource | undefined;
}

/** What one miner asks and takes, by its last quote or policy. */
export interface MinerTerms {
  readonly name: string;
  readonly standard: FeeRate;
  readonly data: FeeRate;
  readonly policy: MinerPolicy;
}

/** The miners as one service uses them. */
export interface Merchant {
  feeQuote(): Promise<FeeQuote>;
  /** What each miner in use asks and takes; one that does not answer is left out. Missing if there is no such information. */
  terms?(): Promise<readonly MinerTerms[]>;
  /**
   * @param fee satoshis, where the caller knows it
   * @throws PlanchetError `rejected` with the miner's text, `upstream-*` if it cannot be reached
   */
  submit(rawTx: Uint8Array, fee?: number): Promise<{ txid: string }>;
  /** @throws PlanchetError `upstream-*` where the question fails, which says nothing of the transaction; never `rejected` */
  status(
    txid: string,
  ): Promise<{ known: false; reason: string } | { known: true; blockHash: string | null; blockHeight: number | null }>;
}

/** A merchant API that takes many transactions in one request. */
export interface BatchMerchant extends Merchant {
  /**
   * Submits transactions, parents before children.
   * @param fees satoshis of each, where the caller knows them
   * @returns for each in order: undefined if the miner has it, else the error (`rejected` with the miner's text, `upstream-error`)
   * @throws PlanchetError `upstream-*`, `unauthorized`, `api-key-missing` if the outcome of every transaction is unknown
   */
  submitAll(rawTxs: readonly Uint8Array[], fees?: readonly number[]): Promise<(PlanchetError | undefined)[]>;
}

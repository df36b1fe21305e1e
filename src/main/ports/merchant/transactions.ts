import type {
  TrackedTransaction,
  TransactionOrigin,
  TransactionReason,
  TransactionState,
} from '../../../contract/index.ts';
import type { Inclusion } from '../chain-data.ts';
import type { MinerVerdict, NamedMiner } from './miners.ts';

/** A signed transaction that is to be followed. */
export interface TrackRequest {
  readonly rawTx: Uint8Array;
  readonly origin: TransactionOrigin;
  /** Satoshis, where the caller knows it. */
  readonly fee?: number | undefined;
  readonly label?: string | undefined;
}

/** A transaction that the checks before sending kept back. */
export interface KeptBackRequest extends TrackRequest {
  readonly reason: TransactionReason;
}

/** A tracked transaction entered another state. */
export interface TransactionChange {
  readonly txid: string;
  readonly from: TransactionState | null;
  readonly transaction: TrackedTransaction;
}

/** Follows every transaction that Planchet submits, for whatever service, to its block and proof. */
export interface TransactionTracker {
  /**
   * Journals transactions before they are sent. One that is known already keeps its state and its origin; one that was kept back waits to be
   * sent from now on.
   * @throws PlanchetError `store-failed`, `disk-full`; nothing may be sent then
   */
  track(requests: readonly TrackRequest[]): Promise<void>;
  /**
   * Journals transactions that are not sent, with the reason. One that is on its way already keeps its state.
   * @throws PlanchetError `store-failed`, `disk-full`
   */
  keepBack(requests: readonly KeptBackRequest[]): Promise<void>;
  /** Takes note of what a miner said of transactions; those that are not tracked are left out. */
  answered(
    miner: NamedMiner,
    request: 'submit' | 'status' | 'callback',
    verdicts: readonly MinerVerdict[],
  ): Promise<void>;
  get(txid: string): Promise<TrackedTransaction | undefined>;
  /** The proof of a transaction, from wherever it came: a block, the node or a miner. Undefined while it has none. */
  proofOf(txid: string): Promise<Inclusion | undefined>;
  /** @returns removes the listener */
  onChange(listener: (change: TransactionChange) => void): () => void;
}

/** A transaction, with its verified Merkle proof (BRC-74) once it has one. */
export interface KnownTransaction {
  readonly rawTx: Uint8Array;
  readonly bump: Uint8Array | null;
}

/** Transactions that Planchet holds itself, for miners that do not know the parents of one. */
export interface KnownTransactions {
  /** @returns those that are known, by txid */
  withProofs(txids: readonly string[]): Promise<ReadonlyMap<string, KnownTransaction>>;
}

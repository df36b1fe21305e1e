import type { Rate, Satoshis, ScriptRules, ScriptVerdict, TscProof, Tx, Utxo } from '../../../chain/index.ts';
import type { Tip } from '../../../contract/index.ts';

/** Runs the scripts of all inputs; `spent` has one output for each input in order. The host uses worker threads. */
export type VerifyScripts = (tx: Tx, spent: Utxo[], rules: ScriptRules) => Promise<ScriptVerdict>;

/** A transaction whose scripts must be run, and the outputs it spends in input order. */
export interface ScriptJob {
  readonly txid: string;
  readonly tx: Tx;
  readonly raw: Uint8Array;
  readonly spent: readonly Utxo[];
  readonly rules: ScriptRules;
}

/** Runs the scripts of many transactions at once. @returns a verdict for each, in order */
export type VerifyBatch = (jobs: readonly ScriptJob[]) => Promise<readonly ScriptVerdict[]>;

export interface MempoolLimits {
  readonly maxAncestors: number;
  readonly maxUnpaidAncestors: number;
  readonly maxBytes: number;
  readonly expiryMs: number;
  readonly nonFinalExpiryMs: number;
  readonly maxOrphanBytes: number;
  readonly orphanExpiryMs: number;
}

export interface ConflictingTransaction {
  readonly txid: string;
  readonly size: number;
  readonly hex: string;
}

/** The node's reject code and reason, e.g. 66 `mempool min fee not met`. */
export interface Rejection {
  readonly code: number;
  readonly reason: string;
  readonly conflictedWith?: readonly ConflictingTransaction[];
}

/**
 * `known`: the same transaction was already in the mempool or in a block. `nonFinal`: it waits for its lock time in a separate pool.
 */
export type SubmitResult =
  | { readonly ok: true; readonly txid: string; readonly known?: boolean; readonly nonFinal?: boolean }
  | ({ readonly ok: false; readonly txid: string | null } & Rejection);

/** The origin of a transaction, in the node's terms. */
export type TxSource = 'rpc' | 'p2p' | 'wallet' | 'finalised';

export interface SubmitOptions {
  /** Defaults to `rpc`. Only transactions from peers are held as orphans. */
  readonly source?: TxSource;
  /** False accepts the transaction without a fee (the node's `dontcheckfee`). */
  readonly checkFee?: boolean;
  /** Maximum fee in satoshis, against typing errors; a higher one is refused with 256 `absurdly-high-fee`. */
  readonly maxFee?: number;
  /** Least fee rate; defaults to the relay fee. */
  readonly minimumRate?: Rate;
}

export interface NodeTransaction {
  readonly raw: Uint8Array;
  /** Null for a mempool transaction. */
  readonly blockHash: string | null;
  readonly blockHeight: number | null;
  /** 0 in the mempool, 1 in the tip. */
  readonly confirmations: number;
}

export interface NodeUtxo {
  readonly satoshis: Satoshis;
  readonly lockingScript: Uint8Array;
  /** Null for an output of a mempool transaction. */
  readonly height: number | null;
  readonly coinbase: boolean;
}

/** A transaction's position in its block, proven by a Merkle branch. */
export interface NodeProof {
  /** Target type `header`: the 80-byte header in hex. */
  readonly proof: TscProof;
  readonly blockHash: string;
  readonly blockHeight: number;
}

interface AcceptedTransaction {
  readonly txid: string;
  readonly raw: Uint8Array;
}

/** Result of submitting a block; `reason` is the node's. */
export type BlockResult =
  | {
      readonly ok: true;
      readonly hash: string;
      /** False for a block on a branch with no more work than the main chain. */
      readonly active: boolean;
    }
  | { readonly ok: false; readonly hash: string | null; readonly reason: string };

export interface ChainEnd {
  readonly height: number;
  readonly hash: string;
  /** Number of blocks since it left the main chain. */
  readonly branchLength: number;
  readonly status: 'active' | 'invalid' | 'valid-fork' | 'valid-headers';
}

interface DisconnectedBlock {
  readonly hash: string;
  readonly height: number;
  readonly transactions: readonly AcceptedTransaction[];
}

/** A transaction that left the mempool without being mined. */
export interface RemovedTransaction extends AcceptedTransaction {
  readonly reason: 'expired' | 'mempool-sizelimit-exceeded' | 'collision-in-block-tx' | 'reorg';
  readonly collidedWith?: AcceptedTransaction;
  readonly blockHash?: string;
}

/** A block refused because of one of its transactions. */
interface RefusingBlock {
  readonly hash: string;
  readonly height: number;
  /** Header time in seconds. */
  readonly time: number;
  /** Its origin in the node's terms; empty for the node's own blocks. */
  readonly origins: readonly string[];
}

/** A refused transaction, submitted alone or in a block. */
export interface RefusedTransaction extends Rejection, AcceptedTransaction {
  readonly from: { readonly source: TxSource } | { readonly block: RefusingBlock };
  /** Whether all outputs are standard; false if it was refused before that check, or in a block. */
  readonly standard: boolean;
  /** Whether it is not final yet. */
  readonly nonFinal: boolean;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: number;
}

export interface ConnectedBlock {
  readonly hash: string;
  /** False if the same reorganisation already connected another block after it. */
  readonly newest: boolean;
  /** Makes its bytes, which few listeners need. */
  readonly raw: () => Uint8Array;
  readonly transactions: readonly {
    readonly txid: string;
    readonly raw: Uint8Array;
    /** False if it was not in the mempool, such as the coinbase. */
    readonly fromMempool: boolean;
  }[];
}

export type TipListener = (tip: Tip, block: ConnectedBlock) => void;
/** Receives transactions that were accepted together, parents before children. */
export type TransactionsListener = (transactions: readonly AcceptedTransaction[]) => void;
export type DisconnectListener = (block: DisconnectedBlock) => void;
export type RemovalListener = (transaction: RemovedTransaction) => void;
export type RefusalListener = (transaction: RefusedTransaction) => void;

import type { Satoshis, ScriptRules, ScriptVerdict, TscProof, Tx, Utxo } from '../../../chain/index.ts';
import type { Tip } from '../../../contract/index.ts';

/** Runs the scripts of all inputs; `spent` has one output for each input in order. The host does it in worker threads. */
export type VerifyScripts = (tx: Tx, spent: Utxo[], rules: ScriptRules) => Promise<ScriptVerdict>;

/** A transaction whose scripts are to be run, with what it spends in the order of its inputs. */
export interface ScriptJob {
  readonly txid: string;
  readonly tx: Tx;
  readonly raw: Uint8Array;
  readonly spent: readonly Utxo[];
  readonly rules: ScriptRules;
}

/** Runs the scripts of many transactions at once. @returns a verdict for each, in order */
export type VerifyBatch = (jobs: readonly ScriptJob[]) => Promise<readonly ScriptVerdict[]>;

/** How much the mempool holds. */
export interface MempoolLimits {
  readonly maxAncestors: number;
  readonly maxUnpaidAncestors: number;
  readonly maxBytes: number;
  readonly expiryMs: number;
  readonly nonFinalExpiryMs: number;
  readonly maxOrphanBytes: number;
  readonly orphanExpiryMs: number;
}

/** A transaction that stands in the way of another one. */
export interface ConflictingTransaction {
  readonly txid: string;
  readonly size: number;
  readonly hex: string;
}

/** Why the node refuses something: its reject code and reason, e.g. 66 `mempool min fee not met`. */
export interface Rejection {
  readonly code: number;
  readonly reason: string;
  readonly conflictedWith?: readonly ConflictingTransaction[];
}

/**
 * `known` tells that the very transaction was in the mempool or in a block before; nothing changed then. `nonFinal` tells that it
 * waits for its lock time in a pool of its own.
 */
export type SubmitResult =
  | { readonly ok: true; readonly txid: string; readonly known?: boolean; readonly nonFinal?: boolean }
  | ({ readonly ok: false; readonly txid: string | null } & Rejection);

/** Where a transaction came from, in the node's words. */
export type TxSource = 'rpc' | 'p2p' | 'wallet' | 'finalised';

export interface SubmitOptions {
  /** Left out, `rpc`. Only what a peer sent is kept while its parents are missing. */
  readonly source?: TxSource;
  /** False takes the transaction without a fee (the node's `dontcheckfee`). */
  readonly checkFee?: boolean;
  /** Highest fee in satoshis, against typing errors; a higher one is refused with 256 `absurdly-high-fee`. */
  readonly maxFee?: number;
}

export interface NodeTransaction {
  readonly raw: Uint8Array;
  /** Null while the transaction waits in the mempool. */
  readonly blockHash: string | null;
  readonly blockHeight: number | null;
  /** 0 in the mempool, 1 in the tip. */
  readonly confirmations: number;
}

export interface NodeUtxo {
  readonly satoshis: Satoshis;
  readonly lockingScript: Uint8Array;
  /** Null for an output of a transaction in the mempool. */
  readonly height: number | null;
  readonly coinbase: boolean;
}

/** A transaction's place in its block, shown by a Merkle branch. */
export interface NodeProof {
  /** Target type `header`: the 80-byte header in hex. */
  readonly proof: TscProof;
  readonly blockHash: string;
  readonly blockHeight: number;
}

/** A transaction the mempool took. */
interface AcceptedTransaction {
  readonly txid: string;
  readonly raw: Uint8Array;
}

/** What became of a block handed in; `reason` is the node's. */
export type BlockResult =
  | {
      readonly ok: true;
      readonly hash: string /** False for a block on a branch with no more work than the main chain. */;
      readonly active: boolean;
    }
  | { readonly ok: false; readonly hash: string | null; readonly reason: string };

/** The end of a branch. */
export interface ChainEnd {
  readonly height: number;
  readonly hash: string;
  /** Blocks since it left the main chain. */
  readonly branchLength: number;
  readonly status: 'active' | 'invalid' | 'valid-fork' | 'valid-headers';
}

/** A block that was taken off the main chain. */
interface DisconnectedBlock {
  readonly hash: string;
  readonly height: number;
  readonly transactions: readonly AcceptedTransaction[];
}

/** A transaction that left the mempool other than in a block that holds it. */
export interface RemovedTransaction extends AcceptedTransaction {
  readonly reason: 'expired' | 'mempool-sizelimit-exceeded' | 'collision-in-block-tx' | 'reorg';
  readonly collidedWith?: AcceptedTransaction;
  readonly blockHash?: string;
}

/** A block that was refused for one of its transactions. */
interface RefusingBlock {
  readonly hash: string;
  readonly height: number;
  /** Of its header, in seconds. */
  readonly time: number;
  /** How it came, in the node's words; empty for a block of its own. */
  readonly origins: readonly string[];
}

/** A transaction that was refused, by itself or with the block that holds it. */
export interface RefusedTransaction extends Rejection, AcceptedTransaction {
  readonly from: { readonly source: TxSource } | { readonly block: RefusingBlock };
  /** Whether it has none but standard outputs; false also where it was refused before anybody looked, and in a block. */
  readonly standard: boolean;
  /** Whether no block may hold it yet. */
  readonly nonFinal: boolean;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: number;
}

/** A block that became the tip. */
export interface ConnectedBlock {
  readonly hash: string;
  /** False for one that another of the same reorganisation already follows. */
  readonly newest: boolean;
  readonly raw: Uint8Array;
  readonly transactions: readonly {
    readonly txid: string;
    readonly raw: Uint8Array;
    /** False for one the mempool had not held, such as the coinbase. */
    readonly fromMempool: boolean;
  }[];
}

export type TipListener = (tip: Tip, block: ConnectedBlock) => void;
/** Gets what was accepted together, parents before children. */
export type TransactionsListener = (transactions: readonly AcceptedTransaction[]) => void;
export type DisconnectListener = (block: DisconnectedBlock) => void;
export type RemovalListener = (transaction: RemovedTransaction) => void;
export type RefusalListener = (transaction: RefusedTransaction) => void;

import type { MerklePath, Outpoint, Satoshis, TxOutput } from '../../chain/index.ts';
import type { AnswerBasis, Reason, Tip } from '../../contract/index.ts';

/**
 * What an answer rests on. `proven`: on bytes that show it by their hash, or on the verified headers. `agreed`: on the word of two operators.
 * `told`: on the word of one. `unknown`: whoever was asked knows of no such thing, which proves nothing.
 */
export type Answer<T> =
  | Known<T>
  | {
      readonly basis: 'unknown';
      readonly value?: undefined;
      /** How many operators say that they know of no such thing; left out where one is all there is. */
      readonly operators?: number;
    };

interface Known<T> {
  readonly basis: AnswerBasis;
  readonly value: T;
}

export interface BlockPlace {
  /** Display-order hex. */
  readonly hash: string;
  readonly height: number;
}

/** The head of a block of the main chain. Its header has the hash of the block and shows its work. */
export interface BlockHead extends BlockPlace {
  /** 80 bytes. */
  readonly header: Uint8Array;
  readonly previousHash: string;
  readonly merkleRoot: string;
  /** Seconds since 1970-01-01 UTC. */
  readonly time: number;
  /** Number of transactions as the source states it; undefined if the source does not state one. */
  readonly transactions: number | undefined;
  /** Size in bytes, likewise as the source states it. */
  readonly size: number | undefined;
}

/** Of a block, in satoshis. */
export interface BlockTotals {
  readonly fees: number;
  /** Bytes of all transactions but the coinbase, which pays no fee. */
  readonly payingBytes: number;
  /** What all outputs hold together, without those that make new money. */
  readonly value: number;
}

/** A transaction of the mempool, as a node lists it. */
export interface WaitingTransaction {
  readonly txid: string;
  /** Bytes. */
  readonly size: number;
  /** Satoshis. */
  readonly fee: number;
  /** Since when it waits, in seconds since 1970-01-01 UTC. */
  readonly time: number;
}

export interface BlockListing {
  /** Ids in order. */
  readonly txids: readonly string[];
  /**
   * Makes the tree of the whole block, once.
   * @throws PlanchetError `proof-invalid` where the list does not lead to the Merkle root of the block
   */
  check(): void;
  /** The Merkle path of one of them. @throws as {@link check} */
  path(txid: string): MerklePath;
}

type Lookup = Pick<ReadonlySet<string>, 'has'>;

/** What is looked for in a block. A transaction touches it where it pays a key, spends an outpoint or a payment found before, or has one of the ids. */
export interface Sought {
  /** Hashes of public keys, hex. */
  readonly keys?: Lookup;
  /** `<txid>_<vout>` */
  readonly outpoints?: Lookup;
  readonly txids?: Lookup;
  /** Whether the bytes and the path of all that touches keys or outpoints are wanted. */
  readonly withProof?: boolean;
}

/** A transaction of a block that touches what was looked for, without its other parts: it may be as long as the block. */
export interface TouchingTransaction {
  readonly txid: string;
  /** Place in the block; the first makes new money. */
  readonly index: number;
  readonly inputs: readonly Outpoint[];
  readonly inputCount: number;
  readonly outputs: readonly PayingOutput[];
  /** Satoshis of all its outputs. */
  readonly paid: number;
  /** Its bytes, where proofs are wanted; left out of long ones, and where a block has many. */
  readonly raw: Uint8Array | undefined;
  /** Where the id was looked for, or proofs are wanted. */
  readonly path: MerklePath | undefined;
}

interface PayingOutput {
  readonly vout: number;
  readonly satoshis: Satoshis;
  /** Undefined where it is too long to be held: its beginning or its end names the key. */
  readonly script: Uint8Array | undefined;
}

/** What a block holds of what was looked for. */
export interface BlockFindings {
  /** In the order of the block. */
  readonly transactions: readonly TouchingTransaction[];
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** Length of the block. */
  readonly bytes: number;
}

/** What shows that a block of the main chain holds a transaction. */
export interface Inclusion extends BlockPlace {
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** Leads to the Merkle root of the header. */
  readonly path: MerklePath;
}

/** What payments to keys, and spends of them, are said to be. */
export interface KeyHistory {
  /** One for each key that a transaction touches: `key` is its hash, hex. */
  readonly mined: readonly { readonly key: string; readonly txid: string; readonly height: number }[];
  /** Ids. */
  readonly waiting: readonly string[];
  /** Names of the operators that list what waits, by its id; left out where one is all there is. */
  readonly toldBy?: ReadonlyMap<string, readonly string[]>;
  /** Addresses whose history no source lists completely, with the reason; left out where blocks are searched. */
  readonly cut?: readonly { readonly address: string; readonly reason: Reason }[];
}

export type OutputState =
  | {
      readonly state: 'unspent';
      /** Left out where states alone were asked for. */
      readonly output: TxOutput | undefined;
      /** Blocks from its own to the tip, both counted; 0 while it is not mined. */
      readonly confirmations: number;
    }
  /** A transaction of the mempool spends it: `by`, if the source names it. */
  | { readonly state: 'spent'; readonly by: string | null };

/** What is said of whether an output is spent, mined or not. */
export interface SpendTold {
  /** What spends it, shown by its bytes. */
  readonly spender: { readonly txid: string; readonly raw: Uint8Array } | undefined;
  /** Names of the sources that say it is spent by a transaction which no source can provide. */
  readonly claimedBy: readonly string[];
  /** Names of the sources that say it is unspent. */
  readonly deniedBy: readonly string[];
  /** Names of the sources that did not answer. */
  readonly silent: readonly string[];
}

/** Is given the id and the bytes of a transaction; they are its own. */
export type ArrivalListener = (txid: string, raw: Uint8Array) => void;

/**
 * What is on the chain and in the mempool, asked as services mean it. `unknown` is an answer; who cannot answer now, as while it starts, makes
 * a question fail. Nothing is sent here: a transaction is submitted to the miners (`ports/merchant`), and checked, journalled and tracked on its way.
 * @throws from every question PlanchetError `upstream-*`, `proof-invalid` where an answer contradicts itself, `cancelled` by the signal
 */
export interface ChainData {
  /** Who answers, as messages name it. */
  readonly name: string;
  /** True if the source only answers about what is named: it lists neither the transactions of a block nor the mempool. */
  readonly withoutLists?: boolean;
  /** Public services, if a node is asked first: they know what happened in blocks that the node has pruned. */
  readonly beside?: ChainData;
  /** That node alone, for questions that are too many for public services. */
  readonly alone?: ChainData;
  /** The same, with questions that end with a signal. */
  until(signal: AbortSignal): ChainData;
  /** The last block of the main chain. */
  tip(): Promise<Known<BlockPlace>>;
  /** The hash of the main chain's block at a height; unknown above the tip. */
  hashAt(height: number): Promise<Answer<string>>;
  /** The main chain's block at a height; unknown above the tip, or where the verified headers have another. */
  headerAt(height: number): Promise<Answer<BlockHead>>;
  /** A block of the main chain; unknown for any other. */
  header(hash: string): Promise<Answer<BlockHead>>;
  /** A block, also of a branch that lost. */
  headerAnywhere(hash: string): Promise<Answer<BlockHead>>;
  /** What the transactions of a block pay; unknown if the source does not state it. */
  totals(hash: string): Promise<Answer<BlockTotals>>;
  /** The ids of a block's transactions; unknown where it has too many to be listed, or they are not kept any more. */
  listing(block: Pick<BlockHead, 'hash' | 'merkleRoot' | 'transactions'>): Promise<Answer<BlockListing>>;
  /** The first transaction of a block, with the sibling hashes (display hex) of its Merkle path. */
  coinbase(hash: string): Promise<Answer<{ readonly raw: Uint8Array; readonly nodes: readonly string[] }>>;
  /**
   * Reads a block and gives what touches. All of its transactions lead to the Merkle root of its header; `proven` where the verified headers have
   * the block at its height, unknown where they have another. Nothing is held but what touches, however long the block is.
   * @throws PlanchetError `chain.block-differs` where it is another block, `chain.block-invalid` where it does not hold what its header commits to,
   *   `chain.block-pruned` where its transactions are not kept any more
   */
  search(block: BlockPlace, sought: Sought): Promise<Answer<BlockFindings>>;
  /** Whether {@link search} can read a block. Only its beginning is asked for. */
  holds(block: BlockPlace): Promise<boolean>;
  /** The bytes of a transaction. They may be anybody's, and as long as a block. */
  transaction(txid: string): Promise<Answer<Uint8Array>>;
  /** The bytes of many transactions, by id, asked for in few calls. Those that are unknown, or whose bytes are not theirs, are left out. */
  transactions(txids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * The bytes of a transaction, with the block of the main chain that is said to hold it, null while none does, and the path that shows it.
   * @param known its bytes, where they were read before
   */
  placed(
    txid: string,
    known?: Uint8Array,
  ): Promise<Answer<{ readonly raw: Uint8Array; readonly block: BlockPlace | null; readonly path?: MerklePath }>>;
  /** The block of the main chain that is said to hold a transaction; null while none does. @param known as for {@link placed} */
  placeOf(txid: string, known?: Uint8Array): Promise<Answer<BlockPlace | null>>;
  /**
   * Shows that a block holds a transaction; unknown where it does not, or is not part of the main chain.
   * @param hash of the block; left out where any will do
   * @param known its bytes, where they were read before
   */
  inclusion(txid: string, hash?: string, known?: Uint8Array): Promise<Answer<Inclusion>>;
  /** Whether an output is unspent; unknown for one that a block spent, as for one that never was. */
  output(outpoint: Outpoint): Promise<Answer<OutputState>>;
  /** The same for many outputs, in order, with what spends them in the mempool; undefined if no source answers about many at once. */
  outputs(
    outpoints: readonly Outpoint[],
    what: 'states' | 'outputs',
  ): Promise<readonly Answer<OutputState>[] | undefined>;
  /**
   * What touches keys, by an index of scripts; unknown if no source keeps one, so that blocks have to be searched. It says what to look up: a row may be
   * wrong, and one may be missing.
   * @param keys hashes of public keys, hex
   * @param awaited those of them that a payment is expected for: every operator is asked about these each time
   */
  history(keys: readonly string[], awaited?: readonly string[]): Promise<Answer<KeyHistory>>;
  /** The outputs that any source calls spent, in few requests. It says what to look up; empty where blocks are searched. */
  claimedSpent(outpoints: readonly Outpoint[]): Promise<readonly Outpoint[]>;
  /** What every source says about one output, mined or not. No source is asked where blocks are searched. */
  spends(outpoint: Outpoint): Promise<SpendTold>;
  /** The ids of what waits in the mempool; unknown where it is too large to be listed. @param most ids that are listed */
  mempool(most?: number): Promise<Answer<readonly string[]>>;
  /** The same with fee and time of each; unknown also if the source does not state these. */
  waiting(most: number): Promise<Answer<readonly WaitingTransaction[]>>;
  /**
   * Calls the listener with each transaction that enters the mempool, if that is announced. One may be missed, and those of a block may be announced
   * again: {@link mempool} says what waits.
   * @returns removes the listener
   */
  onTransaction(listener: ArrivalListener): () => void;
  isInMempool(txid: string): Promise<Answer<boolean>>;
  /** The length of the longest chain of unmined transactions that a transaction of the mempool builds on. */
  unminedAncestors(txid: string): Promise<Answer<number>>;
}

/** What one operator says of the mempool of its own node. Nothing shows it, and other nodes have other mempools. */
export interface MempoolFigures {
  /** Transactions, and their bytes. */
  readonly size: number;
  readonly bytes: number;
  /** Memory that it takes, and may take, in bytes. */
  readonly usage: number;
  readonly most: number;
  /** Satoshis for a thousand bytes below which nothing is taken. */
  readonly leastFee: number;
}

/**
 * The mempool of one operator.
 * @throws PlanchetError `chain.sources-unavailable` if no source with a mempool answers
 */
export interface ToldMempool {
  figures(signal?: AbortSignal): Promise<MempoolFigures>;
  /** The ids of its transactions, as its node lists them. */
  ids(signal?: AbortSignal): Promise<readonly string[]>;
}

/** Follows the chain's tip for every service: over ZMQ if it is set up, by polling if not. */
export interface TipSource {
  current(): Tip | null;
  onTip(listener: (tip: Tip) => void): () => void;
}

/** A mined transaction that is held here, with what shows it. Both are checked again whenever they are used. */
export interface KeptTransaction {
  /** Null where only the path is held. */
  readonly rawTx: Uint8Array | null;
  /** BRC-74. */
  readonly bump: Uint8Array;
}

export type FindKept = (txid: string) => Promise<KeptTransaction | undefined>;

import {
  type BlockHeader,
  ByteWriter,
  concatBytes,
  fromHex,
  HEADER_BYTES,
  headerHash,
  isCoinbase,
  MAX_SATOSHIS,
  meetsTarget,
  merkleRoot,
  pushData,
  type Satoshis,
  serializeHeader,
  serializeTx,
  type Tx,
  txidOf,
  varintSize,
} from '../../../../chain/index.ts';
import { BLOCK_VERSION, REGTEST_BITS } from './consensus.ts';

export interface BlockTransaction {
  readonly txid: string;
  readonly tx: Tx;
  readonly raw: Uint8Array;
}

/** A block ready to be connected. The coinbase is its first transaction. */
export interface NewBlock {
  readonly hash: string;
  readonly header: BlockHeader;
  readonly transactions: readonly BlockTransaction[];
}

export interface BlockPlan {
  readonly height: number;
  readonly previousHash: string;
  /** Seconds. */
  readonly time: number;
  /** Locking script of the coinbase's output. */
  readonly payTo: Uint8Array;
  /** Subsidy and fees. */
  readonly reward: Satoshis;
  /** Parents before children. */
  readonly transactions: readonly BlockTransaction[];
  /** Distinguishes otherwise equal blocks, such as two of the same second on two branches. */
  readonly extraNonce?: number;
}

const SIGNATURE = pushData(new TextEncoder().encode('/Planchet sandbox/'));

/** Builds a block and searches for a nonce that meets the target: about two attempts. */
export function makeBlock(plan: BlockPlan): NewBlock {
  const coinbase = makeCoinbase(plan);
  const transactions = [coinbase, ...plan.transactions];
  const template = {
    version: BLOCK_VERSION,
    previousHash: plan.previousHash,
    merkleRoot: merkleRoot(transactions.map(({ txid }) => txid)),
    time: plan.time,
    bits: REGTEST_BITS,
  };
  for (let nonce = 0; ; nonce++) {
    const header = { ...template, nonce };
    const hash = headerHash(header);
    if (meetsTarget(hash, header.bits)) return { hash, header, transactions };
  }
}

function makeCoinbase({ height, payTo, reward, extraNonce = 0 }: BlockPlan): BlockTransaction {
  const extra = extraNonce > 0 ? pushData(fromHex(extraNonce.toString(16).padStart(8, '0'))) : new Uint8Array();
  const tx: Tx = {
    version: 1,
    inputs: [
      {
        txid: '0'.repeat(64),
        vout: 0xffffffff,
        script: concatBytes(heightPush(height), extra, SIGNATURE),
        sequence: 0xffffffff,
      },
    ],
    outputs: [{ satoshis: reward, script: payTo }],
    lockTime: 0,
  };
  const raw = serializeTx(tx);
  return { txid: txidOf(raw), tx, raw };
}

/** The height as required by BIP34 at the start of a coinbase script: a minimal script number. */
export function heightPush(height: number): Uint8Array {
  if (height === 0) return Uint8Array.of(0);
  if (height <= 16) return Uint8Array.of(0x50 + height);
  const bytes: number[] = [];
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  // the top bit is the sign
  if ((bytes.at(-1) as number) >= 0x80) bytes.push(0);
  return pushData(Uint8Array.from(bytes));
}

/** The serialised block, with the offset of each transaction. */
export function serializeNewBlock(block: NewBlock): { raw: Uint8Array; starts: number[] } {
  const count = block.transactions.length;
  let at = HEADER_BYTES + varintSize(count);
  const starts = block.transactions.map(({ raw }) => {
    const start = at;
    at += raw.length;
    return start;
  });
  const writer = new ByteWriter(at);
  writer.bytes(serializeHeader(block.header));
  writer.varint(count);
  for (const { raw } of block.transactions) writer.bytes(raw);
  return { raw: writer.done(), starts };
}

/** The transaction that makes a block invalid. */
interface Culprit {
  readonly txid: string;
  readonly raw: Uint8Array;
  /** The node's reason, if it differs from that of the block. */
  readonly reason?: string;
}

/** A block that breaks a consensus rule, with the node's reason. */
export class BlockRejectedError extends Error {
  override readonly name = 'BlockRejectedError';
  readonly reason: string;
  /** The transaction that breaks the rule, if there is one. */
  readonly culprit: Culprit | undefined;
  constructor(reason: string, culprit?: Culprit) {
    super(`The block breaks a rule of the chain: ${reason}`);
    this.reason = reason;
    this.culprit = culprit;
  }
}

/** The context for validating a block: the tip that it follows. */
export interface BlockContext {
  readonly hash: string;
  readonly height: number;
  /** Median time past in seconds. */
  readonly medianTime: number;
}

/**
 * Checks that need no unspent outputs: header, Merkle root, coinbase format and height, duplicates.
 * @throws BlockRejectedError
 */
export function checkBlock(block: NewBlock, previous: BlockContext): void {
  const { header, transactions, hash } = block;
  const txids = transactions.map(({ txid }) => txid);
  if (header.previousHash !== previous.hash) throw new BlockRejectedError('prev-blk-not-found');
  if (header.bits !== REGTEST_BITS) throw new BlockRejectedError('bad-diffbits');
  if (headerHash(header) !== hash || !meetsTarget(hash, header.bits)) throw new BlockRejectedError('high-hash');
  if (header.time <= previous.medianTime) throw new BlockRejectedError('time-too-old');
  const [coinbase, ...others] = transactions;
  if (coinbase === undefined || !isCoinbase(coinbase.tx)) throw new BlockRejectedError('bad-cb-missing');
  if (others.some(({ tx }) => isCoinbase(tx))) throw new BlockRejectedError('bad-cb-multiple');
  // duplicates are rejected before the root is checked, because a tree with repeated last transactions has the same root
  if (new Set(txids).size !== txids.length) throw new BlockRejectedError('bad-txns-duplicate');
  if (merkleRoot(txids) !== header.merkleRoot) throw new BlockRejectedError('bad-txnmrklroot');
  const script = coinbase.tx.inputs[0]?.script ?? new Uint8Array();
  if (script.length < 2 || script.length > 100) throw new BlockRejectedError('bad-cb-length', coinbase);
  const height = heightPush(previous.height + 1);
  if (!Buffer.from(script.subarray(0, height.length)).equals(height)) {
    throw new BlockRejectedError('bad-cb-height', coinbase);
  }
}

/** Checks that the coinbase does not exceed subsidy plus fees. @throws BlockRejectedError `bad-cb-amount` */
export function checkReward(coinbase: BlockTransaction, subsidy: Satoshis, fees: number): void {
  const made = coinbase.tx.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
  if (made > subsidy + fees || made > MAX_SATOSHIS) throw new BlockRejectedError('bad-cb-amount', coinbase);
}

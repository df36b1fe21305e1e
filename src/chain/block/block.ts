import { hashToDisplay, sha256d, varintSize } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import { ByteWriter } from '../encoding/writer.ts';
import { ChainError } from '../errors.ts';
import { readTx, serializeTx, type Tx, txSize } from '../transaction/transaction.ts';

export interface BlockHeader {
  /** Signed 32-bit. */
  readonly version: number;
  /** Display-order hex, like every hash in this module. */
  readonly previousHash: string;
  readonly merkleRoot: string;
  /** Seconds since 1970-01-01 UTC. */
  readonly time: number;
  /** The target in compact form. */
  readonly bits: number;
  readonly nonce: number;
}

export interface Block {
  readonly header: BlockHeader;
  readonly transactions: readonly Tx[];
}

export const HEADER_BYTES = 80;
// version, empty lists of inputs and outputs, lock time
const SMALLEST_TX = 10;

/** @param bytes exactly 80. @throws ChainError `header-malformed` for another length. */
export function parseHeader(bytes: Uint8Array): BlockHeader {
  const reader = new ByteReader(bytes, 'header-malformed');
  const header = readHeader(reader);
  reader.end();
  return header;
}

/** Reads a header at the reader's position. Errors carry the reader's code. */
export function readHeader(reader: ByteReader): BlockHeader {
  return {
    version: reader.i32le(),
    previousHash: reader.hash(),
    merkleRoot: reader.hash(),
    time: reader.u32le(),
    bits: reader.u32le(),
    nonce: reader.u32le(),
  };
}

/** The 80 bytes of a header. */
export function serializeHeader(header: BlockHeader): Uint8Array {
  const writer = new ByteWriter(HEADER_BYTES);
  writer.i32le(header.version);
  writer.hash(header.previousHash);
  writer.hash(header.merkleRoot);
  writer.u32le(header.time);
  writer.u32le(header.bits);
  writer.u32le(header.nonce);
  return writer.done();
}

/**
 * The block hash, display order.
 * @throws ChainError `header-malformed` if `header` is a byte array that is not 80 bytes long.
 */
export function headerHash(header: BlockHeader | Uint8Array): string {
  const bytes = header instanceof Uint8Array ? header : serializeHeader(header);
  if (bytes.length !== HEADER_BYTES)
    throw new ChainError('header-malformed', 'A header has 80 bytes.', { length: bytes.length });
  return hashToDisplay(sha256d(bytes));
}

/**
 * Reads one complete block.
 * @throws ChainError `block-malformed` if bytes are missing or left over, or a count is impossible.
 */
export function parseBlock(bytes: Uint8Array): Block {
  const reader = new ByteReader(bytes, 'block-malformed');
  const header = readHeader(reader);
  const transactions: Tx[] = [];
  for (let left = reader.count(SMALLEST_TX); left > 0; left--) transactions.push(readTx(reader));
  reader.end();
  return { header, transactions };
}

/** The wire form; `parseBlock(serializeBlock(block))` equals `block`. */
export function serializeBlock(block: Block): Uint8Array {
  const count = block.transactions.length;
  const size = block.transactions.reduce((sum, tx) => sum + txSize(tx), HEADER_BYTES + varintSize(count));
  const writer = new ByteWriter(size);
  writer.bytes(serializeHeader(block.header));
  writer.varint(count);
  for (const tx of block.transactions) writer.bytes(serializeTx(tx));
  return writer.done();
}

/**
 * The target that a compact value encodes. Returns 0n if no hash can meet it (negative, zero or beyond 256 bits), like the node.
 * @example bitsToTarget(0x1d00ffff) // 0xffff n << 208n
 */
export function bitsToTarget(bits: number): bigint {
  const exponent = bits >>> 24;
  const mantissa = BigInt(bits & 0x007fffff);
  const target = exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3));
  const negative = (bits & 0x00800000) !== 0;
  return negative || target >= 1n << 256n ? 0n : target;
}

/** The compact form of a target, which has its three highest bytes. @example targetToBits(0xffffn << 208n) // 0x1d00ffff */
export function targetToBits(target: bigint): number {
  let size = Math.ceil(target.toString(16).length / 2);
  let mantissa = Number(size <= 3 ? target << BigInt(8 * (3 - size)) : target >> BigInt(8 * (size - 3)));
  // the highest bit is the sign
  if (mantissa >= 0x800000) {
    mantissa >>= 8;
    size += 1;
  }
  return target === 0n ? 0 : size * 0x1000000 + mantissa;
}

/** Expected number of hashes to mine one block at this target: 2^256 / (target + 1). Returns 0n for an invalid target. */
export function workOf(bits: number): bigint {
  const target = bitsToTarget(bits);
  return target === 0n ? 0n : (1n << 256n) / (target + 1n);
}

/** Difficulty relative to the easiest main-network target, as the node prints it. @example difficultyOf(0x1d00ffff) // 1 */
export function difficultyOf(bits: number): number {
  let difficulty = 0x0000ffff / (bits & 0x00ffffff);
  // scaled one byte at a time because the node rounds at each step
  for (let shift = bits >>> 24; shift < 29; shift++) difficulty *= 256;
  for (let shift = bits >>> 24; shift > 29; shift--) difficulty /= 256;
  // the node prints sixteen significant digits
  return Number(difficulty.toPrecision(16));
}

/** True if a block hash (display hex) meets the target in the header's `bits`. */
export function meetsTarget(hash: string, bits: number): boolean {
  const target = bitsToTarget(bits);
  return target > 0n && /^[0-9a-f]{64}$/.test(hash) && BigInt(`0x${hash}`) <= target;
}

/**
 * Median time past: the median of the last eleven block times, or of fewer near the start of the chain.
 * @param times header times, oldest first, at least one.
 * @throws ChainError `header-malformed` if `times` is empty.
 */
export function medianTime(times: readonly number[]): number {
  const last = times.slice(-11).sort((a, b) => a - b);
  const median = last[Math.floor(last.length / 2)];
  if (median === undefined) throw new ChainError('header-malformed', 'A median time needs at least one block.');
  return median;
}

import { hashToDisplay, sha256d, sha256dOfParts, varintSize } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import { ByteWriter, LONG_PART, PartsWriter } from '../encoding/writer.ts';
import { MAX_SATOSHIS, type Satoshis, satoshis } from './amount.ts';
import type { Outpoint } from './outpoint.ts';

export interface TxInput {
  /** Txid of the spent output, display-order hex. */
  readonly txid: string;
  readonly vout: number;
  /** Unlocking script; empty if unsigned. */
  readonly script: Uint8Array;
  readonly sequence: number;
}

export interface TxOutput {
  readonly satoshis: Satoshis;
  /** Locking script. */
  readonly script: Uint8Array;
}

/** A parsed transaction. Immutable: functions return a new one. */
export interface Tx {
  /** Signed 32-bit. */
  readonly version: number;
  readonly inputs: readonly TxInput[];
  readonly outputs: readonly TxOutput[];
  readonly lockTime: number;
}

export const FINAL_SEQUENCE = 0xffffffff;

const ZERO_HASH = '0'.repeat(64);
/** Bytes of an input with an empty script: outpoint, length, sequence. */
export const SMALLEST_INPUT = 41;
/** Bytes of an output with an empty script: value, length. */
export const SMALLEST_OUTPUT = 9;

/**
 * Reads exactly one transaction.
 * @param shared if true, scripts are views of `bytes` instead of copies. Only for callers that never modify `bytes`.
 * @throws ChainError `tx-malformed` if bytes are missing or left over, a count or length is impossible, or an output exceeds
 *   21,000,000 BSV.
 * @example parseTx(fromHex(rawTx)).outputs[0]?.satoshis
 */
export function parseTx(bytes: Uint8Array, shared = false): Tx {
  const reader = new ByteReader(bytes, 'tx-malformed', shared);
  const tx = readTx(reader);
  reader.end();
  return tx;
}

/** Reads a transaction at the reader's position and leaves the rest. Errors carry the reader's code. */
export function readTx(reader: ByteReader): Tx {
  const version = reader.i32le();
  const inputs: TxInput[] = [];
  for (let left = reader.count(SMALLEST_INPUT); left > 0; left--) inputs.push(readInput(reader));
  const outputs: TxOutput[] = [];
  for (let left = reader.count(SMALLEST_OUTPUT); left > 0; left--) outputs.push(readOutput(reader));
  return { version, inputs, outputs, lockTime: reader.u32le() };
}

export function readInput(reader: ByteReader): TxInput {
  return { txid: reader.hash(), vout: reader.u32le(), script: reader.varBytes(), sequence: reader.u32le() };
}

export function readOutput(reader: ByteReader): TxOutput {
  return { satoshis: readSatoshis(reader), script: reader.varBytes() };
}

/** Reads an output's value. Errors carry the reader's code. */
export function readSatoshis(reader: ByteReader): Satoshis {
  const value = reader.u64le();
  if (value > MAX_SATOSHIS) throw reader.fail('An output holds more money than exists.', { satoshis: value });
  return satoshis(value);
}

/** Serialised size in bytes. */
export function txSize(tx: Tx): number {
  let size = 8 + varintSize(tx.inputs.length) + varintSize(tx.outputs.length);
  for (const { script } of tx.inputs) size += 40 + varintSize(script.length) + script.length;
  for (const { script } of tx.outputs) size += 8 + varintSize(script.length) + script.length;
  return size;
}

/** The wire form; `parseTx(serializeTx(tx))` equals `tx`. */
export function serializeTx(tx: Tx): Uint8Array {
  const writer = new ByteWriter(txSize(tx));
  writeTx(writer, tx);
  return writer.done();
}

/** The wire form in parts, for hashing: long scripts are not copied. */
export function txParts(tx: Tx): Uint8Array[] {
  if (!tx.outputs.some(({ script }) => script.length >= LONG_PART)) return [serializeTx(tx)];
  const writer = new PartsWriter();
  writeTx(writer, tx);
  return writer.parts();
}

function writeTx(writer: ByteWriter, tx: Tx): void {
  writer.i32le(tx.version);
  writer.varint(tx.inputs.length);
  for (const input of tx.inputs) {
    writer.hash(input.txid);
    writer.u32le(input.vout);
    writer.varBytes(input.script);
    writer.u32le(input.sequence);
  }
  writer.varint(tx.outputs.length);
  for (const output of tx.outputs) writeOutput(writer, output);
  writer.u32le(tx.lockTime);
}

/** Writes value and locking script, as in a transaction and in a signature's preimage. */
export function writeOutput(writer: ByteWriter, output: TxOutput): void {
  writer.u64le(output.satoshis);
  writer.varBytes(output.script);
}

/** Display-order txid of a transaction, or of its bytes (which are hashed without being checked). */
export function txidOf(tx: Uint8Array | Tx): string {
  return hashToDisplay(tx instanceof Uint8Array ? sha256d(tx) : sha256dOfParts(txParts(tx)));
}

/** True for a coinbase: one input that spends nothing. */
export function isCoinbase(tx: { readonly inputs: readonly Outpoint[] }): boolean {
  const input = tx.inputs[0];
  return tx.inputs.length === 1 && input?.vout === 0xffffffff && input.txid === ZERO_HASH;
}

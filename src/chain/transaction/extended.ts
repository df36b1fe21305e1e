import { varintSize } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import { ByteWriter } from '../encoding/writer.ts';
import { ChainError } from '../errors.ts';
import {
  readInput,
  readOutput,
  SMALLEST_INPUT,
  SMALLEST_OUTPUT,
  type Tx,
  type TxInput,
  type TxOutput,
  txSize,
  writeOutput,
} from './transaction.ts';

/** Stands after the version. In a plain transaction it would mean no inputs and no outputs, with an impossible lock time. */
const MARKER = [0, 0, 0, 0, 0, 0xef] as const;
const MARKER_AT = 4;

/** A transaction together with the outputs that it spends, in the order of its inputs. */
export interface ExtendedTx {
  readonly tx: Tx;
  readonly spent: readonly TxOutput[];
}

export function isExtended(bytes: Uint8Array, at = 0): boolean {
  return MARKER.every((byte, index) => bytes[at + MARKER_AT + index] === byte);
}

/**
 * Reads exactly one transaction in the extended format (BRC-30).
 * @param shared if true, scripts are views of `bytes` instead of copies. Only for callers that never modify `bytes`.
 * @throws ChainError `tx-malformed`
 */
export function parseExtended(bytes: Uint8Array, shared = false): ExtendedTx {
  const reader = new ByteReader(bytes, 'tx-malformed', shared);
  const extended = readExtended(reader);
  reader.end();
  return extended;
}

/** Reads an extended transaction at the reader's position and leaves the rest. Errors carry the reader's code. */
export function readExtended(reader: ByteReader): ExtendedTx {
  const version = reader.i32le();
  for (const byte of MARKER) {
    if (reader.u8() !== byte) throw reader.fail('The marker of the extended format is missing.');
  }
  const inputs: TxInput[] = [];
  const spent: TxOutput[] = [];
  for (let left = reader.count(SMALLEST_INPUT + SMALLEST_OUTPUT); left > 0; left--) {
    inputs.push(readInput(reader));
    spent.push(readOutput(reader));
  }
  const outputs: TxOutput[] = [];
  for (let left = reader.count(SMALLEST_OUTPUT); left > 0; left--) outputs.push(readOutput(reader));
  return { tx: { version, inputs, outputs, lockTime: reader.u32le() }, spent };
}

/**
 * The extended format (BRC-30) of a transaction; `parseExtended` reads it.
 * @param spent one output for each input, in order
 * @throws ChainError `tx-malformed` if there is another number of outputs than inputs
 */
export function serializeExtended({ tx, spent }: ExtendedTx): Uint8Array {
  if (spent.length !== tx.inputs.length) {
    throw new ChainError('tx-malformed', 'The extended format needs the spent output of every input.');
  }
  let size = txSize(tx) + MARKER.length;
  for (const { script } of spent) size += 8 + varintSize(script.length) + script.length;
  const writer = new ByteWriter(size);
  writer.i32le(tx.version);
  for (const byte of MARKER) writer.u8(byte);
  writer.varint(tx.inputs.length);
  for (const [index, input] of tx.inputs.entries()) {
    writer.hash(input.txid);
    writer.u32le(input.vout);
    writer.varBytes(input.script);
    writer.u32le(input.sequence);
    writeOutput(writer, spent[index] as TxOutput);
  }
  writer.varint(tx.outputs.length);
  for (const output of tx.outputs) writeOutput(writer, output);
  writer.u32le(tx.lockTime);
  return writer.done();
}

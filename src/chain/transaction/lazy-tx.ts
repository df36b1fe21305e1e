import { plainBytes } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import type { Steps } from '../encoding/steps.ts';
import {
  readInput,
  readOutput,
  readSatoshis,
  SMALLEST_INPUT,
  SMALLEST_OUTPUT,
  type Tx,
  type TxInput,
  type TxOutput,
} from './transaction.ts';

/** Inputs or outputs read in one step. */
const STEP_PARTS = 512;

/**
 * A validated transaction whose inputs and outputs are parsed on demand: a million of them would take twenty times the memory of their
 * bytes. Created by {@link scanTx}. Do not modify the bytes.
 */
export class LazyTx {
  readonly raw: Uint8Array;
  /** Signed 32-bit. */
  readonly version: number;
  readonly lockTime: number;
  readonly inputCount: number;
  readonly outputCount: number;
  readonly #inputsAt: number;
  readonly #outputsAt: number;

  constructor(parts: {
    raw: Uint8Array;
    version: number;
    lockTime: number;
    inputs: { count: number; at: number };
    outputs: { count: number; at: number };
  }) {
    this.raw = parts.raw;
    this.version = parts.version;
    this.lockTime = parts.lockTime;
    this.inputCount = parts.inputs.count;
    this.outputCount = parts.outputs.count;
    this.#inputsAt = parts.inputs.at;
    this.#outputsAt = parts.outputs.at;
  }

  /** Parses the inputs on each call. Scripts are views of the bytes. */
  *inputs(): Generator<TxInput, void> {
    const reader = this.#readerAt(this.#inputsAt);
    for (let left = this.inputCount; left > 0; left--) yield readInput(reader);
  }

  /** Parses the outputs up to one; undefined if there are fewer. */
  output(vout: number): TxOutput | undefined {
    if (vout >= this.outputCount) return undefined;
    let index = 0;
    for (const output of this.outputs()) if (index++ === vout) return output;
    return undefined;
  }

  /** Parses the outputs on each call. Scripts are views of the bytes. */
  *outputs(): Generator<TxOutput, void> {
    const reader = this.#readerAt(this.#outputsAt);
    for (let left = this.outputCount; left > 0; left--) yield readOutput(reader);
  }

  #readerAt(position: number): ByteReader {
    const reader = new ByteReader(this.raw, 'tx-malformed', true);
    reader.skip(position);
    return reader;
  }
}

/**
 * Validates in steps that the bytes start with a transaction, without building its inputs and outputs.
 * @param bytes may continue after the transaction
 * @throws ChainError with the given code, for the same bytes as `readTx`
 */
export function* scanTx(bytes: Uint8Array, code: 'tx-malformed' | 'block-malformed' = 'tx-malformed'): Steps<LazyTx> {
  const reader = new ByteReader(bytes, code, true);
  const version = reader.i32le();
  const inputs = { count: reader.count(SMALLEST_INPUT), at: reader.position };
  for (let left = inputs.count; left > 0; left--) {
    reader.skip(32);
    reader.skip(4);
    reader.skip(reader.varint());
    reader.skip(4);
    if (left % STEP_PARTS === 0) yield '';
  }
  const outputs = { count: reader.count(SMALLEST_OUTPUT), at: reader.position };
  for (let left = outputs.count; left > 0; left--) {
    readSatoshis(reader);
    reader.skip(reader.varint());
    if (left % STEP_PARTS === 0) yield '';
  }
  const lockTime = reader.u32le();
  return new LazyTx({ raw: plainBytes(bytes).subarray(0, reader.position), version, lockTime, inputs, outputs });
}

/** Same as `parseTx` with shared bytes, in steps. @throws ChainError `tx-malformed` */
export function* parseTxInSteps(bytes: Uint8Array): Steps<Tx> {
  const walked = yield* scanSingleTx(bytes);
  const inputs: TxInput[] = [];
  for (const input of walked.inputs()) if (inputs.push(input) % STEP_PARTS === 0) yield '';
  const outputs: TxOutput[] = [];
  for (const output of walked.outputs()) if (outputs.push(output) % STEP_PARTS === 0) yield '';
  return { version: walked.version, inputs, outputs, lockTime: walked.lockTime };
}

/** Same as {@link scanTx} for bytes that contain exactly one transaction. @throws ChainError `tx-malformed` */
export function* scanSingleTx(bytes: Uint8Array): Steps<LazyTx> {
  const walked = yield* scanTx(bytes);
  const reader = new ByteReader(bytes, 'tx-malformed', true);
  reader.skip(walked.raw.length);
  reader.end();
  return walked;
}

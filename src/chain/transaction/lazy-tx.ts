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

/** Inputs or outputs in one step. */
const STEP_PARTS = 512;

/**
 * A transaction whose bytes were found to be one, and whose parts are read when they are asked for: they may be a million, which would
 * take twenty times the memory of their bytes. Made by {@link walkTx}; the bytes must not change.
 */
export class WalkedTx {
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

  /** Each reads the bytes anew. Scripts are views of them. */
  *inputs(): Generator<TxInput, void> {
    const reader = this.#readerAt(this.#inputsAt);
    for (let left = this.inputCount; left > 0; left--) yield readInput(reader);
  }

  /** Each reads the bytes anew. Scripts are views of them. */
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
 * Looks whether bytes begin with a transaction, step by step, and keeps none of its parts.
 * @param bytes what follows the transaction is left alone
 * @throws ChainError with the code given, for the same bytes as `readTx`
 */
export function* walkTx(bytes: Uint8Array, code: 'tx-malformed' | 'block-malformed' = 'tx-malformed'): Steps<WalkedTx> {
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
  return new WalkedTx({ raw: plainBytes(bytes).subarray(0, reader.position), version, lockTime, inputs, outputs });
}

/** The same as `parseTx` with shared bytes, step by step. @throws ChainError `tx-malformed` */
export function* parseTxInSteps(bytes: Uint8Array): Steps<Tx> {
  const walked = yield* walkWholeTx(bytes);
  const inputs: TxInput[] = [];
  for (const input of walked.inputs()) if (inputs.push(input) % STEP_PARTS === 0) yield '';
  const outputs: TxOutput[] = [];
  for (const output of walked.outputs()) if (outputs.push(output) % STEP_PARTS === 0) yield '';
  return { version: walked.version, inputs, outputs, lockTime: walked.lockTime };
}

/** The same as {@link walkTx} for bytes that are one transaction and nothing more. @throws ChainError `tx-malformed` */
export function* walkWholeTx(bytes: Uint8Array): Steps<WalkedTx> {
  const walked = yield* walkTx(bytes);
  const reader = new ByteReader(bytes, 'tx-malformed', true);
  reader.skip(walked.raw.length);
  reader.end();
  return walked;
}

import { concatBytes } from '../encoding/bytes.ts';
import { ByteWriter } from '../encoding/writer.ts';
import { OP } from '../script/opcodes.ts';
import { ScriptCursor } from '../script/script.ts';
import { type Tx, writeOutput } from './transaction.ts';

const NONE = 2;
const SINGLE = 3;
const ANYONECANPAY = 0x80;

/**
 * True if the original algorithm has no preimage: for SIGHASH_SINGLE without an output at the input's index the digest is the number 1,
 * so the signature is valid for any other transaction too.
 */
export function hasNoOriginalPreimage(tx: Tx, inputIndex: number, type: number): boolean {
  return (type & 0x1f) === SINGLE && inputIndex >= tx.outputs.length;
}

/**
 * The preimage of the original algorithm: a copy of the transaction with the script code in the signed input, empty scripts in the other
 * inputs, and without the parts that the hash type excludes. Since Chronicle, 0x20 together with FORKID selects it.
 */
export function originalPreimage(tx: Tx, inputIndex: number, scriptCode: Uint8Array, type: number): Uint8Array {
  const base = type & 0x1f;
  const othersAreOpen = base === NONE || base === SINGLE;
  const code = withoutCodeSeparators(scriptCode);
  const inputs =
    (type & ANYONECANPAY) === 0
      ? [...tx.inputs.entries()]
      : [...tx.inputs.entries()].filter(([index]) => index === inputIndex);
  const outputs = base === NONE ? [] : base === SINGLE ? tx.outputs.slice(0, inputIndex + 1) : tx.outputs;
  const size = outputs.reduce(
    (sum, { script }) => sum + 17 + script.length,
    26 + inputs.length * 41 + code.bytes.length + 9,
  );
  const writer = new ByteWriter(size);
  writer.i32le(tx.version);
  writer.varint(inputs.length);
  for (const [index, { txid, vout, sequence }] of inputs) {
    const isSigned = index === inputIndex;
    writer.hash(txid);
    writer.u32le(vout);
    if (isSigned) writeCode(writer, code);
    else writer.varint(0);
    writer.u32le(!isSigned && othersAreOpen ? 0 : sequence);
  }
  writer.varint(outputs.length);
  for (const [index, output] of outputs.entries()) {
    if (base === SINGLE && index < inputIndex) writeNoOutput(writer);
    else writeOutput(writer, output);
  }
  writer.u32le(tx.lockTime);
  writer.u32le(type >>> 0);
  return writer.done();
}

/** An output that is not signed: the value -1 and an empty script. */
function writeNoOutput(writer: ByteWriter): void {
  writer.u32le(0xffffffff);
  writer.u32le(0xffffffff);
  writer.varint(0);
}

interface Code {
  readonly bytes: Uint8Array;
  /** The length prefix to write. */
  readonly length: number;
}

function writeCode(writer: ByteWriter, { bytes, length }: Code): void {
  writer.varint(length);
  writer.bytes(bytes);
}

/**
 * Removes every OP_CODESEPARATOR. Like the node, it continues after OP_RETURN. For a truncated push the node writes the bytes it read,
 * with the length of the complete script.
 */
function withoutCodeSeparators(script: Uint8Array): Code {
  const cursor = new ScriptCursor(script);
  const parts: Uint8Array[] = [];
  let start = 0;
  let separators = 0;
  for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
    if (chunk.op !== OP.CODESEPARATOR) continue;
    parts.push(script.subarray(start, chunk.offset));
    start = cursor.offset;
    separators++;
  }
  parts.push(script.subarray(start, cursor.failed ? endOfCutPush(script, cursor.offset) : script.length));
  return { bytes: concatBytes(...parts), length: script.length - separators };
}

/** Where the node stops reading a truncated push: after its length prefix. */
function endOfCutPush(script: Uint8Array, offset: number): number {
  const op = script[offset] as number;
  const lengthBytes = op < OP.PUSHDATA1 ? 0 : 1 << (op - OP.PUSHDATA1);
  const start = offset + 1 + lengthBytes;
  return start <= script.length ? start : offset + 1;
}

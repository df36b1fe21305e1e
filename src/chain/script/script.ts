import { hash160, hexPieces, plainBytes, toHex } from '../encoding/bytes.ts';
import { runSteps, type Steps } from '../encoding/steps.ts';
import { ChainError } from '../errors.ts';
import { isStrictSignature } from '../keys/signature-encoding.ts';
import { OP, opcodeName } from './opcodes.ts';

/** One operation of a script. */
export interface ScriptChunk {
  readonly op: number;
  /** The pushed data (a view of the script); absent for every other opcode. OP_0 pushes an empty array. */
  readonly data?: Uint8Array;
  readonly offset: number;
}

/** The operations of a script, up to the first malformed one. */
export interface ParsedScript {
  readonly chunks: ScriptChunk[];
  /** False if the last push is longer than the remaining script. `chunks` then holds the operations before it. */
  readonly ok: boolean;
}

/** Iterates over the operations of a script without building a list: a script may be megabytes of one-byte operations. */
export class ScriptCursor {
  readonly #script: Uint8Array;
  #at = 0;
  #failed = false;

  constructor(script: Uint8Array) {
    this.#script = plainBytes(script);
  }

  get offset(): number {
    return this.#at;
  }

  /** True after a push that is longer than the remaining script. */
  get failed(): boolean {
    return this.#failed;
  }

  get atEnd(): boolean {
    return this.#at >= this.#script.length;
  }

  /** The next operation; undefined at the end or at a malformed push. */
  next(): ScriptChunk | undefined {
    if (this.#failed || this.atEnd) return undefined;
    const script = this.#script;
    const offset = this.#at;
    const op = script[offset] as number;
    if (op > OP.PUSHDATA4) {
      this.#at = offset + 1;
      return { op, offset };
    }
    const lengthBytes = op < OP.PUSHDATA1 ? 0 : op === OP.PUSHDATA1 ? 1 : op === OP.PUSHDATA2 ? 2 : 4;
    const start = offset + 1 + lengthBytes;
    let length = op;
    if (lengthBytes > 0) {
      length = 0;
      for (let i = lengthBytes; i > 0; i--) length = length * 256 + (script[offset + i] ?? 0);
    }
    if (start + length > script.length) {
      this.#failed = true;
      return undefined;
    }
    this.#at = start + length;
    return { op, data: script.subarray(start, start + length), offset };
  }
}

/**
 * Splits a script into its operations. Never throws, because scripts on chain may contain any bytes.
 * @example parseScript(fromHex('0151')).chunks // [{ op: 1, data: Uint8Array [0x51], offset: 0 }]
 */
export function parseScript(script: Uint8Array): ParsedScript {
  const cursor = new ScriptCursor(script);
  const chunks: ScriptChunk[] = [];
  for (let chunk = cursor.next(); chunk; chunk = cursor.next()) chunks.push(chunk);
  return { chunks, ok: !cursor.failed };
}

/** The opcode and length prefix of a push of this length. */
export function pushPrefix(length: number): Uint8Array {
  if (length < OP.PUSHDATA1) return Uint8Array.of(length);
  if (length <= 0xff) return Uint8Array.of(OP.PUSHDATA1, length);
  if (length <= 0xffff) return Uint8Array.of(OP.PUSHDATA2, length & 0xff, length >> 8);
  if (length > 0xffffffff) throw new ChainError('script-invalid', 'A push holds less than 4 GiB.', { length });
  return Uint8Array.of(OP.PUSHDATA4, length & 0xff, (length >> 8) & 0xff, (length >> 16) & 0xff, length >>> 24);
}

/**
 * A minimal push of these bytes; empty data is OP_0. Small numbers do not become OP_1..OP_16, so every push contains its data, as in
 * inscriptions and data outputs.
 * @example toHex(pushData(fromHex('6f7264'))) // '036f7264'
 */
export function pushData(data: Uint8Array): Uint8Array {
  const prefix = pushPrefix(data.length);
  const out = new Uint8Array(prefix.length + data.length);
  out.set(prefix);
  out.set(data, prefix.length);
  return out;
}

const SIGHASH_NAMES = ['ALL', 'NONE', 'SINGLE'];

/**
 * The node's text form of a script: pushes of up to four bytes as decimal numbers, longer ones as hex, other operations by name, and
 * `[error]` for a truncated push.
 * @param options.scriptSig true for an unlocking script: signatures are printed without their hash type, followed by its name, such as
 *   `[ALL|FORKID]`.
 * @example toAsm(p2pkhScript(hash)) // 'OP_DUP OP_HASH160 65a1… OP_EQUALVERIFY OP_CHECKSIG'
 */
export function toAsm(script: Uint8Array, options: { scriptSig?: boolean } = {}): string {
  let asm = '';
  for (const piece of asmPieces(script, options)) asm += piece;
  return asm;
}

/** Target length of a chunk of script text in characters, and push length in bytes above which a push has chunks of its own. */
const ASM_PIECE = 16_384;

/** Same as {@link toAsm}, in chunks: a script may be megabytes long. */
export function* asmPieces(script: Uint8Array, options: { scriptSig?: boolean } = {}): Generator<string> {
  const decodeSignatures = options.scriptSig === true && script[0] !== OP.RETURN && !isDataOutput(script);
  const cursor = new ScriptCursor(script);
  let text = '';
  let separator = '';
  for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
    const { op, data } = chunk;
    text += separator;
    separator = ' ';
    if (data === undefined) text += opcodeName(op);
    else if (data.length <= 4) text += String(scriptNumber(data));
    else if (data.length > ASM_PIECE) {
      yield text;
      text = '';
      yield* hexPieces(data);
    } else if (decodeSignatures && isSignature(data))
      text += `${toHex(data.subarray(0, -1))}[${sighashName(data.at(-1) as number)}]`;
    else text += toHex(data);
    if (text.length < ASM_PIECE) continue;
    yield text;
    text = '';
  }
  yield cursor.failed ? `${text}${separator}[error]` : text;
}

/** Decodes a script number: little-endian, sign in the top bit. Limited to four bytes, so it is exact. */
export function scriptNumber(data: Uint8Array): number {
  let value = 0;
  for (let i = data.length - 1; i >= 0; i--) {
    const byte = data[i] as number;
    value = value * 256 + (i === data.length - 1 ? byte & 0x7f : byte);
  }
  return value !== 0 && ((data.at(-1) ?? 0) & 0x80) !== 0 ? -value : value;
}

function sighashName(type: number): string {
  return `${SIGHASH_NAMES[(type & 0x1f) - 1]}${type & 0x40 ? '|FORKID' : ''}${type & 0x80 ? '|ANYONECANPAY' : ''}`;
}

/** A strict signature with a hash type defined before Chronicle. The node decodes only those. */
function isSignature(data: Uint8Array): boolean {
  const type = data[data.length - 1] ?? 0;
  const base = type & 0x1f;
  return isStrictSignature(data) && base >= 1 && base <= 3 && (type & 0x20) === 0;
}

/** The node's types of locking scripts. `scripthash` exists for old outputs only; {@link classifyScript} uses today's rules. */
type ScriptType = 'nonstandard' | 'pubkey' | 'pubkeyhash' | 'multisig' | 'nulldata' | 'scripthash';

export interface ScriptClass {
  readonly type: ScriptType;
  /** Number of required signatures; present only together with {@link pubKeyHashes}. */
  readonly reqSigs?: number;
  /** Hashes from which the addresses are derived. */
  readonly pubKeyHashes?: Uint8Array[];
}

/**
 * Classifies a locking script by the node's rules after Genesis: P2SH and a bare OP_RETURN are `nonstandard`, and the counts of a
 * multisig may be pushed as data.
 * @example classifyScript(p2pkhScript(hash)) // { type: 'pubkeyhash', reqSigs: 1, pubKeyHashes: [hash] }
 */
export function classifyScript(script: Uint8Array): ScriptClass {
  return runSteps(classifyInSteps(script));
}

/** Operations examined, and keys hashed, in one step. */
const STEP_OPERATIONS = 4_096;
const STEP_KEYS = 64;

/** Same as {@link classifyScript}, in steps. */
export function* classifyInSteps(script: Uint8Array): Steps<ScriptClass> {
  if (isDataOutput(script)) return { type: (yield* isPushOnly(script.subarray(2))) ? 'nulldata' : 'nonstandard' };
  const cursor = new ScriptCursor(script);
  const first = cursor.next();
  if (first?.op === OP.DUP) return classifyKeyHash(cursor);
  if (first?.data && isKeyLength(first.data)) return classifyKey(first.data, cursor);
  const required = first && smallNumber(first);
  return required === undefined ? { type: 'nonstandard' } : yield* classifyMultisig(required, cursor);
}

function classifyKeyHash(cursor: ScriptCursor): ScriptClass {
  const hashOp = cursor.next();
  const pubKeyHash = cursor.next()?.data;
  const matches =
    hashOp?.op === OP.HASH160 &&
    pubKeyHash?.length === 20 &&
    cursor.next()?.op === OP.EQUALVERIFY &&
    cursor.next()?.op === OP.CHECKSIG &&
    cursor.atEnd;
  return matches ? { type: 'pubkeyhash', reqSigs: 1, pubKeyHashes: [pubKeyHash.slice()] } : { type: 'nonstandard' };
}

function classifyKey(key: Uint8Array, cursor: ScriptCursor): ScriptClass {
  if (cursor.next()?.op !== OP.CHECKSIG || !cursor.atEnd) return { type: 'nonstandard' };
  return isPublicKey(key) ? { type: 'pubkey', reqSigs: 1, pubKeyHashes: [hash160(key)] } : { type: 'pubkey' };
}

function* classifyMultisig(required: number, cursor: ScriptCursor): Steps<ScriptClass> {
  const keys: Uint8Array[] = [];
  let chunk = cursor.next();
  for (; chunk?.data && isKeyLength(chunk.data); chunk = cursor.next()) {
    if (keys.push(chunk.data) % STEP_OPERATIONS === 0) yield '';
  }
  const total = chunk && smallNumber(chunk);
  if (total === undefined || cursor.next()?.op !== OP.CHECKMULTISIG || !cursor.atEnd) return { type: 'nonstandard' };
  // the node classifies the script as multisig even if its counts are impossible
  if (total !== keys.length || required < 1 || required > keys.length) return { type: 'multisig' };
  const pubKeyHashes: Uint8Array[] = [];
  for (const key of keys) {
    if (isPublicKey(key) && pubKeyHashes.push(hash160(key)) % STEP_KEYS === 0) yield '';
  }
  return pubKeyHashes.length > 0 ? { type: 'multisig', reqSigs: required, pubKeyHashes } : { type: 'multisig' };
}

/** A multisig count: OP_0 to OP_16, or a minimal number of up to four bytes. */
function smallNumber({ op, data }: ScriptChunk): number | undefined {
  if (op >= OP.ONE && op <= OP.SIXTEEN) return op - OP.RESERVED;
  if (data === undefined || data.length > 4 || (data.length === 0 && op !== OP.FALSE)) return undefined;
  const last = data.at(-1);
  // a top byte that contains only the sign is minimal only if the byte below it uses its own top bit
  const padded = last !== undefined && (last & 0x7f) === 0 && ((data.at(-2) ?? 0) & 0x80) === 0;
  return padded ? undefined : scriptNumber(data);
}

function isKeyLength(data: Uint8Array): boolean {
  return data.length >= 33 && data.length <= 65;
}

function isPublicKey(key: Uint8Array): boolean {
  const head = key[0];
  if (key.length === 33) return head === 2 || head === 3;
  return key.length === 65 && (head === 4 || head === 6 || head === 7);
}

/** Whether a script contains only pushes (data or small numbers). */
export function* isPushOnly(script: Uint8Array): Steps<boolean> {
  const cursor = new ScriptCursor(script);
  let count = 0;
  for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
    if (chunk.op > OP.SIXTEEN) return false;
    if (++count % STEP_OPERATIONS === 0) yield '';
  }
  return !cursor.failed;
}

/** True for a script that starts with OP_FALSE OP_RETURN: it is unspendable and charged at the data rate. */
export function isDataOutput(script: Uint8Array): boolean {
  return script[0] === OP.FALSE && script[1] === OP.RETURN;
}

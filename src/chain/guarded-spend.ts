import { Hash, type PublicKey, type Script, Spend, TransactionSignature } from '@bsv/sdk';
import type { VerifySignature } from './native-verifier.ts';
import { type ScriptBounds, scriptLimits } from './script-limits.ts';
import type { Steps } from './steps.ts';

const PICK = 0x79;
const ROLL = 0x7a;
const SPLIT = 0x7f;
const NUM2BIN = 0x80;
const LSHIFT = 0x98;
const RSHIFT = 0x99;
const FIRST_NUMERIC = 0x8b;
const LAST_UNARY = 0x92;
const LAST_NUMERIC = 0xa5;
const WITHIN = 0xa5;
const CHECKMULTISIG = 0xae;
const CHECKMULTISIGVERIFY = 0xaf;
const SUBSTR = 0xb3;
const LEFT = 0xb4;
const RIGHT = 0xb5;
const LSHIFTNUM = 0xb6;
const RSHIFTNUM = 0xb7;
/** Bytes of what is hashed for a signature, besides the script and its length. */
const SMALLEST_PREIMAGE = 156;
/** Operations outside the arithmetic ones whose top item is read as a number. */
const COUNTED = new Set([
  PICK,
  ROLL,
  SPLIT,
  NUM2BIN,
  CHECKMULTISIG,
  CHECKMULTISIGVERIFY,
  SUBSTR,
  LEFT,
  RIGHT,
  LSHIFTNUM,
  RSHIFTNUM,
]);

type Bounds = Pick<ScriptBounds, 'stackBytes' | 'numberBytes'>;

/** A script asked for more than a bound allows: it may still be valid. */
export class BoundExceeded extends Error {
  readonly bound: keyof ScriptBounds;

  constructor(bound: keyof ScriptBounds, message: string) {
    super(message);
    this.bound = bound;
  }
}

/**
 * The SDK's interpreter with the bounds it lacks: it would make whatever an operation asks for before it looks at the size of the
 * result, and a script of ten bytes may ask for a gigabyte, which ends the whole process.
 */
export class GuardedSpend extends Spend {
  readonly #bounds: Bounds;
  readonly #isStrict: boolean;

  /**
   * @param options.confirm asked first about every signature; what it does not confirm the interpreter judges itself.
   * @param options.bounds tighter ones than the rules allow; they then hold for every operation, signature checks among them.
   */
  constructor(
    params: ConstructorParameters<typeof Spend>[0],
    options: { readonly confirm?: VerifySignature; readonly bounds?: Bounds } = {},
  ) {
    const { confirm, bounds = scriptLimits } = options;
    super({ ...params, memoryLimit: bounds.stackBytes });
    this.#bounds = bounds;
    this.#isStrict = options.bounds !== undefined;
    const internals = this as unknown as Internals;
    // the SDK's own error takes a copy of both stacks, and their hex into its message
    internals.scriptEvaluationError = (message) => {
      throw / memory usage has exceeded /.test(message) ? new BoundExceeded('stackBytes', message) : new Error(message);
    };
    if (confirm === undefined) return;
    const judge = internals.verifySignature.bind(this);
    internals.verifySignature = (signature, key, subscript) =>
      isConfirmed(this, internals, confirm, { signature, key, subscript }) || judge(signature, key, subscript);
  }

  override step(): boolean {
    const op = this.#nextOpcode();
    const isGuarded = op !== undefined && ((op >= NUM2BIN && op <= LAST_NUMERIC) || COUNTED.has(op));
    if (isGuarded && !this.ifStack.includes(false)) this.#guard(op);
    return super.step();
  }

  /** Does what {@link validate} does under the rules after Genesis, one operation in a step. */
  *validateInSteps(): Steps<boolean> {
    const internals = this as unknown as Internals;
    if (internals.shouldEnforceSigPushOnly() && !this.unlockingScript.isPushOnly())
      throw new Error('Unlocking scripts can only contain push operations, and no other opcodes.');
    const { sigHashCache } = internals;
    this.reset();
    // the hashes over all inputs and outputs are the same for every input of the transaction
    internals.sigHashCache = sigHashCache;
    for (const context of ['UnlockingScript', 'LockingScript'] as const) {
      this.context = context;
      this.programCounter = 0;
      const { length } = (context === 'UnlockingScript' ? this.unlockingScript : this.lockingScript).chunks;
      while (this.programCounter < length) {
        this.step();
        yield '';
      }
      if (this.ifStack.length > 0) throw new Error('Every OP_IF or OP_NOTIF must be terminated with OP_ENDIF.');
      this.elseStack = [];
      this.returningFromConditional = false;
      this.lastCodeSeparator = null;
      internals.clearAltStack();
    }
    if (internals.shouldEnforceCleanStack() && this.stack.length !== 1)
      throw new Error('The clean stack rule requires exactly one item to be on the stack after script execution.');
    internals.requireTruthyTopStack();
    return true;
  }

  #nextOpcode(): number | undefined {
    const { context, programCounter, unlockingScript, lockingScript } = this;
    if (context === 'LockingScript') return lockingScript.chunks[programCounter]?.op;
    // the interpreter goes on to the locking script within the step
    return (unlockingScript.chunks[programCounter] ?? lockingScript.chunks[0])?.op;
  }

  #guard(op: number): void {
    const { stackBytes, numberBytes } = this.#bounds;
    const top = this.stack.at(-1) ?? [];
    if (op === NUM2BIN && magnitude(top) > stackBytes) {
      throw new BoundExceeded('stackBytes', `Stack memory usage has exceeded ${stackBytes} bytes`);
    }
    if (op === LSHIFT || op === RSHIFT) this.#boundShift(top);
    if (COUNTED.has(op)) {
      if (this.#isStrict) this.#boundCount(op, top);
      return;
    }
    if (op < FIRST_NUMERIC || op === LSHIFT || op === RSHIFT) return;
    const operands = op <= LAST_UNARY ? 1 : op === WITHIN ? 3 : 2;
    if (this.stack.slice(-operands).some(({ length }) => length > numberBytes)) {
      throw new BoundExceeded('numberBytes', `A number is longer than ${numberBytes} bytes`);
    }
  }

  /** A number that counts needs few bytes; a check of many signatures hashes the script once for each key. */
  #boundCount(op: number, top: readonly number[]): void {
    const { stackBytes, numberBytes } = this.#bounds;
    if (top.length > numberBytes)
      throw new BoundExceeded('numberBytes', `A number is longer than ${numberBytes} bytes`);
    if (op === LSHIFTNUM && magnitude(top) / 8 + (this.stack.at(-2)?.length ?? 0) > numberBytes)
      throw new BoundExceeded('numberBytes', `A number is longer than ${numberBytes} bytes`);
    if (op !== CHECKMULTISIG && op !== CHECKMULTISIGVERIFY) return;
    const script = this.context === 'LockingScript' ? this.lockingScript : this.unlockingScript;
    const hashed = magnitude(top) * (script.toUint8Array().length + SMALLEST_PREIMAGE);
    if (hashed > stackBytes) {
      throw new BoundExceeded('stackBytes', `A check of signatures would hash more than ${stackBytes} bytes`);
    }
  }

  /** A shift by more bits than there are leaves zeros, however many more; the interpreter would first make a number that long. */
  #boundShift(top: readonly number[]): void {
    const bits = (this.stack.at(-2)?.length ?? 0) * 8;
    if (((top.at(-1) ?? 0) & 0x80) !== 0 || magnitude(top) <= bits) return;
    this.stack[this.stack.length - 1] = top.map((_, byte) => Math.floor(bits / 256 ** byte) % 256);
  }
}

/** What the interpreter keeps to itself. */
interface Internals extends SignatureChecks {
  scriptEvaluationError: (message: string) => void;
  shouldEnforceSigPushOnly(): boolean;
  shouldEnforceCleanStack(): boolean;
  clearAltStack(): void;
  requireTruthyTopStack(): void;
}

interface SignatureChecks {
  verifySignature: (signature: TransactionSignature, key: PublicKey, subscript: Script) => boolean;
  sigHashCache: Parameters<typeof TransactionSignature.formatBytes>[0]['cache'];
}

/** Whether the compiled verifier takes the signature for what the interpreter would hold it against. */
function isConfirmed(
  spend: Spend,
  { sigHashCache }: SignatureChecks,
  confirm: VerifySignature,
  check: { signature: TransactionSignature; key: PublicKey; subscript: Script },
): boolean {
  const { signature, key, subscript } = check;
  const { r, s, scope } = signature;
  // the hash of the forms without the fork id has oddities of its own
  if ((scope & TransactionSignature.SIGHASH_FORKID) === 0 || (scope & TransactionSignature.SIGHASH_CHRONICLE) !== 0)
    return false;
  if (r.byteLength() > 32 || s.byteLength() > 32) return false;
  const { sourceTXID, sourceOutputIndex, sourceSatoshis, transactionVersion, otherInputs, outputs } = spend;
  const { inputIndex, inputSequence, lockTime } = spend;
  const source = { sourceTXID, sourceOutputIndex, sourceSatoshis };
  const tx = { transactionVersion, otherInputs, outputs, inputIndex, inputSequence, lockTime };
  const preimage = TransactionSignature.formatBytes({ ...source, ...tx, subscript, scope, cache: sigHashCache });
  const digest = Hash.hash256(preimage);
  const compact = Uint8Array.from([...r.toArray('be', 32), ...s.toArray('be', 32)]);
  return confirm(compact, Uint8Array.from(digest), Uint8Array.from(key.toDER() as number[]));
}

/** A script number without its sign; infinite where it has more than six bytes that count. */
function magnitude(bytes: readonly number[]): number {
  let value = 0;
  for (const [index, byte] of bytes.entries()) {
    const digit = index === bytes.length - 1 ? byte & 0x7f : byte;
    if (digit !== 0 && index > 5) return Number.POSITIVE_INFINITY;
    value += digit === 0 ? 0 : digit * 256 ** index;
  }
  return value;
}

import BigNumber from '@bsv/sdk/primitives/BigNumber';
import * as ECDSA from '@bsv/sdk/primitives/ECDSA';
import type PublicKey from '@bsv/sdk/primitives/PublicKey';
import type TransactionSignature from '@bsv/sdk/primitives/TransactionSignature';
import type Script from '@bsv/sdk/script/Script';
import Spend from '@bsv/sdk/script/Spend';
import { concatBytes } from '../encoding/bytes.ts';
import type { Steps } from '../encoding/steps.ts';
import type { VerifySignature } from '../keys/native-verifier.ts';
import { hasLowS, isPublicKeyForm, isStrictSignature } from '../keys/signature-encoding.ts';
import { type ScriptBounds, scriptLimits } from '../script/limits.ts';
import { OP } from '../script/opcodes.ts';
import { effectiveFlags, flagNames, scriptFlag } from '../script/rules.ts';
import { ScriptCursor } from '../script/script.ts';
import { type Sighash, sharedSighash, signatureDigest } from '../transaction/sighash.ts';
import { type Tx, txSize } from '../transaction/transaction.ts';
import { BoundExceeded, capShift, checkOperands, checkResult, magnitude } from './operand-checks.ts';

const CHRONICLE_TYPE = 0x20;
const FORKID_TYPE = 0x40;
const SINGLE_TYPE = 3;
/** Size of the preimage of a signature without the script and its length. */
const SMALLEST_PREIMAGE = 156;

type SpendParams = ConstructorParameters<typeof Spend>[0];

/** Private members of the SDK's interpreter, as of version 2.1.0. */
interface Internals {
  verifyFlags: Set<string>;
  returningFromConditional: boolean;
  lastCodeSeparator: number | null;
  checkSignatureEncoding: (signature: readonly number[]) => boolean;
  checkPublicKeyEncoding: (key: readonly number[]) => boolean;
  verifySignature: (signature: TransactionSignature, key: PublicKey, subscript: Script) => boolean;
  scriptEvaluationError: (message: string) => never;
  shouldEnforceSigPushOnly(): boolean;
  shouldEnforceCleanStack(): boolean;
  clearAltStack(): void;
  requireTruthyTopStack(): void;
}

type Bounds = Pick<ScriptBounds, 'stackBytes' | 'numberBytes'>;

interface Options {
  /** Asked first for every signature. The interpreter checks whatever it does not confirm. */
  readonly confirm?: VerifySignature;
  /** Tighter limits than the rules. They apply to every operation, including signature checks. */
  readonly bounds?: Bounds;
}

/**
 * The SDK's interpreter, corrected where it differs from the node: it limits the result of an operation before the operation runs (a
 * script of ten bytes may ask for a gigabyte, which ends the process), distinguishes the rules of the block from those of the spent output,
 * and follows the node's rules for script codes, digests and encodings. docs/sandbox-consensus.md lists the differences.
 */
export class GuardedSpend extends Spend {
  readonly #tx: Tx;
  readonly #sighash: Sighash;
  readonly #confirm: VerifySignature | undefined;
  readonly #bounds: Bounds | undefined;
  readonly #elementBytes: number;
  readonly #txBytes: number;
  #flags = 0;
  #numberBytes: number = scriptLimits.numberBytes;

  /** @param flags of the first input */
  constructor(tx: Tx, flags: number, params: Omit<SpendParams, 'verifyFlags'>, { confirm, bounds }: Options = {}) {
    const { stackBytes } = bounds ?? scriptLimits;
    super({ ...params, verifyFlags: [], memoryLimit: stackBytes });
    this.#tx = tx;
    this.#sighash = sharedSighash(tx);
    this.#confirm = confirm;
    this.#bounds = bounds;
    this.#txBytes = bounds === undefined ? 0 : txSize(tx);
    this.#elementBytes = Math.min(stackBytes, scriptLimits.elementBytes);
    const own = this as unknown as Internals;
    // the SDK's own error copies both stacks and puts their hex into its message
    own.scriptEvaluationError = (message) => {
      throw / memory usage has exceeded /.test(message) ? new BoundExceeded('stackBytes', message) : new Error(message);
    };
    const judge = own.verifySignature.bind(this);
    own.checkSignatureEncoding = (signature) => this.#checkSignatureEncoding(own, signature);
    own.checkPublicKeyEncoding = (key) => this.#checkPublicKeyEncoding(own, key);
    own.verifySignature = (signature, key, subscript) =>
      this.#usesForkId(signature.scope) ? this.#isSigned(own, signature, key) : judge(signature, key, subscript);
    this.use(flags, {});
  }

  /** Switches to another input. @param flags of that input. @param parts values that differ from the previous input */
  use(flags: number, parts: Partial<SpendParams>): void {
    Object.assign(this, parts);
    if (flags === this.#flags) return;
    this.#flags = flags;
    const isNew = this.#has(scriptFlag.UTXO_AFTER_CHRONICLE);
    const longest = isNew ? scriptLimits.chronicleNumberBytes : scriptLimits.numberBytes;
    this.#numberBytes = Math.min(longest, this.#bounds?.numberBytes ?? longest);
    (this as unknown as Internals).verifyFlags = new Set(flagNames(effectiveFlags(flags, this.#tx.version)));
  }

  override validate(): boolean {
    this.#checkFlags();
    return super.validate();
  }

  /** Same as {@link validate} under the rules after Genesis, one operation per step. */
  *validateInSteps(): Steps<void> {
    this.#checkFlags();
    const own = this as unknown as Internals;
    if (own.shouldEnforceSigPushOnly() && !this.unlockingScript.isPushOnly())
      throw new Error('Unlocking scripts can only contain push operations, and no other opcodes.');
    this.reset();
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
      own.clearAltStack();
    }
    if (own.shouldEnforceCleanStack() && this.stack.length !== 1)
      throw new Error('The clean stack rule requires exactly one item to be on the stack after script execution.');
    own.requireTruthyTopStack();
  }

  override step(): boolean {
    const { op, place } = this.#next();
    const isGuarded = op !== undefined && op >= OP.PICK && this.#isExecuting();
    if (isGuarded) this.#guard(op);
    const wasReturning = (this as unknown as Internals).returningFromConditional;
    const goesOn = super.step();
    if (isGuarded) checkResult(op, this.stack, this.#numberBytes);
    if (op === OP.ENDIF && wasReturning && this.ifStack.length === 0) this.#checkRest(place + 1);
    return goesOn;
  }

  #checkFlags(): void {
    if (this.#has(scriptFlag.UTXO_AFTER_CHRONICLE) && !this.#has(scriptFlag.UTXO_AFTER_GENESIS)) {
      throw new Error('An output from after Chronicle is from after Genesis too: the flags contradict each other.');
    }
  }

  #has(flag: number): boolean {
    return (this.#flags & flag) !== 0;
  }

  #isExecuting(): boolean {
    return !(this as unknown as Internals).returningFromConditional && !this.ifStack.includes(false);
  }

  #next(): { op: number | undefined; place: number } {
    const { context, programCounter, unlockingScript, lockingScript } = this;
    if (context === 'LockingScript') return { op: lockingScript.chunks[programCounter]?.op, place: programCounter };
    const chunk = unlockingScript.chunks[programCounter];
    // the interpreter continues with the locking script within the same step
    return chunk ? { op: chunk.op, place: programCounter } : { op: lockingScript.chunks[0]?.op, place: 0 };
  }

  #guard(op: number): void {
    checkOperands(op, this.stack, {
      numberBytes: this.#numberBytes,
      elementBytes: this.#elementBytes,
      hasChronicleOpcodes: this.#has(scriptFlag.UTXO_AFTER_CHRONICLE),
    });
    if (op === OP.LSHIFT || op === OP.RSHIFT) capShift(this.stack);
    if (this.#bounds !== undefined && op >= OP.CHECKSIG && op <= OP.CHECKMULTISIGVERIFY) {
      this.#boundHashing(op, this.#bounds.stackBytes);
    }
  }

  /** Limits hashing: each key of a signature check hashes the script once, and with 0x20 the transaction as well. */
  #boundHashing(op: number, most: number): void {
    const isMany = op === OP.CHECKMULTISIG || op === OP.CHECKMULTISIGVERIFY;
    const scripts = [this.lockingScript, ...(this.context === 'UnlockingScript' ? [this.unlockingScript] : [])];
    const code = scripts.reduce((size, script) => size + script.toUint8Array().length, 0);
    const hashed = (isMany ? magnitude(this.stack.at(-1) ?? []) : 1) * (code + SMALLEST_PREIMAGE + this.#txBytes);
    if (hashed > most) {
      throw new BoundExceeded('stackBytes', `A check of signatures would hash more than ${most} bytes`);
    }
  }

  /**
   * After an OP_RETURN inside a conditional nothing runs, but the rest must still be well formed. The SDK's interpreter stops at the end of
   * the conditional.
   */
  #checkRest(from: number): void {
    const { chunks } = this.context === 'LockingScript' ? this.lockingScript : this.unlockingScript;
    const elses: boolean[] = [];
    for (const { op, invalidLength } of chunks.slice(from) as { op: number; invalidLength?: boolean }[]) {
      if (op === OP.RETURN && elses.length === 0) return;
      const opens =
        op === OP.IF ||
        op === OP.NOTIF ||
        ((op === OP.VERIF || op === OP.VERNOTIF) && this.#has(scriptFlag.UTXO_AFTER_CHRONICLE));
      const last = elses.length - 1;
      const isUnbalanced = (op === OP.ELSE && elses[last] !== false) || (op === OP.ENDIF && elses.length === 0);
      if (isUnbalanced || invalidLength === true)
        throw new Error('What follows an OP_RETURN in a conditional is malformed.');
      if (opens) elses.push(false);
      else if (op === OP.ELSE) elses[last] = true;
      else if (op === OP.ENDIF) elses.pop();
    }
    if (elses.length > 0) throw new Error('What follows an OP_RETURN in a conditional is malformed.');
  }

  /** Whether the flags and the type make the fork id count. The SDK handles older forms. */
  #usesForkId(type: number): boolean {
    return this.#has(scriptFlag.SIGHASH_FORKID) && (type & FORKID_TYPE) !== 0;
  }

  /** The SDK checks 0x20 against the rules of the spent output, and fails the script for numbers or points that the node just treats as invalid. */
  #checkSignatureEncoding(own: Internals, signature: readonly number[]): boolean {
    if (signature.length === 0) return true;
    const type = signature[signature.length - 1] as number;
    const flags = effectiveFlags(this.#flags, this.#tx.version);
    const { STRICTENC, DERSIG, LOW_S, SIGHASH_FORKID, CHRONICLE } = scriptFlag;
    const isStrict = (this.#flags & (STRICTENC | SIGHASH_FORKID)) !== 0;
    if ((isStrict || (this.#flags & (DERSIG | LOW_S)) !== 0) && !isStrictSignature(signature)) {
      own.scriptEvaluationError('The signature format is invalid.');
    }
    if ((flags & LOW_S) !== 0 && !hasLowS(signature))
      own.scriptEvaluationError('The signature must have a low S value.');
    if (!isStrict) return true;
    const base = type & 0x1f;
    if (base < 1 || base > SINGLE_TYPE) own.scriptEvaluationError('The signature hash type is invalid.');
    const hasForkId = (type & FORKID_TYPE) !== 0;
    if (hasForkId && (flags & SIGHASH_FORKID) === 0) {
      own.scriptEvaluationError('The signature must not use SIGHASH_FORKID.');
    }
    if ((type & CHRONICLE_TYPE) !== 0 && (flags & CHRONICLE) === 0) {
      own.scriptEvaluationError('The signature hash type is invalid before Chronicle.');
    }
    if (!hasForkId && (flags & SIGHASH_FORKID) !== 0)
      own.scriptEvaluationError('The signature must use SIGHASH_FORKID.');
    return true;
  }

  #checkPublicKeyEncoding(own: Internals, key: readonly number[]): boolean {
    const isStrict = this.#has(scriptFlag.STRICTENC) || this.#has(scriptFlag.SIGHASH_FORKID);
    if (isStrict && !isPublicKeyForm(key)) own.scriptEvaluationError('The public key is in an unknown format.');
    return true;
  }

  #isSigned(own: Internals, { r, s, scope }: TransactionSignature, key: PublicKey): boolean {
    if (r.byteLength() > 32 || s.byteLength() > 32) return false;
    const code = this.#scriptCode(own);
    const amount = this.sourceSatoshis as Parameters<Sighash>[2];
    const digest = signatureDigest(this.#sighash, this.#tx, this.inputIndex, code, amount, scope);
    if (this.#confirm !== undefined) {
      const compact = Uint8Array.from([...r.toArray('be', 32), ...s.toArray('be', 32)]);
      if (this.#confirm(compact, digest, Uint8Array.from(key.toDER() as number[]))) return true;
    }
    return ECDSA.verify(new BigNumber(Array.from(digest)), { r, s } as TransactionSignature, key);
  }

  /**
   * The script from the last executed OP_CODESEPARATOR. Since Chronicle, a check in an unlocking script also covers the complete locking
   * script. With the fork id, signatures are not removed from it.
   */
  #scriptCode({ lastCodeSeparator }: Internals): Uint8Array {
    const isUnlocking = this.context === 'UnlockingScript';
    const bytes = (isUnlocking ? this.unlockingScript : this.lockingScript).toUint8Array();
    const code = lastCodeSeparator === null ? bytes : bytes.subarray(endOfOperation(bytes, lastCodeSeparator));
    return isUnlocking && this.#has(scriptFlag.CHRONICLE) ? concatBytes(code, this.lockingScript.toUint8Array()) : code;
  }
}

function endOfOperation(script: Uint8Array, number: number): number {
  const cursor = new ScriptCursor(script);
  for (let passed = 0; passed <= number; passed++) cursor.next();
  return cursor.offset;
}

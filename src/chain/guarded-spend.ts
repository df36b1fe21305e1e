import { Hash, type PublicKey, type Script, Spend, TransactionSignature } from '@bsv/sdk';
import type { VerifySignature } from './native-verifier.ts';
import { scriptLimits } from './script-limits.ts';

const NUM2BIN = 0x80;
const LSHIFT = 0x98;
const RSHIFT = 0x99;
const FIRST_NUMERIC = 0x8b;
const LAST_UNARY = 0x92;
const LAST_NUMERIC = 0xa5;
const WITHIN = 0xa5;

const { numberBytes: LONGEST_NUMBER, stackBytes: MOST_MEMORY } = scriptLimits;

/**
 * The SDK's interpreter with the bounds it lacks: it would make whatever an operation asks for before it looks at the size of the
 * result, and a script of ten bytes may ask for a gigabyte, which ends the whole process.
 */
export class GuardedSpend extends Spend {
  /** @param confirm asked first about every signature; what it does not confirm the interpreter judges itself. */
  constructor(params: ConstructorParameters<typeof Spend>[0], confirm?: VerifySignature) {
    super(params);
    if (confirm === undefined) return;
    const own = this as unknown as SignatureChecks;
    const judge = own.verifySignature.bind(this);
    own.verifySignature = (signature, key, subscript) =>
      isConfirmed(this, own, confirm, { signature, key, subscript }) || judge(signature, key, subscript);
  }

  override step(): boolean {
    const op = this.#nextOpcode();
    if (op !== undefined && op >= NUM2BIN && op <= LAST_NUMERIC && !this.ifStack.includes(false)) this.#guard(op);
    return super.step();
  }

  #nextOpcode(): number | undefined {
    const { context, programCounter, unlockingScript, lockingScript } = this;
    if (context === 'LockingScript') return lockingScript.chunks[programCounter]?.op;
    // the interpreter goes on to the locking script within the step
    return (unlockingScript.chunks[programCounter] ?? lockingScript.chunks[0])?.op;
  }

  #guard(op: number): void {
    const top = this.stack.at(-1) ?? [];
    if (op === NUM2BIN && magnitude(top) > MOST_MEMORY) {
      throw new Error(`Stack memory usage has exceeded ${MOST_MEMORY} bytes`);
    }
    if (op === LSHIFT || op === RSHIFT) this.#boundShift(top);
    if (op < FIRST_NUMERIC || op === LSHIFT || op === RSHIFT) return;
    const operands = op <= LAST_UNARY ? 1 : op === WITHIN ? 3 : 2;
    if (this.stack.slice(-operands).some(({ length }) => length > LONGEST_NUMBER)) {
      throw new Error(`A number is longer than ${LONGEST_NUMBER} bytes`);
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
interface SignatureChecks {
  verifySignature: (signature: TransactionSignature, key: PublicKey, subscript: Script) => boolean;
  readonly sigHashCache: Parameters<typeof TransactionSignature.formatBytes>[0]['cache'];
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

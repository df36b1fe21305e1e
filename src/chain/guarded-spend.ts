import { Spend } from '@bsv/sdk';

const NUM2BIN = 0x80;
const LSHIFT = 0x98;
const RSHIFT = 0x99;
const FIRST_NUMERIC = 0x8b;
const LAST_UNARY = 0x92;
const LAST_NUMERIC = 0xa5;
const WITHIN = 0xa5;

/** The node's limit of a number in a script after Genesis, in bytes. */
const LONGEST_NUMBER = 750_000;
/** Stack memory the interpreter allows, in bytes. */
const MOST_MEMORY = 32_000_000;

/**
 * The SDK's interpreter with the bounds it lacks: it would make whatever an operation asks for before it looks at the size of the
 * result, and a script of ten bytes may ask for a gigabyte, which ends the whole process.
 */
export class GuardedSpend extends Spend {
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

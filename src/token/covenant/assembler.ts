import { concatBytes, pushData } from '../../chain/index.ts';

/** Opcode and stack effect (items popped, items pushed) of the operations that the covenant uses. */
const OPERATIONS = {
  IF: [0x63, 1, 0],
  ELSE: [0x67, 0, 0],
  ENDIF: [0x68, 0, 0],
  VERIFY: [0x69, 1, 0],
  RETURN: [0x6a, 0, 0],
  DROP: [0x75, 1, 0],
  DUP: [0x76, 1, 2],
  NIP: [0x77, 2, 1],
  OVER: [0x78, 2, 3],
  PICK: [0x79, 1, 1],
  ROLL: [0x7a, 1, 1],
  ROT: [0x7b, 3, 3],
  SWAP: [0x7c, 2, 2],
  TUCK: [0x7d, 2, 3],
  CAT: [0x7e, 2, 1],
  SPLIT: [0x7f, 2, 2],
  NUM2BIN: [0x80, 2, 1],
  BIN2NUM: [0x81, 1, 1],
  SIZE: [0x82, 1, 2],
  EQUAL: [0x87, 2, 1],
  EQUALVERIFY: [0x88, 2, 0],
  '1ADD': [0x8b, 1, 1],
  NOT: [0x91, 1, 1],
  '0NOTEQUAL': [0x92, 1, 1],
  ADD: [0x93, 2, 1],
  SUB: [0x94, 2, 1],
  BOOLOR: [0x9b, 2, 1],
  NUMEQUAL: [0x9c, 2, 1],
  LESSTHAN: [0x9f, 2, 1],
  GREATERTHAN: [0xa0, 2, 1],
  LESSTHANOREQUAL: [0xa1, 2, 1],
  MIN: [0xa3, 2, 1],
  WITHIN: [0xa5, 3, 1],
  HASH256: [0xaa, 1, 1],
  CHECKSIGVERIFY: [0xad, 2, 0],
} as const;

export type Operation = keyof typeof OPERATIONS;

/** How operations that only move items rearrange the names at the top of the stack. */
const MOVES: Partial<Record<Operation, (items: string[]) => string[]>> = {
  DUP: ([a = '']) => [a, a],
  NIP: ([, b = '']) => [b],
  OVER: ([a = '', b = '']) => [a, b, a],
  ROT: ([a = '', b = '', c = '']) => [b, c, a],
  SWAP: ([a = '', b = '']) => [b, a],
  TUCK: ([a = '', b = '']) => [b, a, b],
  SIZE: ([a = '']) => [a, 'size'],
};

export interface ScriptStep {
  readonly name: string;
  /** What the part proves or prepares, in one sentence. */
  readonly purpose: string;
  readonly offset: number;
  readonly length: number;
}

interface Branch {
  readonly before: string[];
  afterIf?: string[];
}

/**
 * Assembles a script from named steps and tracks the names of the stack items. Items are fetched by name, both branches of a conditional
 * must leave the same stack, and the documentation is generated from the steps. The arguments of the unlocking script lie below the
 * known items and are taken one by one with {@link argument}.
 */
export class Assembler {
  readonly steps: ScriptStep[] = [];
  readonly #parts: Uint8Array[] = [];
  readonly #branches: Branch[] = [];
  #stack: string[];
  #length = 0;

  /** @param stack names of the initial stack items, top last. */
  constructor(stack: readonly string[]) {
    this.#stack = [...stack];
  }

  /** Names of the items on the stack, top last. */
  get stack(): readonly string[] {
    return this.#stack;
  }

  /** Adds a named part of the script. */
  step(name: string, purpose: string, write: () => void): void {
    const offset = this.#length;
    write();
    this.steps.push({ name, purpose, offset, length: this.#length - offset });
  }

  /** Appends operations. Items they create have no name until {@link name} is called. */
  op(...operations: readonly Operation[]): this {
    for (const operation of operations) {
      const [code, takes, gives] = OPERATIONS[operation];
      this.#emit(Uint8Array.of(code));
      const items = this.#pop(takes);
      this.#stack.push(...(MOVES[operation]?.(items) ?? new Array<string>(gives).fill('')));
      this.#branch(operation);
    }
    return this;
  }

  /** Pushes a number in minimal form. */
  num(value: number): this {
    if (value >= 0 && value <= 16) this.#emit(Uint8Array.of(value === 0 ? 0 : 0x50 + value));
    else this.#emit(pushData(numberBytes(value)));
    this.#stack.push('');
    return this;
  }

  /** Pushes bytes other than a small number. */
  push(data: Uint8Array): this {
    this.#emit(pushData(data));
    this.#stack.push('');
    return this;
  }

  /** Names the top items, top last. */
  name(...names: readonly string[]): this {
    this.#pop(names.length);
    this.#stack.push(...names);
    return this;
  }

  /** Copies the named item to the top. */
  copy(name: string): this {
    const depth = this.#depthOf(name);
    if (depth === 0) return this.op('DUP');
    if (depth === 1) return this.op('OVER');
    this.num(depth).op('PICK');
    return this.name(name);
  }

  /** Moves the named item to the top. */
  take(name: string): this {
    const depth = this.#depthOf(name);
    if (depth === 0) return this;
    if (depth === 1) return this.op('SWAP');
    if (depth === 2) return this.op('ROT');
    this.num(depth).op('ROLL');
    this.#pop(1);
    this.#stack.splice(this.#stack.length - 1 - depth, 1);
    this.#stack.push(name);
    return this;
  }

  /** Moves the next argument of the unlocking script, just below all known items, to the top. */
  argument(name: string): this {
    const depth = this.#stack.length;
    if (depth === 0) this.#stack.push(name);
    else this.num(depth).op('ROLL').name(name);
    return this;
  }

  /** The script assembled so far. */
  bytes(): Uint8Array {
    if (this.#branches.length > 0) throw new Error('A branch is still open.');
    return concatBytes(...this.#parts);
  }

  #emit(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  #pop(count: number): string[] {
    if (count > this.#stack.length) throw new Error(`${count} items are wanted, ${this.#stack.length} are known.`);
    return count === 0 ? [] : this.#stack.splice(-count, count);
  }

  #depthOf(name: string): number {
    const at = this.#stack.lastIndexOf(name);
    if (at < 0) throw new Error(`Nothing on the stack is called "${name}": ${this.#stack.join(' ')}`);
    return this.#stack.length - 1 - at;
  }

  #branch(operation: Operation): void {
    if (operation === 'IF') {
      this.#branches.push({ before: [...this.#stack] });
      return;
    }
    if (operation !== 'ELSE' && operation !== 'ENDIF') return;
    const branch = this.#branches.at(-1);
    if (branch === undefined) throw new Error(`${operation} without IF.`);
    if (operation === 'ELSE') {
      branch.afterIf = this.#stack;
      this.#stack = [...branch.before];
      return;
    }
    this.#branches.pop();
    const other = branch.afterIf ?? branch.before;
    if (other.join() !== this.#stack.join()) {
      throw new Error(`The arms of a branch leave different stacks: ${other.join(' ')} | ${this.#stack.join(' ')}`);
    }
  }
}

/** A non-negative whole number as a minimal script number; zero has no bytes. */
export function numberBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if (((bytes.at(-1) ?? 0) & 0x80) !== 0) bytes.push(0);
  return Uint8Array.from(bytes);
}

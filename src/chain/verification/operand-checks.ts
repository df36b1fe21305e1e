import type { ScriptBounds } from '../script/limits.ts';
import { OP } from '../script/opcodes.ts';

/** A script exceeded a resource limit. It may still be valid. */
export class BoundExceeded extends Error {
  readonly bound: keyof ScriptBounds;

  constructor(bound: keyof ScriptBounds, message: string) {
    super(message);
    this.bound = bound;
  }
}

type Stack = readonly (readonly number[])[];

export interface OperandLimits {
  readonly numberBytes: number;
  /** Maximum length of a stack element. */
  readonly elementBytes: number;
  /** If false, OP_SUBSTR, OP_LEFT, OP_RIGHT, OP_LSHIFTNUM and OP_RSHIFTNUM do nothing. */
  readonly hasChronicleOpcodes: boolean;
}

const FIRST_UNARY = 0x8b;
const LAST_UNARY = 0x92;
const LAST_BINARY = 0xa4;
const WITHIN = 0xa5;
/** Operations outside these ranges that read the top element as a number. */
const ONE_NUMBER: ReadonlySet<number> = new Set([OP.PICK, OP.ROLL, OP.SPLIT, OP.NUM2BIN, OP.LSHIFT, OP.RSHIFT]);
/** Maximum length of a key or signature count under every rule set. */
const COUNT_BYTES = 4;

/** How many elements from the top of the stack an operation reads as numbers. */
function numbersOf(op: number, hasChronicleOpcodes: boolean): number {
  if (ONE_NUMBER.has(op)) return 1;
  if (op >= OP.SUBSTR && op <= OP.RSHIFTNUM) {
    if (!hasChronicleOpcodes) return 0;
    return op === OP.LEFT || op === OP.RIGHT ? 1 : 2;
  }
  if (op < FIRST_UNARY || op > WITHIN) return 0;
  if (op <= LAST_UNARY) return 1;
  return op === WITHIN ? 3 : 2;
}

/** @throws BoundExceeded if a number operand is too long, or the result would be too large */
export function checkOperands(op: number, stack: Stack, limits: OperandLimits): void {
  const { numberBytes, elementBytes, hasChronicleOpcodes } = limits;
  const count = numbersOf(op, hasChronicleOpcodes);
  for (let place = 1; place <= count; place++) {
    if ((stack.at(-place)?.length ?? 0) > numberBytes) throw tooLong(numberBytes);
  }
  const top = stack.at(-1) ?? [];
  const below = stack.at(-2) ?? [];
  if (op === OP.NUM2BIN) checkElement(magnitude(top), elementBytes);
  else if (op === OP.CAT) checkElement(top.length + below.length, elementBytes);
  else if (op === OP.LSHIFTNUM && hasChronicleOpcodes) checkShift(top, below, numberBytes);
  else if (op === OP.CHECKMULTISIG || op === OP.CHECKMULTISIGVERIFY) checkCounts(stack);
}

/** @throws BoundExceeded if the result is longer than the node allows */
export function checkResult(op: number, stack: Stack, numberBytes: number): void {
  const makesNumber = op === OP.BIN2NUM || (op >= FIRST_UNARY && op <= LAST_BINARY) || op === OP.LSHIFTNUM;
  if (!makesNumber || op === OP.LSHIFT || op === OP.RSHIFT) return;
  if ((stack.at(-1)?.length ?? 0) > numberBytes) throw tooLong(numberBytes);
}

/** Caps the shift at the number of bits: any larger shift gives zeros too, but the interpreter would first build a huge number. */
export function capShift(stack: (readonly number[])[]): void {
  const top = stack.at(-1) ?? [];
  const bits = (stack.at(-2)?.length ?? 0) * 8;
  if (((top.at(-1) ?? 0) & 0x80) !== 0 || magnitude(top) <= bits) return;
  stack[stack.length - 1] = top.map((_, byte) => Math.floor(bits / 256 ** byte) % 256);
}

function checkElement(bytes: number, most: number): void {
  if (bytes > most) throw new BoundExceeded('stackBytes', `Stack memory usage has exceeded ${most} bytes`);
}

/** The node counts the bytes that a shift adds before it shifts, even if the number is zero. */
function checkShift(bits: readonly number[], number: readonly number[], numberBytes: number): void {
  const isNegative = ((bits.at(-1) ?? 0) & 0x80) !== 0;
  if (isNegative) return;
  let size = number.length;
  // leading zeros and the sign of zero are not counted
  while (size > 0 && ((number[size - 1] as number) & 0x7f) === 0 && (size === 1 || (number[size - 2] as number) < 0x80))
    size--;
  if (size + Math.floor(magnitude(bits) / 8) > numberBytes) throw tooLong(numberBytes);
}

function checkCounts(stack: Stack): void {
  const keys = stack.at(-1) ?? [];
  const tooMany = new Error(`A number of keys or signatures is longer than ${COUNT_BYTES} bytes`);
  if (keys.length > COUNT_BYTES) throw tooMany;
  const count = magnitude(keys);
  if (count < stack.length && (stack.at(-2 - count)?.length ?? 0) > COUNT_BYTES) throw tooMany;
}

function tooLong(bytes: number): Error {
  return new BoundExceeded('numberBytes', `A number is longer than ${bytes} bytes`);
}

/** Absolute value of a script number; infinite if it has more than six significant bytes. */
export function magnitude(bytes: readonly number[]): number {
  let value = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    const digit = index === bytes.length - 1 ? byte & 0x7f : byte;
    if (digit !== 0 && index > 5) return Number.POSITIVE_INFINITY;
    if (digit !== 0) value += digit * 256 ** index;
  }
  return value;
}

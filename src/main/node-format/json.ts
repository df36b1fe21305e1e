import type { Satoshis } from '../../chain/index.ts';

/** A number whose text matters: amounts carry decimals that JSON.stringify would drop. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** For callers in the same process that turn a result into JSON themselves; the decimals are lost then. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** JSON that is made while it is written, because it is long. Some of its pieces may be empty; none takes long to make. */
export class JsonText {
  readonly pieces: () => Iterable<string>;
  constructor(pieces: () => Iterable<string>) {
    this.pieces = pieces;
  }

  /** For callers in the same process that turn a result into JSON themselves. */
  toJSON(): unknown {
    return JSON.parse([...this.pieces()].join(''));
  }
}

/** What a command returns: JSON whose object keys are written in the order they were set; undefined ones are left out. */
export type RpcValue =
  | null
  | boolean
  | number
  | string
  | JsonNumber
  | JsonText
  | readonly RpcValue[]
  | { readonly [key: string]: RpcValue | undefined };

const DECIMALS = 8;

function inBsv(satoshis: number): string {
  const digits = String(Math.abs(satoshis)).padStart(DECIMALS + 1, '0');
  return `${satoshis < 0 ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** An amount in BSV with exactly eight decimals. @example amount(1) // 0.00000001 */
export function amount(satoshis: Satoshis | number): JsonNumber {
  return new JsonNumber(inBsv(satoshis));
}

/** An amount in BSV with two to eight decimals, as transactions show their outputs. @example shortAmount(50_000_000) // 0.50 */
export function shortAmount(satoshis: Satoshis): JsonNumber {
  return new JsonNumber(inBsv(satoshis).replace(/0{1,6}$/, ''));
}

const SIGNIFICANT_DIGITS = 16;

/**
 * A fraction as the node's stream writes it: sixteen significant digits, and an exponent of two digits for what is small.
 * @example real(2 / 300_000) // 6.666666666666667e-06
 */
export function real(value: number): JsonNumber {
  const [digits = '0', exponent = '0'] = value.toExponential(SIGNIFICANT_DIGITS - 1).split('e');
  const power = Number(exponent);
  const short = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  if (power < -4 || power >= SIGNIFICANT_DIGITS) {
    return new JsonNumber(`${short}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`);
  }
  const plain = value.toFixed(Math.max(0, SIGNIFICANT_DIGITS - 1 - power));
  return new JsonNumber(plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain);
}

/** Writes a result as compact JSON. */
export function writeJson(value: RpcValue): string {
  let text = '';
  for (const piece of jsonPieces(value)) text += piece;
  return text;
}

/** Characters gathered into one piece, and those of a text above which it gets pieces of its own. */
const PIECE = 16_384;

/** The same as {@link writeJson}, piece by piece: none takes long to make. Some may be empty. */
export function* jsonPieces(value: RpcValue): Generator<string, void> {
  if (value instanceof JsonText) yield* value.pieces();
  else if (typeof value === 'string' && value.length > PIECE) yield* longText(value);
  else if (isShort(value)) yield shortJson(value);
  else yield* gathered(Array.isArray(value) ? listPieces(value) : memberPieces(value as Members));
}

/** A list whose members are made one by one while it is written. */
export function jsonList<T>(items: () => Iterable<T>, viewOf: (item: T, index: number) => RpcValue): JsonText {
  return new JsonText(() => gathered(listPieces(viewsOf(items(), viewOf))));
}

function* viewsOf<T>(items: Iterable<T>, viewOf: (item: T, index: number) => RpcValue): Generator<RpcValue, void> {
  let index = 0;
  for (const item of items) yield viewOf(item, index++);
}

/** Text that needs no escape, in quotes. @param pieces of the text */
export function quoted(pieces: () => Iterable<string>): JsonText {
  return new JsonText(function* () {
    yield '"';
    yield* pieces();
    yield '"';
  });
}

type Members = { readonly [key: string]: RpcValue | undefined };
type Short = null | boolean | number | string | JsonNumber;

function isShort(value: RpcValue): value is Short {
  if (typeof value === 'string') return value.length <= PIECE;
  return typeof value !== 'object' || value === null || value instanceof JsonNumber;
}

function shortJson(value: Short): string {
  return value instanceof JsonNumber ? value.text : JSON.stringify(value);
}

function* listPieces(items: Iterable<RpcValue>): Generator<string, void> {
  let before = '[';
  for (const item of items) {
    if (isShort(item)) yield before + shortJson(item);
    else {
      yield before;
      yield* jsonPieces(item);
    }
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function* memberPieces(members: Members): Generator<string, void> {
  let before = '{';
  for (const [key, member] of Object.entries(members)) {
    if (member === undefined) continue;
    const head = `${before}${JSON.stringify(key)}:`;
    if (isShort(member)) yield head + shortJson(member);
    else {
      yield head;
      yield* jsonPieces(member);
    }
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** Fewer and larger pieces of the same text; an empty one, which marks a step of other work, passes as it is. */
function* gathered(pieces: Iterable<string>): Generator<string, void> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (piece === '') yield '';
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}

function* longText(text: string): Generator<string, void> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + PIECE);
    // the halves of a pair of surrogates alone would be written as escapes
    if (end < text.length && text.charCodeAt(end - 1) >> 10 === HIGH_SURROGATE) end--;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

/** The upper bits of the first half of a pair. */
const HIGH_SURROGATE = 0xd800 >> 10;

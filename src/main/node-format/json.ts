import type { Satoshis, Steps } from '../../chain/index.ts';

/** A number with an exact text form: amounts have decimals that JSON.stringify would drop. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** For callers in the same process that serialise the result themselves. The decimals are lost then. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** Long JSON that is generated while it is written. Chunks may be empty; none takes long to generate. */
export class JsonText {
  readonly pieces: () => Iterable<string>;
  constructor(pieces: () => Iterable<string>) {
    this.pieces = pieces;
  }

  /** For callers in the same process that serialise the result themselves. */
  toJSON(): unknown {
    return JSON.parse([...this.pieces()].join(''));
  }
}

/** The result of a command: JSON with keys in insertion order. Undefined members are omitted. */
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

/** An amount in BSV with two to eight decimals, as in transaction outputs. @example shortAmount(50_000_000) // 0.50 */
export function shortAmount(satoshis: Satoshis): JsonNumber {
  return new JsonNumber(inBsv(satoshis).replace(/0{1,6}$/, ''));
}

const SIGNIFICANT_DIGITS = 16;

/**
 * A fraction in the format of the node's C++ stream: sixteen significant digits, and a two-digit exponent for small numbers.
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

/** Serialises a result as compact JSON. */
export function writeJson(value: RpcValue): string {
  let text = '';
  for (const piece of jsonPieces(value)) text += piece;
  return text;
}

/** Same as {@link writeJson}, in steps that each take little time. */
export function* jsonInSteps(value: RpcValue): Steps<string> {
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    yield '';
  }
  return text;
}

/** Target length of a chunk in characters, and text length above which a text has chunks of its own. */
const PIECE = 16_384;

/** Same as {@link writeJson}, in chunks that each take little time. Some may be empty. */
export function* jsonPieces(value: RpcValue): Generator<string, void> {
  if (value instanceof JsonText) yield* value.pieces();
  else if (typeof value === 'string' && value.length > PIECE) yield* longText(value);
  else if (isShort(value)) yield shortJson(value);
  else yield* gathered(Array.isArray(value) ? listPieces(value) : memberPieces(value as Members));
}

/** A list whose items are generated one by one while it is written. */
export function jsonList<T>(items: () => Iterable<T>, viewOf: (item: T, index: number) => RpcValue): JsonText {
  return new JsonText(() => gathered(listPieces(viewsOf(items(), viewOf))));
}

function* viewsOf<T>(items: Iterable<T>, viewOf: (item: T, index: number) => RpcValue): Generator<RpcValue, void> {
  let index = 0;
  for (const item of items) yield viewOf(item, index++);
}

/** A quoted text that needs no escapes. @param pieces of the text */
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

/** Joins chunks into fewer, larger ones. Empty chunks, which mark a step of other work, are passed on. */
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
    // split surrogate pairs would be written as escapes
    if (end < text.length && text.charCodeAt(end - 1) >> 10 === HIGH_SURROGATE) end--;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

/** The upper bits of a high surrogate. */
const HIGH_SURROGATE = 0xd800 >> 10;

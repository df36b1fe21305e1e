import { isAscii } from 'node:buffer';

/** Bounds of a JSON text, checked while it arrives and before any value is made of it. Left out, nothing bounds that. */
export interface JsonBounds {
  /** Levels of arrays and objects within each other. */
  readonly depth?: number;
  /** Values in all: members of objects, elements of arrays, and the text itself. */
  readonly values?: number;
  /** Elements of the outermost array. */
  readonly elements?: number;
  readonly members?: number;
  readonly nameBytes?: number;
  readonly numberBytes?: number;
  /** Escapes in all strings together. */
  readonly escapes?: number;
  /** Bytes of space between the values. */
  readonly spaceBytes?: number;
}

/** What is wrong with a text: it is no JSON, or it passes the bound of this name. */
export type JsonFault = 'syntax' | keyof JsonBounds;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const DEL = 0x7f;
/** A string that is longer is read four bytes at a time from there on. */
const SHORT_BYTES = 64;

/** What may come next. */
const State = {
  value: 0,
  firstElement: 1,
  firstName: 2,
  name: 3,
  colon: 4,
  afterValue: 5,
  string: 6,
  escape: 7,
  hex: 8,
  word: 9,
  minus: 10,
  zero: 11,
  whole: 12,
  point: 13,
  fraction: 14,
  exponent: 15,
  exponentSign: 16,
  exponentDigits: 17,
} as const;
type State = (typeof State)[keyof typeof State];

const WORDS: Readonly<Record<number, Buffer>> = {
  116: Buffer.from('true'),
  102: Buffer.from('false'),
  110: Buffer.from('null'),
};
/** `"\/bfnrt`; `u` is told apart. */
const ESCAPES = new Set([...Buffer.from('"\\/bfnrt')]);

/**
 * Checks JSON piece by piece, without making values of it: the grammar of `JSON.parse`, and bounds on what the text would become. Takes
 * about a millisecond for a megabyte, and no memory. UTF-8 is not checked.
 */
export class JsonScan {
  readonly #bounds: Required<JsonBounds>;
  /** For each open array or object whether it is an array. */
  readonly #open: boolean[] = [];
  /** For each of them how many members it has so far. */
  readonly #members: number[] = [];
  #state: State = State.value;
  #fault: JsonFault | undefined;
  /** Whether the string that is being read is a member's name. */
  #inName = false;
  #word: Buffer | undefined;
  /** Bytes of the name, number or word that is being read. */
  #length = 0;
  /** Hexadecimal digits of the escape that is being read. */
  #hexDigits = 0;
  #values = 0;
  #elements = 0;
  #escapes = 0;
  #space = 0;
  #ascii = true;

  constructor(bounds: JsonBounds = {}) {
    const none = Number.POSITIVE_INFINITY;
    this.#bounds = {
      depth: bounds.depth ?? none,
      values: bounds.values ?? none,
      elements: bounds.elements ?? none,
      members: bounds.members ?? none,
      nameBytes: bounds.nameBytes ?? none,
      numberBytes: bounds.numberBytes ?? none,
      escapes: bounds.escapes ?? none,
      spaceBytes: bounds.spaceBytes ?? none,
    };
  }

  /** Values that have begun so far. */
  get values(): number {
    return this.#values;
  }

  /** Whether everything so far was ASCII. */
  get ascii(): boolean {
    return this.#ascii;
  }

  /** Reads on. @returns what is wrong, as soon as that is known; whatever follows changes nothing */
  push(bytes: Uint8Array): JsonFault | undefined {
    for (let at = 0; at < bytes.length && this.#fault === undefined; ) at = this.#read(bytes, at);
    return this.#fault;
  }

  /** The text has ended. @returns what is wrong with it */
  end(): JsonFault | undefined {
    this.#endNumber();
    if (this.#fault === undefined && (this.#state !== State.afterValue || this.#open.length > 0)) return 'syntax';
    return this.#fault;
  }

  #fail(fault: JsonFault): void {
    this.#fault ??= fault;
  }

  /** @returns where to read on */
  #read(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] as number;
    switch (this.#state) {
      case State.string:
        return this.#readString(bytes, at);
      case State.escape:
        if (byte === 0x75) {
          this.#state = State.hex;
          this.#hexDigits = 0;
        } else if (ESCAPES.has(byte)) this.#state = State.string;
        else this.#fail('syntax');
        return at + 1;
      case State.hex:
        if (!isHexDigit(byte)) this.#fail('syntax');
        this.#hexDigits += 1;
        if (this.#hexDigits === 4) this.#state = State.string;
        return at + 1;
      case State.word:
        if (byte !== this.#word?.[this.#length]) this.#fail('syntax');
        this.#length += 1;
        if (this.#length === this.#word?.length) this.#state = State.afterValue;
        return at + 1;
      default:
        if (this.#state >= State.minus) return this.#readNumber(byte, at);
        if (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
          this.#readMark(byte);
          return at + 1;
        }
        return this.#readSpace(bytes, at);
    }
  }

  #readSpace(bytes: Uint8Array, from: number): number {
    let at = from + 1;
    for (let byte = bytes[at]; byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at])
      at++;
    this.#space += at - from;
    if (this.#space > this.#bounds.spaceBytes) this.#fail('spaceBytes');
    return at;
  }

  #readString(bytes: Uint8Array, from: number): number {
    let at = from;
    let all = 0;
    let byte = bytes[at] as number;
    while (at < bytes.length && byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE) {
      all |= byte;
      at += 1;
      if (at - from === SHORT_BYTES) at = this.#passPlain(bytes, at);
      byte = bytes[at] as number;
    }
    if (all > DEL) this.#ascii = false;
    if (this.#inName) {
      this.#length += at - from;
      if (this.#length > this.#bounds.nameBytes) this.#fail('nameBytes');
    }
    if (at === bytes.length) return at;
    if (byte === QUOTE) {
      this.#state = this.#inName ? State.colon : State.afterValue;
      this.#inName = false;
    } else if (byte === BACKSLASH) {
      this.#state = State.escape;
      this.#escapes += 1;
      if (this.#escapes > this.#bounds.escapes) this.#fail('escapes');
    } else this.#fail('syntax');
    return at + 1;
  }

  /** @returns where four bytes begin of which one may end the string or is none of a string; a hex text of megabytes is passed at once */
  #passPlain(bytes: Uint8Array, from: number): number {
    const skipped = -(bytes.byteOffset + from) & 3;
    const length = (bytes.length - from - skipped) >> 2;
    if (length <= 0) return from;
    for (let at = from; at < from + skipped; at++) if (isMark(bytes[at] as number)) return from;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + from + skipped, length);
    let passed = 0;
    while (passed < length && !hasMark(words[passed] as number)) passed += 1;
    const end = from + skipped + 4 * passed;
    if (this.#ascii && !isAscii(bytes.subarray(from, end))) this.#ascii = false;
    return end;
  }

  /** A byte between the strings and numbers, that is no space. */
  #readMark(byte: number): void {
    const state = this.#state;
    if (state === State.afterValue) this.#readAfterValue(byte);
    else if (state === State.colon) {
      if (byte === COLON) this.#state = State.value;
      else this.#fail('syntax');
    } else if (state === State.name || state === State.firstName) {
      if (byte === QUOTE) {
        this.#state = State.string;
        this.#inName = true;
        this.#length = 0;
        this.#countMember();
      } else if (byte === CLOSE_OBJECT && state === State.firstName) this.#close(false);
      else this.#fail('syntax');
    } else if (byte === CLOSE_ARRAY && state === State.firstElement) this.#close(true);
    else this.#beginValue(byte);
  }

  #countMember(): void {
    const last = this.#members.length - 1;
    const count = (this.#members[last] as number) + 1;
    this.#members[last] = count;
    if (count > this.#bounds.members) this.#fail('members');
  }

  #readAfterValue(byte: number): void {
    const inArray = this.#open.at(-1);
    if (byte === COMMA && inArray !== undefined) this.#state = inArray ? State.value : State.name;
    else if (byte === CLOSE_ARRAY) this.#close(true);
    else if (byte === CLOSE_OBJECT) this.#close(false);
    else this.#fail('syntax');
  }

  #close(array: boolean): void {
    if (this.#open.pop() !== array) this.#fail('syntax');
    this.#members.pop();
    this.#state = State.afterValue;
  }

  #beginValue(byte: number): void {
    this.#values += 1;
    if (this.#values > this.#bounds.values) this.#fail('values');
    if (this.#open.length === 1 && this.#open[0] === true) {
      this.#elements += 1;
      if (this.#elements > this.#bounds.elements) this.#fail('elements');
    }
    if (byte === QUOTE) this.#state = State.string;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      this.#open.push(byte === OPEN_ARRAY);
      this.#members.push(0);
      if (this.#open.length > this.#bounds.depth) this.#fail('depth');
      this.#state = byte === OPEN_ARRAY ? State.firstElement : State.firstName;
    } else if (byte === 0x2d || isDigit(byte)) {
      this.#state = byte === 0x2d ? State.minus : byte === 0x30 ? State.zero : State.whole;
      this.#length = 1;
    } else {
      this.#word = WORDS[byte];
      this.#length = 1;
      this.#state = State.word;
      if (this.#word === undefined) this.#fail('syntax');
    }
  }

  #readNumber(byte: number, at: number): number {
    const next = afterDigit(this.#state, byte);
    if (next === undefined) {
      // the byte belongs to what follows the number
      if (!this.#endNumber()) this.#fail('syntax');
      return at;
    }
    this.#state = next;
    this.#length += 1;
    if (this.#length > this.#bounds.numberBytes) this.#fail('numberBytes');
    return at + 1;
  }

  /** Ends the number that is being read, if any. @returns whether it may end here */
  #endNumber(): boolean {
    const { zero, whole, fraction, exponentDigits } = State;
    const state = this.#state;
    if (state !== zero && state !== whole && state !== fraction && state !== exponentDigits) return false;
    this.#state = State.afterValue;
    return true;
  }
}

/** @returns the state after one more byte of a number; undefined where it does not belong to it */
function afterDigit(state: State, byte: number): State | undefined {
  const digit = isDigit(byte);
  const isExponent = byte === 0x65 || byte === 0x45;
  switch (state) {
    case State.minus:
      if (!digit) return undefined;
      return byte === 0x30 ? State.zero : State.whole;
    case State.zero:
    case State.whole:
      if (digit) return state === State.whole ? State.whole : undefined;
      if (byte === 0x2e) return State.point;
      return isExponent ? State.exponent : undefined;
    case State.point:
      return digit ? State.fraction : undefined;
    case State.fraction:
      if (digit) return State.fraction;
      return isExponent ? State.exponent : undefined;
    case State.exponent:
      if (byte === 0x2b || byte === 0x2d) return State.exponentSign;
      return digit ? State.exponentDigits : undefined;
    default:
      return digit ? State.exponentDigits : undefined;
  }
}

function isMark(byte: number): boolean {
  return byte === QUOTE || byte === BACKSLASH || byte < SPACE;
}

/** Whether one of four bytes is a mark. May count bytes next to a mark too, but never finds one where there is none ("Bit Twiddling Hacks", zero byte). */
function hasMark(word: number): boolean {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  return (
    ((((word - 0x20202020) & ~word) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash)) &
      0x80808080) !==
    0
  );
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

import { isUtf8 } from 'node:buffer';
import { pause } from './pause.ts';

/** Up to this size the built-in parser is fast enough. */
const SMALL_BYTES = 131_072;
/** Longer strings are read in slices of this size. */
const SLICE_BYTES = 65_536;
/** Maximum length of an escape sequence. */
const ESCAPE_BYTES = 6;
/** Of a large body, no longer number is parsed: the built-in parser reads it in one go. */
const LONGEST_NUMBER = 10_000;
/** Values parsed before checking whether to yield. */
const LOOK_EVERY = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;
/** Characters that a string must escape, and escape sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const NOT_PLAIN = /[\u0000-\u001f\\]/;

/** No limit where one is left out. */
export interface JsonLimits {
  /** How deep arrays and objects may be nested. */
  readonly levels?: number;
  /** How many values there may be, containers among them. Each takes far more memory than its bytes. Short texts are not counted. */
  readonly values?: number;
  /** How many names one object of a large body may have: whoever goes through them does so in one go. */
  readonly names?: number;
}

/**
 * Parses JSON of any size like `JSON.parse`, but yields to the event loop: large bodies are parsed value by value.
 * @throws SyntaxError for invalid JSON or UTF-8, or where it passes a bound
 */
export async function parseJson(body: Uint8Array, limits: JsonLimits = {}): Promise<unknown> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
  if (bytes.length > SMALL_BYTES) return new Reader(bytes, limits).read();
  const value: unknown = JSON.parse(bytes.toString());
  if (nestsDeeperThan(value, limits.levels ?? Number.POSITIVE_INFINITY)) throw new SyntaxError('too many levels');
  return value;
}

function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (levels === Number.POSITIVE_INFINITY || typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeperThan(member, levels - 1));
}

/** An array or object that is not complete yet. */
type Open = { readonly list: unknown[] } | { readonly members: Record<string, unknown>; key: string; names: number };

class Reader {
  readonly #bytes: Buffer;
  readonly #limits: Required<JsonLimits>;
  #at = 0;

  constructor(bytes: Buffer, limits: JsonLimits) {
    const none = Number.POSITIVE_INFINITY;
    this.#bytes = bytes;
    this.#limits = { levels: none, values: none, names: none, ...limits };
  }

  async read(): Promise<unknown> {
    const open: Open[] = [];
    const { levels, values } = this.#limits;
    for (let count = 1; ; count++) {
      if (count % LOOK_EVERY === 0) await pause();
      if (count > values) throw new SyntaxError('too many values');
      if (this.#inBlanks()) await this.#skipBlanks();
      const opened = this.#open();
      if (opened !== undefined) {
        if (this.#inBlanks()) await this.#skipBlanks();
        if (open.length === levels) throw new SyntaxError('too many levels');
        if (!this.#ends(opened)) {
          open.push(opened);
          const key = this.#readKey(opened);
          if (key !== undefined) await key;
          continue;
        }
      }
      // a value is complete, which may complete its container too
      let value = opened === undefined ? this.#scalar() : completed(opened);
      if (value instanceof Promise) value = await value;
      for (;;) {
        const parent = open.at(-1);
        if (this.#inBlanks()) await this.#skipBlanks();
        if (parent === undefined) {
          if (this.#next() !== undefined) throw this.#unexpected();
          return value;
        }
        put(parent, value);
        if (this.#next() === COMMA) {
          this.#at++;
          const key = this.#readKey(parent);
          if (key !== undefined) await key;
          break;
        }
        if (!this.#ends(parent)) throw this.#unexpected();
        open.pop();
        value = completed(parent);
      }
    }
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`unexpected byte at ${this.#at}`);
  }

  /** The next byte that is not whitespace; undefined at the end. */
  #next(): number | undefined {
    while (isBlank(this.#bytes[this.#at])) this.#at++;
    return this.#bytes[this.#at];
  }

  /** Whether a long run of whitespace may follow. */
  #inBlanks(): boolean {
    return isBlank(this.#bytes[this.#at]) && isBlank(this.#bytes[this.#at + 1]);
  }

  async #skipBlanks(): Promise<void> {
    for (let left = SLICE_BYTES; isBlank(this.#bytes[this.#at]); this.#at++) {
      if (--left > 0) continue;
      await pause();
      left = SLICE_BYTES;
    }
  }

  #open(): Open | undefined {
    const byte = this.#next();
    if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) return undefined;
    this.#at++;
    return byte === OPEN_ARRAY ? { list: [] } : { members: {}, key: '', names: 0 };
  }

  /** Consumes the end of an array or object if it is next. */
  #ends(container: Open): boolean {
    if (this.#next() !== ('list' in container ? CLOSE_ARRAY : CLOSE_OBJECT)) return false;
    this.#at++;
    return true;
  }

  /** @returns a promise only if the key is long */
  #readKey(container: Open): Promise<void> | undefined {
    if ('list' in container) return undefined;
    if (this.#next() !== QUOTE) throw this.#unexpected();
    container.names += 1;
    if (container.names > this.#limits.names) throw new SyntaxError('too many names');
    const key = this.#string();
    const take = (text: string): void => {
      container.key = text;
      if (this.#next() !== COLON) throw this.#unexpected();
      this.#at++;
    };
    if (typeof key !== 'string') return key.then(take);
    take(key);
    return undefined;
  }

  #scalar(): unknown {
    if (this.#next() === QUOTE) return this.#string();
    const start = this.#at;
    let end = start;
    for (let byte = this.#bytes[end]; byte !== undefined && !endsScalar(byte); byte = this.#bytes[end])
      if (++end - start > LONGEST_NUMBER) throw new SyntaxError('a number is too long');
    if (end === start) throw this.#unexpected();
    this.#at = end;
    return JSON.parse(this.#bytes.toString('latin1', start, end));
  }

  /** @returns a promise only for a long string */
  #string(): string | Promise<string> {
    this.#at++;
    const text = this.#slice();
    return this.#tookQuote() ? text : this.#longString(text);
  }

  async #longString(first: string): Promise<string> {
    const slices = [first];
    while (!this.#tookQuote()) {
      await pause();
      slices.push(this.#slice());
    }
    return slices.join('');
  }

  /** Consumes the closing quote if it is next; the start of a slice is never escaped. */
  #tookQuote(): boolean {
    if (this.#at >= this.#bytes.length) throw new SyntaxError('a string does not end');
    if (this.#bytes[this.#at] !== QUOTE) return false;
    this.#at++;
    return true;
  }

  /** Reads one slice of a string, at most to its end. */
  #slice(): string {
    const start = this.#at;
    const slice = this.#bytes.subarray(start, start + SLICE_BYTES);
    let length = slice.indexOf(QUOTE);
    while (length >= 0 && isEscaped(slice, length)) length = slice.indexOf(QUOTE, length + 1);
    if (length < 0) length = this.#bytes.length - start <= SLICE_BYTES ? slice.length : wholeCharacters(slice);
    this.#at = start + length;
    const text = slice.toString('utf8', 0, length);
    return NOT_PLAIN.test(text) ? (JSON.parse(`"${text}"`) as string) : text;
  }
}

/** A byte is escaped if an odd number of backslashes precedes it. */
function isEscaped(slice: Buffer, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && slice[before] === BACKSLASH) before--;
  return (at - 1 - before) % 2 === 1;
}

/** Length of the slice that can be decoded on its own: up to the last character or escape that may be split. */
function wholeCharacters(slice: Buffer): number {
  let length = slice.length;
  while (((slice[length - 1] as number) & 0xc0) === 0x80) length--;
  if ((slice[length - 1] as number) >= 0xc0) length--;
  const backslash = slice.lastIndexOf(BACKSLASH, length - 1);
  if (backslash < length - ESCAPE_BYTES) return length;
  // an escaped backslash ends an escape sequence
  return isEscaped(slice, backslash) ? backslash + 1 : backslash;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function endsScalar(byte: number): boolean {
  return (
    byte <= 0x20 || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte === COLON || byte === QUOTE
  );
}

function completed(container: Open): unknown {
  return 'list' in container ? container.list : container.members;
}

function put(container: Open, value: unknown): void {
  if ('list' in container) container.list.push(value);
  else if (container.key !== '__proto__') container.members[container.key] = value;
  else {
    // assignment would change the prototype
    Object.defineProperty(container.members, '__proto__', {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

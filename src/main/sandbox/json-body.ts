import { isUtf8 } from 'node:buffer';
import { pause } from './node/pause.ts';

/** Up to here the engine's own parser is done before anybody waits. */
const SMALL_BYTES = 131_072;
/** Values read before it is looked whether others should have their turn. */
const LOOK_EVERY = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;
/** What a string must write as an escape, and the escapes themselves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const NOT_PLAIN = /[\u0000-\u001f\\]/;

/**
 * Reads JSON as `JSON.parse` does, of any size, and lets others run in between: what is large is read value by value.
 * @param most levels of arrays and objects allowed within each other
 * @throws SyntaxError for what is no JSON or no UTF-8, or has more levels
 */
export async function parseJson(body: Uint8Array, most = Number.POSITIVE_INFINITY): Promise<unknown> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
  if (bytes.length > SMALL_BYTES) return new Reader(bytes, most).read();
  const value: unknown = JSON.parse(bytes.toString());
  if (nestsDeeperThan(value, most)) throw new SyntaxError('too many levels');
  return value;
}

function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (levels === Number.POSITIVE_INFINITY || typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestsDeeperThan(member, levels - 1));
}

/** An array or object whose end has not come yet. */
type Open = { readonly list: unknown[] } | { readonly members: Record<string, unknown>; key: string };

class Reader {
  readonly #bytes: Buffer;
  readonly #most: number;
  #at = 0;

  constructor(bytes: Buffer, most: number) {
    this.#bytes = bytes;
    this.#most = most;
  }

  async read(): Promise<unknown> {
    const open: Open[] = [];
    for (let count = 1; ; count++) {
      if (count % LOOK_EVERY === 0) await pause();
      const opened = this.#open();
      if (opened !== undefined) {
        if (open.length === this.#most) throw new SyntaxError('too many levels');
        if (!this.#ends(opened)) {
          open.push(opened);
          this.#readKey(opened);
          continue;
        }
      }
      // a value is complete, and with it perhaps what it stands in
      let value = opened === undefined ? this.#scalar() : completed(opened);
      for (;;) {
        const parent = open.at(-1);
        if (parent === undefined) {
          if (this.#next() !== undefined) throw this.#unexpected();
          return value;
        }
        put(parent, value);
        if (this.#next() === COMMA) {
          this.#at++;
          this.#readKey(parent);
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

  /** The next byte that is no space; undefined at the end. */
  #next(): number | undefined {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#at++;
    }
  }

  #open(): Open | undefined {
    const byte = this.#next();
    if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) return undefined;
    this.#at++;
    return byte === OPEN_ARRAY ? { list: [] } : { members: {}, key: '' };
  }

  /** Takes the end of an array or object, where it stands here. */
  #ends(container: Open): boolean {
    if (this.#next() !== ('list' in container ? CLOSE_ARRAY : CLOSE_OBJECT)) return false;
    this.#at++;
    return true;
  }

  #readKey(container: Open): void {
    if ('list' in container) return;
    if (this.#next() !== QUOTE) throw this.#unexpected();
    container.key = this.#string();
    if (this.#next() !== COLON) throw this.#unexpected();
    this.#at++;
  }

  #scalar(): unknown {
    if (this.#next() === QUOTE) return this.#string();
    const start = this.#at;
    let end = start;
    for (let byte = this.#bytes[end]; byte !== undefined && !endsScalar(byte); byte = this.#bytes[end]) end++;
    if (end === start) throw this.#unexpected();
    this.#at = end;
    return JSON.parse(this.#bytes.toString('latin1', start, end));
  }

  #string(): string {
    const start = this.#at + 1;
    let end = start - 1;
    do {
      end = this.#bytes.indexOf(QUOTE, end + 1);
      if (end < 0) throw new SyntaxError('a string does not end');
    } while (this.#isEscaped(end, start));
    this.#at = end + 1;
    const text = this.#bytes.toString('utf8', start, end);
    return NOT_PLAIN.test(text) ? (JSON.parse(`"${text}"`) as string) : text;
  }

  /** An odd number of backslashes before a quote escapes it. */
  #isEscaped(at: number, start: number): boolean {
    let before = at - 1;
    while (before >= start && this.#bytes[before] === BACKSLASH) before--;
    return (at - 1 - before) % 2 === 1;
  }
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
    // to assign it would change what the object inherits
    Object.defineProperty(container.members, '__proto__', {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

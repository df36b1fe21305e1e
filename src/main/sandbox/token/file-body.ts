import type { Readable } from 'node:stream';
import { ApiError } from '../api/api-error.ts';

/** The field that contains a file. */
const FIELD = 'b64File';
/** A longer key, including escapes, cannot be {@link FIELD}. */
const MAX_KEY_BYTES = 6 * FIELD.length;
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON] = Buffer.from('"\\{}[],:');
const SOLIDUS_ESCAPE = '\\/';
const UNICODE_ESCAPE = /^\\u[0-9a-fA-F]{0,4}$/;
const UNICODE_ESCAPE_CHARS = 6;

/**
 * Reads a JSON body whose top-level field `b64File` is too large for memory: its Base64 is decoded while it arrives and passed on. The rest
 * is buffered and parsed as JSON at the end, with an empty string for the field.
 * @param payload the body; read to its end even if it is refused, so that the client can read the response
 * @param write receives the bytes of the file, in order
 * @param maxRest maximum bytes of everything except the file
 * @returns the JSON value, and whether it had the field as text
 * @throws ApiError `invalid-request` | `base64-invalid` | `too-large`, and what `write` throws
 */
export async function readFileBody(
  payload: Readable,
  write: (piece: Uint8Array) => Promise<void>,
  maxRest: number,
): Promise<{ body: unknown; hasFile: boolean }> {
  const reader = new FileBodyReader(maxRest);
  try {
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      for (const piece of reader.read(chunk as Buffer)) await write(piece);
    }
  } catch (error) {
    payload.on('error', () => undefined).resume();
    throw payload.readableAborted ? new ApiError('invalid-request', 'sandbox-api.body-cut-off') : error;
  }
  return { body: reader.end(), hasFile: reader.hasFile };
}

/** Scans the JSON text just enough to find the field; the text is validated at the end. */
class FileBodyReader {
  readonly #maxRest: number;
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #depth = 0;
  #place: 'between' | 'string' | 'file' = 'between';
  #escaped = false;
  /** Whether the next top-level string is a key; undefined in an array. */
  #atKey: boolean | undefined;
  /** Bytes of the current top-level string, which may be the field's name. */
  #key: number[] | undefined;
  #isField = false;
  #file: Base64Text | undefined;

  constructor(maxRest: number) {
    this.#maxRest = maxRest;
  }

  get hasFile(): boolean {
    return this.#file !== undefined;
  }

  /** @returns the next bytes of the file */
  *read(chunk: Buffer): Generator<Uint8Array> {
    let keptFrom = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#place !== 'file') {
        this.#follow(chunk[at] as number);
        continue;
      }
      this.#keep(chunk.subarray(keptFrom, at));
      const file = this.#file as Base64Text;
      at = yield* file.read(chunk, at);
      keptFrom = at;
      if (file.ended) this.#place = 'between';
    }
    this.#keep(chunk.subarray(keptFrom));
  }

  end(): unknown {
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(this.#rest)));
    } catch {
      throw new ApiError('invalid-request', 'sandbox-api.body-not-json');
    }
  }

  #keep(part: Buffer): void {
    this.#restBytes += part.length;
    if (this.#restBytes > this.#maxRest) {
      throw new ApiError('too-large', 'sandbox-api.body-rest-too-large', { limit: this.#maxRest });
    }
    if (part.length > 0) this.#rest.push(Buffer.from(part));
  }

  #follow(byte: number): void {
    if (this.#place === 'string') this.#inString(byte);
    else if (byte === QUOTE) this.#beginString();
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#depth++;
      if (this.#depth === 1) this.#atKey = byte === OPEN_BRACE ? true : undefined;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth--;
    else if (this.#depth === 1 && byte === COMMA && this.#atKey !== undefined) this.#atKey = true;
    else if (this.#depth === 1 && byte === COLON && this.#atKey !== undefined) this.#atKey = false;
  }

  #beginString(): void {
    const isTop = this.#depth === 1;
    if (isTop && this.#atKey === false && this.#isField) {
      if (this.#file) throw new ApiError('invalid-request', 'sandbox-api.field-twice', { field: FIELD });
      this.#file = new Base64Text();
      this.#place = 'file';
      return;
    }
    this.#place = 'string';
    this.#key = isTop && this.#atKey === true ? [] : undefined;
  }

  #inString(byte: number): void {
    if (!this.#escaped && byte === QUOTE) {
      this.#place = 'between';
      if (this.#key !== undefined) this.#isField = isField(this.#key);
      return;
    }
    this.#escaped = !this.#escaped && byte === BACKSLASH;
    if (this.#key !== undefined && this.#key.length <= MAX_KEY_BYTES) this.#key.push(byte);
  }
}

function isField(key: readonly number[]): boolean {
  if (key.length > MAX_KEY_BYTES) return false;
  try {
    return JSON.parse(`"${Buffer.from(key).toString('utf8')}"`) === FIELD;
  } catch {
    return false;
  }
}

/** Decodes the inside of a JSON string of Base64 (RFC 4648 section 4, with padding and nothing else) while it arrives. */
class Base64Text {
  /** Whether the closing quote has been read. */
  ended = false;
  /** Fewer than four characters, waiting for the rest of their group. */
  #open = Buffer.alloc(0);
  #escape = '';
  #isPadded = false;

  /** @returns the bytes, and where the chunk continues: at the closing quote, or at the end of the chunk */
  *read(chunk: Buffer, from: number): Generator<Uint8Array, number> {
    let at = from;
    let quote = -1;
    let backslash = -1;
    while (at < chunk.length) {
      if (this.#escape !== '') {
        const char = this.#unescape(String.fromCharCode(chunk[at++] as number));
        if (char !== undefined) yield* this.#decode(Buffer.from(char, 'latin1'));
        continue;
      }
      if (quote < at) quote = endOf(chunk, QUOTE as number, at);
      if (backslash < at) backslash = endOf(chunk, BACKSLASH as number, at);
      const end = Math.min(quote, backslash);
      yield* this.#decode(chunk.subarray(at, end));
      at = end;
      if (at === chunk.length) break;
      if (at === quote) {
        if (this.#open.length > 0) throw notBase64();
        this.ended = true;
        break;
      }
      this.#escape = '\\';
      at++;
    }
    return at;
  }

  /** @returns the character of an escape, once the escape is complete */
  #unescape(next: string): string | undefined {
    this.#escape += next;
    if (this.#escape === SOLIDUS_ESCAPE) {
      this.#escape = '';
      return '/';
    }
    // no other escape can encode a Base64 character
    if (!UNICODE_ESCAPE.test(this.#escape)) throw notBase64();
    if (this.#escape.length < UNICODE_ESCAPE_CHARS) return undefined;
    const code = Number.parseInt(this.#escape.slice(2), 16);
    if (code > 0x7f) throw notBase64();
    this.#escape = '';
    return String.fromCharCode(code);
  }

  *#decode(chars: Buffer): Generator<Uint8Array> {
    if (chars.length === 0) return;
    if (this.#isPadded) throw notBase64();
    const all = this.#open.length === 0 ? chars : Buffer.concat([this.#open, chars]);
    const whole = all.length - (all.length % 4);
    this.#open = Buffer.from(all.subarray(whole));
    if (whole === 0) return;
    const text = all.toString('latin1', 0, whole);
    const bytes = Buffer.from(text, 'base64');
    if (!isExact(text, bytes)) throw notBase64();
    this.#isPadded = text.endsWith('=');
    yield bytes;
  }
}

/** Whether text was all Base64: the decoder skips other characters and reads those of file names. Only the last group can have bits to spare. */
function isExact(text: string, bytes: Buffer): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (bytes.length !== (text.length / 4) * 3 - padding || text.includes('-') || text.includes('_')) return false;
  return bytes.toString('base64', bytes.length - (3 - padding)) === text.slice(-4);
}

function endOf(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at === -1 ? chunk.length : at;
}

function notBase64(): ApiError {
  return new ApiError('base64-invalid', 'sandbox-api.base64-invalid', { field: FIELD });
}

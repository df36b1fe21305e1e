import { phrase } from '../../../../contract/index.ts';
import { type JsonFault, JsonScan } from '../../../json-scan.ts';
import { MAX_TABLE_ROWS, UnreadableFile } from '../model.ts';
import { decodeText, isUtf8 } from './text.ts';

/** Most values of one file; a large collection has a million. */
const MAX_VALUES = 4_000_000;
const BOUNDS = { depth: 32, values: MAX_VALUES, elements: MAX_TABLE_ROWS, members: 1_000 } as const;

/** A JSON value whose numbers are the text they were written as. */
export type Json = string | boolean | null | NumberText | Json[] | JsonObject;
export type JsonObject = Map<string, Json>;

/** `1.50` stays `1.50`. */
class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Reads JSON and keeps numbers as written. Objects become maps, so a key such as `__proto__` is a key like any other. The text is checked
 * against the grammar and the bounds before any value is made.
 * @throws UnreadableFile with the reason, in words a person can use
 */
export function readJson(bytes: Uint8Array): Json {
  const text = decodeText(bytes);
  const scan = new JsonScan(BOUNDS);
  const fault = scan.push(isUtf8(bytes) ? withoutMark(bytes) : Buffer.from(text, 'utf8')) ?? scan.end();
  if (fault !== undefined) throw new UnreadableFile(reasonOf(fault));
  return new Reader(text).value();
}

function reasonOf(fault: JsonFault): UnreadableFile['reason'] {
  if (fault === 'depth') return phrase('import.word.too-deep');
  if (fault === 'values') return phrase('import.word.values', { limit: BOUNDS.values });
  if (fault === 'members') return phrase('import.word.members', { limit: BOUNDS.members });
  if (fault === 'elements') return phrase('import.word.rows', { limit: MAX_TABLE_ROWS });
  return phrase('import.word.not-json');
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

const NUMBER = /[-+.\deE]+/y;

/** Makes values of a text whose grammar was checked before. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Json {
    const text = this.#text;
    const first = this.#next();
    switch (first) {
      case '{': {
        const map: JsonObject = new Map();
        for (this.#at++; this.#next() !== '}'; ) {
          if (text[this.#at] === ',') this.#at++;
          this.#next();
          const name = this.#string();
          this.#next();
          this.#at++;
          map.set(name, this.value());
        }
        this.#at++;
        return map;
      }
      case '[': {
        const list: Json[] = [];
        for (this.#at++; this.#next() !== ']'; ) {
          if (text[this.#at] === ',') this.#at++;
          list.push(this.value());
        }
        this.#at++;
        return list;
      }
      case '"':
        return this.#string();
      case 't':
        this.#at += 4;
        return true;
      case 'f':
        this.#at += 5;
        return false;
      case 'n':
        this.#at += 4;
        return null;
      default: {
        NUMBER.lastIndex = this.#at;
        const number = NUMBER.exec(text)?.[0] ?? '';
        this.#at += number.length;
        return new NumberText(number);
      }
    }
  }

  /** The next character that is no blank. */
  #next(): string {
    const text = this.#text;
    let code = text.charCodeAt(this.#at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++this.#at);
    return text[this.#at] as string;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at + 1;
    let end = text.indexOf('"', start);
    if (!text.slice(start, end).includes('\\')) {
      this.#at = end + 1;
      return text.slice(start, end);
    }
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    this.#at = end + 1;
    return JSON.parse(text.slice(start - 1, end + 1)) as string;
  }
}

/** Whether an odd number of backslashes stands in front. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from--;
  return (at - from) % 2 === 1;
}

/** A value in one line of text: scalars as they are written, the rest as JSON. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof NumberText) return value.text;
  return jsonOf(value);
}

function jsonOf(value: Json): string {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, one]) => `${JSON.stringify(key)}:${jsonOf(one)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

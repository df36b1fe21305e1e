/**
 * Splits JSON text without parsing it into values, so that numbers keep their digits (1.0, 9007199254740993) and strings their escapes. All
 * functions require valid JSON.
 */

/**
 * The members of an object as text. If a name occurs twice, the first one counts, as in the node.
 * @param names of the members that are wanted; all where they are left out
 */
export function membersOf(text: string, names?: ReadonlySet<string>): Map<string, string> {
  const members = new Map<string, string>();
  for (const { name, start, end } of walkObject(text))
    if (names?.has(name) !== false && !members.has(name)) members.set(name, text.slice(start, end));
  return members;
}

/** The positions of the values of an object's members. @param from start of the object */
export function placesOf(text: string, from = 0): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const { name, start, end } of walkObject(text, from)) if (!places.has(name)) places.set(name, { start, end });
  return places;
}

export interface Place {
  readonly start: number;
  readonly end: number;
}

/** The elements of an array as text. */
export function elementsOf(text: string): string[] {
  const elements: string[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = valueEnd(text, at);
    elements.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return elements;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function* walkObject(text: string, from = 0): Generator<{ name: string; start: number; end: number }> {
  let at = skipSpace(text, skipSpace(text, from) + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const nameEnd = stringEnd(text, at) + 1;
    const plain = text.slice(at + 1, nameEnd - 1);
    const name = plain.includes('\\') ? (JSON.parse(text.slice(at, nameEnd)) as string) : plain;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = valueEnd(text, start);
    yield { name, start, end };
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Position of the string's closing quote; the last character if there is none. */
function stringEnd(text: string, open: number): number {
  let at = open;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at) + 1;
      if (depth === 0) return at;
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === COMMA || isSpace(code) || Number.isNaN(code))) return at;
    at += 1;
  }
}

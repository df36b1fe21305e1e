import { methodNames } from '../methods/method-registry.ts';
import type { RpcBody, RpcCall, RpcRequest } from '../rpc/message.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const DELETE = 0x7f;

/** Values as {@link PlainReader} takes them. */
const STRING = '"[ !#-[\\]-~]*"';
const VALUE = `(?:${STRING}|-?(?:0|[1-9][0-9]*)|true|false|null)`;
const PARAMS = `\\[(?:${VALUE}(?:, ?${VALUE})*)?\\]`;
/** The order of members most clients write, read in a fifth of the time: an expression is compiled, and sees a part of a text as it is. */
const USUAL = new RegExp(
  `^\\{(?:"jsonrpc": ?${STRING}, ?)?"id": ?(${VALUE}), ?"method": ?"([a-z0-9]+)", ?"params": ?(${PARAMS})\\}\\n?$`,
);
/** The commands by their names: whoever asks for their properties afterwards finds them at once. */
const named = new Map(methodNames.map((name) => [name, name]));

/**
 * Reads the calls that clients send nearly always, in one pass and without making values of them: the members `jsonrpc`, `id`, `method`
 * and `params` once each, a method the gateway has, and simple parameters (numbers, words, strings of ASCII without escapes) in an array.
 * @param text the body, one character a byte
 * @returns what {@link readBody} would give, or undefined for everything else, right or wrong
 */
export function readPlainBody(text: string): RpcBody | undefined {
  const usual = USUAL.exec(text);
  if (usual !== null) {
    const [, idText, name, paramsText] = usual as unknown as [string, string, string, string];
    const method = named.get(name);
    return method === undefined ? undefined : { single: { call: { idText, method, paramsText } } };
  }
  const reader = new PlainReader(text);
  const batch = reader.opens(OPEN_BRACKET);
  const calls: RpcRequest[] = [];
  do {
    const call = reader.call();
    if (call === undefined) return undefined;
    calls.push({ call });
  } while (batch && reader.opens(COMMA));
  if (batch && !reader.opens(CLOSE_BRACKET)) return undefined;
  if (!reader.isAtEnd()) return undefined;
  return batch ? { batch: calls } : { single: calls[0] as RpcRequest };
}

class PlainReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Steps over one character and the spaces before it, where it is the next. */
  opens(code: number): boolean {
    const text = this.#text;
    while (text.charCodeAt(this.#at) === SPACE) this.#at += 1;
    if (text.charCodeAt(this.#at) !== code) return false;
    this.#at += 1;
    return true;
  }

  /** Only spaces and line ends follow. */
  isAtEnd(): boolean {
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== SPACE && code !== 0x0a && code !== 0x0d) return false;
    }
    return true;
  }

  call(): RpcCall | undefined {
    if (!this.opens(OPEN_BRACE)) return undefined;
    let idText: string | undefined;
    let method: string | undefined;
    let paramsText: string | undefined;
    let version = false;
    do {
      const name = this.#string();
      if (name === undefined || !this.opens(COLON)) return undefined;
      while (this.#text.charCodeAt(this.#at) === SPACE) this.#at += 1;
      const start = this.#at;
      if (name === 'method') {
        if (method !== undefined) return undefined;
        method = this.#string();
        if (method === undefined) return undefined;
      } else if (name === 'params') {
        if (paramsText !== undefined || !this.#skipArray()) return undefined;
        paramsText = this.#text.slice(start, this.#at);
      } else if (name === 'id') {
        if (idText !== undefined || !this.#skipValue()) return undefined;
        idText = this.#text.slice(start, this.#at);
      } else if (name === 'jsonrpc') {
        if (version || this.#string() === undefined) return undefined;
        version = true;
      } else return undefined;
    } while (this.opens(COMMA));
    const command = method === undefined ? undefined : named.get(method);
    if (!this.opens(CLOSE_BRACE) || command === undefined) return undefined;
    return { idText: idText ?? 'null', method: command, paramsText: paramsText ?? '[]' };
  }

  /** The next value, where it is a simple string. */
  #string(): string | undefined {
    const start = this.#at;
    if (!this.opens(QUOTE)) return undefined;
    const from = this.#at;
    return this.#skipString() ? this.#text.slice(from, this.#at - 1) : this.#back(start);
  }

  #back(at: number): undefined {
    this.#at = at;
  }

  /** From behind the opening quote to behind the closing one. */
  #skipString(): boolean {
    const text = this.#text;
    for (let at = this.#at; ; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      // the end of the text is NaN, which is no such number either
      if (!(code >= SPACE && code < DELETE) || code === BACKSLASH) return false;
    }
  }

  #skipArray(): boolean {
    if (!this.opens(OPEN_BRACKET)) return false;
    if (this.opens(CLOSE_BRACKET)) return true;
    do {
      while (this.#text.charCodeAt(this.#at) === SPACE) this.#at += 1;
      if (!this.#skipValue()) return false;
    } while (this.opens(COMMA));
    return this.opens(CLOSE_BRACKET);
  }

  /** A simple string, a whole number, or one of the words. */
  #skipValue(): boolean {
    const text = this.#text;
    const code = text.charCodeAt(this.#at);
    if (code === QUOTE) {
      this.#at += 1;
      return this.#skipString();
    }
    for (const word of ['true', 'false', 'null']) {
      if (code !== word.charCodeAt(0)) continue;
      if (!text.startsWith(word, this.#at)) return false;
      this.#at += word.length;
      return true;
    }
    let at = code === MINUS ? this.#at + 1 : this.#at;
    const first = at;
    while (text.charCodeAt(at) >= DIGIT_0 && text.charCodeAt(at) <= DIGIT_9) at += 1;
    if (at === first || (at > first + 1 && text.charCodeAt(first) === DIGIT_0)) return false;
    this.#at = at;
    return true;
  }
}

import { methodNames } from '../methods/method-registry.ts';
import type { RpcBody, RpcRequest } from './message.ts';

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const STRING = '"[ !#-[\\]-~]*"';
const VALUE = `(?:${STRING}|-?(?:0|[1-9][0-9]*)|true|false|null)`;
const PARAMS = `\\[(?:${VALUE}(?:, ?${VALUE})*)?\\]`;
/** A call with its members in the orders that clients of nodes write. An expression is compiled, and makes no texts of the names. */
const USUAL = new RegExp(
  `\\{(?:"jsonrpc": ?${STRING}, ?)?(?:"id": ?(${VALUE}), ?)?"method": ?"([a-z0-9]+)", ?"params": ?(${PARAMS})(?:, ?"id": ?(${VALUE}))?\\}`,
  'y',
);
/** The command names of the method registry: these strings already have their hash, so looking up their rows costs little. */
const named = new Map(methodNames.map((name) => [name, name]));

/**
 * Parses the usual form of calls in one pass and without creating values: the members `jsonrpc`, `id`, `method` and `params` in a usual
 * order, a method that the gateway serves, and simple parameters (integers, words, ASCII strings without escapes) in an array.
 * @param text the body, one character per byte
 * @returns the result of {@link readBody}; undefined for any other body, valid or not
 */
export function readPlainBody(text: string): RpcBody | undefined {
  const batch = text.charCodeAt(0) === OPEN_BRACKET ? ([] as RpcRequest[]) : undefined;
  let at = batch === undefined ? 0 : 1;
  for (;;) {
    USUAL.lastIndex = at;
    const found = USUAL.exec(text);
    const method = named.get(found?.[2] as string);
    if (found === null || method === undefined) return undefined;
    const [, first, , paramsText = '[]', last] = found;
    if (first !== undefined && last !== undefined) return undefined;
    const request = { call: { idText: first ?? last ?? 'null', method, paramsText } };
    at = USUAL.lastIndex;
    if (batch === undefined) return isEnd(text, at) ? { single: request } : undefined;
    batch.push(request);
    const next = text.charCodeAt(at);
    if (next === CLOSE_BRACKET) return isEnd(text, at + 1) ? { batch } : undefined;
    if (next !== COMMA) return undefined;
    at += text.charCodeAt(at + 1) === SPACE ? 2 : 1;
  }
}

/** Whether nothing but one line end follows. */
function isEnd(text: string, at: number): boolean {
  return at === text.length || (at === text.length - 1 && text.charCodeAt(at) === LINE_FEED);
}

import { ChainError, fromHex, hashToDisplay, headerHash, sha256d } from '../../../chain/index.ts';
import { hashOfRawBlock } from '../blocks/raw-block.ts';
import { type Place, placesOf } from '../messages/json-text.ts';
import { contentRuleOf } from '../methods/method-registry.ts';

/**
 * A cached answer. Its text is stored in pieces. The client's id goes between them, and the current number of confirmations if the answer
 * has one.
 */
export interface CacheEntry {
  readonly texts: readonly string[];
  /** What is inserted after each piece except the last. */
  readonly slots: readonly ('id' | 'confirmations')[];
  /** The anchor block: the entry is valid while this block is on the main chain. Absent if the content proves itself. */
  readonly anchor?: string;
  /** Height of the anchor block minus the height of the block whose confirmations are reported: 0 or 1. */
  readonly below?: number;
  /** With `below`: the block whose confirmations are reported. It must be on the main chain too: an upstream may name a wrong next block. */
  readonly block?: string;
  /** Height of the anchor block, if the answer contained it. */
  readonly height?: number;
  /** Confirmations of the anchor block when the answer was received. Absent if that does not matter. */
  readonly depth?: number;
  /** Every text is known to be ASCII. */
  readonly ascii?: boolean;
}

/** Characters. Calls with longer parameters are neither cached nor shared. */
const MAX_KEY_LENGTH = 64 * 1024;
/**
 * The cache key of a call. Undefined if equal parameters may be spelled in more than one way, such as numbers with a fraction or an
 * exponent.
 */
export function cacheKey(method: string, paramsText: string): string | undefined {
  if (paramsText.length > MAX_KEY_LENGTH) return undefined;
  if (paramsText === '[]') return method;
  const text = paramsText.includes(' ') ? paramsText.replace(/"[^"]*"| /g, withoutSpace) : paramsText;
  return /^[[\]{}"A-Za-z0-9_,:*-]*$/.test(text) ? `${method}${text}` : undefined;
}

let unsharedCalls = 0;

/** The in-flight key of a call without a {@link cacheKey}. Long calls get a key of their own: comparing megabytes costs more than asking twice. */
export function requestKey(method: string, paramsText: string): string {
  if (paramsText.length <= MAX_KEY_LENGTH) return `${method} ${paramsText}`;
  unsharedCalls += 1;
  return `${method} #${unsharedCalls}`;
}

/** Removes spaces between values, and keeps those inside strings. */
function withoutSpace(part: string): string {
  return part === ' ' ? '' : part;
}

/** An answer as received, split at the id. */
export interface ResponseText {
  readonly before: string;
  readonly after: string;
  readonly ascii?: boolean;
  /** Its parsed result. */
  readonly result: unknown;
}

export function isRawBlock(method: string, result: unknown): result is string {
  return (method === 'getblock' || method === 'getblockbyheight') && typeof result === 'string';
}

/**
 * The cache entry for a block in hex. Its transactions are checked against the Merkle root first, over several turns of the event loop if
 * the block is large.
 * @param answer whose result is the hex; see {@link isRawBlock}
 */
export async function entryForRawBlock(
  method: string,
  params: readonly unknown[],
  { before, after, result }: ResponseText,
): Promise<CacheEntry | undefined> {
  const fixed: CacheEntry = { texts: [before, after], slots: ['id'] };
  const hash = await hashOfRawBlock(result as string);
  if (hash === undefined) return undefined;
  if (method === 'getblock') return hash === lower(params[0]) ? fixed : undefined;
  return { ...fixed, anchor: hash, height: params[0] as number, depth: 1 };
}

/**
 * The cache entry for an answer; for a raw block see {@link entryForRawBlock}.
 * @param params as they were sent
 * @param answer complete; the id goes between `before` and `after`
 * @returns undefined if a block, a spend or a reorganisation may change the answer in a way that cannot be computed here
 */
export function entryFor(method: string, params: readonly unknown[], answer: ResponseText): CacheEntry | undefined {
  const entry = buildEntry(method, params, answer);
  return entry !== undefined && answer.ascii === true ? { ...entry, ascii: true } : entry;
}

function buildEntry(method: string, params: readonly unknown[], answer: ResponseText): CacheEntry | undefined {
  const { before, after, result } = answer;
  const fixed: CacheEntry = { texts: [before, after], slots: ['id'] };
  switch (contentRuleOf(method)) {
    case 'block':
      if (typeof result === 'string')
        return result.length === 160 && hashOfBlock(result) === lower(params[0]) ? fixed : undefined;
      return withHeader(before, after, result, resultPlace(before, after));
    case 'block-by-height':
      return withHeader(before, after, result, resultPlace(before, after));
    case 'hash-at-height':
      return isHash(result) ? { ...fixed, anchor: result, height: params[0] as number, depth: 1 } : undefined;
    case 'stats':
      return isHash(lower(params[0])) ? { ...fixed, anchor: lower(params[0]), depth: 1 } : undefined;
    case 'stats-by-height': {
      const { blockhash } = (result ?? {}) as { blockhash?: unknown };
      return isHash(blockhash) ? { ...fixed, anchor: blockhash, height: params[0] as number, depth: 1 } : undefined;
    }
    case 'transaction':
      return withBlock(before, after, result, params);
    case 'txout-proof': {
      const anchor = typeof result === 'string' ? hashOfBlock(result) : undefined;
      return anchor === undefined ? undefined : { ...fixed, anchor, depth: 1 };
    }
    case 'merkle-proof': {
      const { target } = (result ?? {}) as { target?: unknown };
      if (typeof target !== 'object') return undefined;
      const place = resultPlace(before, after);
      const inner = place && placesOf(before, place.start).get('target');
      return withHeader(before, after, target, inner);
    }
    case 'tsc-proof': {
      const { target } = (result ?? {}) as { target?: unknown };
      const root = params[3] === 'merkleroot';
      const anchor = root ? lower(params[0]) : isHash(target) ? target : hashOfBlock(target);
      return isHash(anchor) ? { ...fixed, anchor, depth: 1 } : undefined;
    }
    case undefined:
      return undefined;
  }
}

/** The raw transaction inside a verbose answer, from which the plain answer is built. */
export function rawOf(txid: string, result: unknown): { hex: string; mined: boolean } | undefined {
  const { hex, blockhash, confirmations } = (result ?? {}) as Record<string, unknown>;
  if (typeof hex !== 'string' || !isTransaction(hex, txid)) return undefined;
  return { hex, mined: isHash(blockhash) && typeof confirmations === 'number' && confirmations > 0 };
}

/** The entry of the plain answer. It has the anchor block of the verbose one. */
export function plainEntry(
  { before, after, ascii }: Omit<ResponseText, 'result'>,
  { anchor, height, depth }: CacheEntry,
): CacheEntry {
  return { texts: [before, after], slots: ['id'], ascii, anchor, height, depth };
}

/** Position of the value of `result` in `before + after`; undefined if the id comes first. */
function resultPlace(before: string, after: string): Place | undefined {
  // The id is missing here; a 0 in its place makes the text valid JSON.
  const place = placesOf(`${before}0${after}`).get('result');
  return place !== undefined && place.end <= before.length ? place : undefined;
}

/**
 * An answer that contains a block header. It is cached only if it names the next block, which becomes the anchor: while that block is on
 * the main chain, nothing but the confirmations changes.
 */
function withHeader(before: string, after: string, header: unknown, at: Place | undefined): CacheEntry | undefined {
  const { hash, height, confirmations, nextblockhash } = (header ?? {}) as Record<string, unknown>;
  if (at === undefined || !isHash(hash) || !isHash(nextblockhash)) return undefined;
  if (!isInteger(height) || !isInteger(confirmations) || confirmations < 2) return undefined;
  const texts = around(before, after, at);
  const next = { anchor: nextblockhash, height: height + 1, below: 1, depth: confirmations - 1 };
  return texts && { ...texts, ...next, block: hash };
}

/** A verbose transaction in a block of the main chain. */
function withBlock(before: string, after: string, result: unknown, params: readonly unknown[]): CacheEntry | undefined {
  const { blockhash, blockheight, confirmations, hex } = (result ?? {}) as Record<string, unknown>;
  const at = resultPlace(before, after);
  if (at === undefined || !isHash(blockhash) || typeof hex !== 'string') return undefined;
  if (!isInteger(confirmations) || confirmations < 1) return undefined;
  if (!isTransaction(hex, lower(params[0]))) return undefined;
  const texts = around(before, after, at);
  const height = isInteger(blockheight) ? blockheight : undefined;
  return texts && { ...texts, anchor: blockhash, below: 0, depth: confirmations, height };
}

/** The text, split at the confirmations and the id. */
function around(before: string, after: string, object: Place): Pick<CacheEntry, 'texts' | 'slots'> | undefined {
  const place = placesOf(before, object.start).get('confirmations');
  if (place === undefined) return undefined;
  return { texts: [before.slice(0, place.start), before.slice(place.end), after], slots: ['confirmations', 'id'] };
}

function isTransaction(hex: string, txid: string): boolean {
  try {
    return hashToDisplay(sha256d(fromHex(hex))) === txid;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

/** Hash of the header at the start of a header or merkle block. */
function hashOfBlock(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[0-9a-f]{160}/.test(value)) return undefined;
  return headerHash(fromHex(value.slice(0, 160)));
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

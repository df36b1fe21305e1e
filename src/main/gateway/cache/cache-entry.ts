import { ChainError, fromHex, hashToDisplay, headerHash, sha256d } from '../../../chain/index.ts';
import { hashOfRawBlock } from '../chain/raw-block.ts';
import { contentRuleOf } from '../methods/method-registry.ts';
import { type Place, placesOf } from '../rpc/json-text.ts';

/**
 * An answer that may be given again. Its text stands in pieces: between them go the caller's id and, where the answer has it, the number
 * of confirmations as it is at that time.
 */
export interface KeptAnswer {
  readonly texts: readonly string[];
  /** What goes after each piece but the last. */
  readonly slots: readonly ('id' | 'confirmations')[];
  /** The block that must be on the main chain for the answer to be true; absent where its content alone makes it true. */
  readonly pin?: string;
  /** Blocks between the one whose confirmations are told and the pinned one, which follows it. */
  readonly below?: number;
  /** With `below`, the block whose confirmations are told: it must be on the main chain too, since an upstream may name a wrong next one. */
  readonly block?: string;
  /** Height of the pinned block, where the answer told it. */
  readonly height?: number;
  /** How deep the block lay when the answer was given; absent where that does not matter. */
  readonly depth?: number;
  /** Its texts are known to be nothing but ASCII. */
  readonly ascii?: boolean;
}

/** Characters of parameters that an answer is kept or shared under. */
const LONGEST_KEY = 64 * 1024;
/**
 * The name an answer is kept under; undefined for parameters whose spelling leaves a doubt whether they mean the same as others, such
 * as numbers with a fraction or an exponent.
 */
export function keyOf(method: string, paramsText: string): string | undefined {
  if (paramsText.length > LONGEST_KEY) return undefined;
  if (paramsText === '[]') return method;
  const text = paramsText.includes(' ') ? paramsText.replace(/"[^"]*"| /g, withoutSpace) : paramsText;
  return /^[[\]{}"A-Za-z0-9_,:*-]*$/.test(text) ? `${method}${text}` : undefined;
}

let unnamed = 0;

/** What a call under way is told by that {@link keyOf} has no name for. Long ones are not shared: comparing megabytes costs more than asking. */
export function nameOf(method: string, paramsText: string): string {
  if (paramsText.length <= LONGEST_KEY) return `${method} ${paramsText}`;
  unnamed += 1;
  return `${method} #${unnamed}`;
}

/** Spaces between the values mean nothing; one inside a string does. */
function withoutSpace(part: string): string {
  return part === ' ' ? '' : part;
}

/** An answer as it came: the text around the id. */
export interface AnswerText {
  readonly before: string;
  readonly after: string;
  /** Known to be nothing but ASCII. */
  readonly ascii?: boolean;
}

/** Whether an answer is a block in hex. */
export function isRawBlock(method: string, result: unknown): result is string {
  return (method === 'getblock' || method === 'getblockbyheight') && typeof result === 'string';
}

/**
 * What of a block in hex can be kept: only with its transactions checked, which for a large one takes several turns of the event loop.
 * @param text as of {@link keep}
 */
export async function keepRawBlock(
  method: string,
  params: readonly unknown[],
  { before, after }: AnswerText,
  result: string,
): Promise<KeptAnswer | undefined> {
  const fixed: KeptAnswer = { texts: [before, after], slots: ['id'] };
  const hash = await hashOfRawBlock(result);
  if (hash === undefined) return undefined;
  if (method === 'getblock') return hash === lower(params[0]) ? fixed : undefined;
  return { ...fixed, pin: hash, height: params[0] as number, depth: 1 };
}

/**
 * What of an answer can be kept; of a raw block see {@link keepRawBlock}.
 * @param text the whole answer; the id stands between `before` and `after`
 * @param result its parsed result
 * @param params as they were sent
 * @returns undefined where it says something that a block, a spend or a reorganisation may change in a way that cannot be computed here
 */
export function keep(
  method: string,
  params: readonly unknown[],
  text: AnswerText,
  result: unknown,
): KeptAnswer | undefined {
  const kept = keepText(method, params, text, result);
  return kept !== undefined && text.ascii === true ? { ...kept, ascii: true } : kept;
}

function keepText(
  method: string,
  params: readonly unknown[],
  { before, after }: AnswerText,
  result: unknown,
): KeptAnswer | undefined {
  const fixed: KeptAnswer = { texts: [before, after], slots: ['id'] };
  switch (contentRuleOf(method)) {
    case 'block':
      if (typeof result === 'string') return hashOfHeader(result) === lower(params[0]) ? fixed : undefined;
      return withHeader(before, after, result, resultPlace(before, after));
    case 'block-by-height':
      return withHeader(before, after, result, resultPlace(before, after));
    case 'hash-at-height':
      return isHash(result) ? { ...fixed, pin: result, height: params[0] as number, depth: 1 } : undefined;
    case 'stats':
      return isHash(lower(params[0])) ? { ...fixed, pin: lower(params[0]), depth: 1 } : undefined;
    case 'stats-by-height': {
      const { blockhash } = (result ?? {}) as { blockhash?: unknown };
      return isHash(blockhash) ? { ...fixed, pin: blockhash, height: params[0] as number, depth: 1 } : undefined;
    }
    case 'transaction':
      return withBlock(before, after, result, params);
    case 'txout-proof': {
      const pin = typeof result === 'string' ? hashOfBlock(result) : undefined;
      return pin === undefined ? undefined : { ...fixed, pin, depth: 1 };
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
      const pin = root ? lower(params[0]) : isHash(target) ? target : hashOfBlock(target);
      return isHash(pin) ? { ...fixed, pin, depth: 1 } : undefined;
    }
    case undefined:
      return undefined;
  }
}

/** The text of a kept answer for one caller. */
export function render(answer: KeptAnswer, idText: string, confirmations: number): string {
  const { texts, slots } = answer;
  let text = texts[0] as string;
  for (let index = 0; index < slots.length; index++) {
    text += slots[index] === 'id' ? idText : String(confirmations);
    text += texts[index + 1] as string;
  }
  return text;
}

/** The raw transaction a verbose answer holds, with the block it is in, for an answer to the plain question. */
export function rawOf(txid: string, result: unknown): { hex: string; mined: boolean } | undefined {
  const { hex, blockhash, confirmations } = (result ?? {}) as Record<string, unknown>;
  if (typeof hex !== 'string' || !isTransaction(hex, txid)) return undefined;
  return { hex, mined: isHash(blockhash) && typeof confirmations === 'number' && confirmations > 0 };
}

/** The answer to the plain question, kept under the same conditions as the verbose one. */
export function keepRaw({ before, after }: AnswerText, verbose: KeptAnswer): KeptAnswer {
  const { pin, height, depth } = verbose;
  return {
    texts: [before, after],
    slots: ['id'],
    ...(pin === undefined ? {} : { pin }),
    ...(height === undefined ? {} : { height }),
    ...(depth === undefined ? {} : { depth }),
  };
}

/** Where the value of `result` stands in `before + after`; undefined where the id comes first. */
function resultPlace(before: string, after: string): Place | undefined {
  // The id's place is empty here, so something is put there for the text to read as JSON.
  const place = placesOf(`${before}0${after}`).get('result');
  return place !== undefined && place.end <= before.length ? place : undefined;
}

/**
 * An object with a HEADER in it. Only where the next block is told: that block is then the pin, since with it on the main chain
 * everything but the confirmations stays as it is.
 */
function withHeader(before: string, after: string, header: unknown, at: Place | undefined): KeptAnswer | undefined {
  const { hash, height, confirmations, nextblockhash } = (header ?? {}) as Record<string, unknown>;
  if (at === undefined || !isHash(hash) || !isHash(nextblockhash)) return undefined;
  if (!Number.isSafeInteger(height) || !Number.isSafeInteger(confirmations) || (confirmations as number) < 2) {
    return undefined;
  }
  const texts = around(before, after, at);
  return (
    texts && {
      ...texts,
      pin: nextblockhash,
      height: (height as number) + 1,
      below: 1,
      block: hash,
      depth: (confirmations as number) - 1,
    }
  );
}

/** A verbose transaction that is in a block of the main chain. */
function withBlock(before: string, after: string, result: unknown, params: readonly unknown[]): KeptAnswer | undefined {
  const { blockhash, blockheight, confirmations, hex } = (result ?? {}) as Record<string, unknown>;
  const at = resultPlace(before, after);
  if (at === undefined || !isHash(blockhash) || typeof hex !== 'string') return undefined;
  if (!Number.isSafeInteger(confirmations) || (confirmations as number) < 1) return undefined;
  if (!isTransaction(hex, lower(params[0]))) return undefined;
  const texts = around(before, after, at);
  return (
    texts && {
      ...texts,
      pin: blockhash,
      below: 0,
      depth: confirmations as number,
      ...(Number.isSafeInteger(blockheight) ? { height: blockheight as number } : {}),
    }
  );
}

/** The text cut around the confirmations and the id. */
function around(before: string, after: string, object: Place): Pick<KeptAnswer, 'texts' | 'slots'> | undefined {
  const place = placesOf(before, object.start).get('confirmations');
  if (place === undefined) return undefined;
  return {
    texts: [before.slice(0, place.start), before.slice(place.end), after],
    slots: ['confirmations', 'id'],
  };
}

function isTransaction(hex: string, txid: string): boolean {
  try {
    return hashToDisplay(sha256d(fromHex(hex))) === txid;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

function hashOfHeader(hex: string): string | undefined {
  return hex.length === 160 ? hashOfBlock(hex) : undefined;
}

/** Hash of the header that headers and merkle blocks begin with. */
function hashOfBlock(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[0-9a-f]{160}/.test(value)) return undefined;
  return headerHash(fromHex(value.slice(0, 160)));
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

import { type AnswerBasis, type Failure, type PlanchetError, withHint } from '../../../contract/index.ts';
import type { CacheEntry } from '../cache/cache-entry.ts';
import { errorReply, rpcCodes, statusOf } from '../messages/message.ts';
import type { LocalAnswer } from '../methods/local-handlers.ts';
import type { PublicAnswer } from '../public/public-answers.ts';
import type { UpstreamAnswer } from '../upstream/answers/response.ts';
import { retryAfterOf } from '../upstream/errors.ts';

/** Most characters of a failure's reason in the traffic. */
export const LONGEST_REASON = 500;
const LINE_FEED = 0x0a;

export type Source = 'upstream' | 'shared' | 'cache' | 'local' | 'stale' | AnswerBasis;

/** Where an answer came from. */
export interface RestsOn {
  readonly source: Source;
  /** What a cached answer rests on that no node gave. */
  readonly basis?: AnswerBasis;
}

export function restsOn(reply: Reply): RestsOn {
  const { source } = reply;
  return reply.kind === 'whole' && reply.basis ? { source, basis: reply.basis } : { source };
}

/** What an answer rests on that no node gave; undefined for any other. */
export function basisOf({ source, basis }: RestsOn): AnswerBasis | undefined {
  if (basis !== undefined) return basis;
  return source === 'proven' || source === 'agreed' || source === 'told' ? source : undefined;
}

export interface WholeReply extends RestsOn {
  readonly kind: 'whole';
  readonly status: number;
  /** A JSON object without its {@link end}. */
  readonly text: string;
  /** The line end the node sends after it, if it sends one. Apart, so that a batch needs no copy of the text without it. */
  readonly end: string;
  /** The text is known to be all ASCII, so that its bytes need not be counted. */
  readonly ascii?: boolean;
  /** Seconds since an upstream confirmed the tip that the reply rests on; set if no upstream can be asked. */
  readonly age?: number;
  readonly reason?: string;
  /** The same as an entry of the error catalogue, unless it is the node's. */
  readonly failure?: Failure;
  /** No upstream could be asked. */
  readonly unreachable?: true;
  /** Seconds after which to try again, if the upstreams named a time. */
  readonly retryAfter?: number;
}

export type Reply =
  | WholeReply
  /** A success that is streamed. A failure from here on can only be reported by closing the connection. */
  | {
      readonly kind: 'flowing';
      readonly pieces: AsyncIterable<Uint8Array>;
      readonly source: Source;
      readonly age?: number;
      discard(): void;
    };

export type Result = UpstreamAnswer & { kind: 'result' };

export function whole(status: number, text: string, source: Source, end = '\n'): WholeReply {
  return { kind: 'whole', status, text, end, source };
}

/** An upstream's result, under the client's id. */
export function resultWhole({ before, after, ascii, age }: Result, source: Source, idText: string): Reply {
  const end = lineEndOf(after);
  const text = before + idText + (end === '' ? after : after.slice(0, -1));
  const plain = ascii === true && isPlain(idText);
  return { kind: 'whole', status: 200, text, end, source: age === undefined ? source : 'stale', ascii: plain, age };
}

/** A cache hit, with the current number of confirmations. */
export function cachedReply(entry: CacheEntry, idText: string, confirmations: number): WholeReply {
  const { texts, slots } = entry;
  const last = texts[slots.length] as string;
  const end = lineEndOf(last);
  let text = '';
  for (let index = 0; index < slots.length; index++) {
    text += texts[index] as string;
    text += slots[index] === 'id' ? idText : String(confirmations);
  }
  text += end === '' ? last : last.slice(0, -1);
  return { kind: 'whole', status: 200, text, end, source: 'cache', ascii: entry.ascii === true && isPlain(idText) };
}

function lineEndOf(text: string): string {
  return text.charCodeAt(text.length - 1) === LINE_FEED ? '\n' : '';
}

/** Whether a short text is ASCII, without a call out of JavaScript. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** An error, with the HTTP status that goes with its code. */
export function errorWhole(error: { code: number; message: string }, idText: string, source: Source): WholeReply {
  const { code, message } = error;
  return { ...whole(statusOf(code), errorReply({ idText, code, message }), source), reason: message };
}

/** The reply for an answer that needed no node. */
export function localReply(own: LocalAnswer, idText: string): Reply {
  if ('result' in own) {
    return whole(200, `{"result":${own.result},"error":null,"id":${idText}}`, 'local', own.streamed ? '' : '\n');
  }
  return errorWhole(own, idText, 'local');
}

export function publicReply(answer: PublicAnswer, idText: string): Reply {
  if ('error' in answer) return faultReply(answer.error, idText, 'local');
  const { basis } = answer;
  if ('pieces' in answer) {
    // a generator that was not started ends at once
    const discard = (): void => void answer.pieces.return(undefined).catch(() => {});
    return { kind: 'flowing', pieces: around(answer.pieces, idText), source: basis, discard };
  }
  if ('result' in answer) {
    const end = answer.streamed ? '' : '\n';
    return whole(200, `{"result":${answer.result},"error":null,"id":${idText}}`, basis, end);
  }
  return errorWhole(answer, idText, basis);
}

async function* around(pieces: AsyncGenerator<string>, idText: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"result":');
  for await (const piece of pieces) yield Buffer.from(piece);
  yield Buffer.from(`,"error":null,"id":${idText}}`);
}

/** The reply for an upstream's answer, with the client's id. */
export function replyTo(answer: UpstreamAnswer, source: Source, idText: string): Reply {
  switch (answer.kind) {
    case 'result':
      return resultWhole(answer, source, idText);
    case 'flowing': {
      const { age } = answer;
      return { kind: 'flowing', pieces: answer.pieces(idText), source, age, discard: () => answer.discard() };
    }
    case 'error':
      return { ...errorWhole(answer, idText, source), age: answer.age };
  }
}

/**
 * The reply if no upstream has answered.
 * @param unreachable no upstream could be asked
 * @param retryAfter seconds, if the upstreams want fewer calls; the status is HTTP 503 then
 */
export function upstreamFault(error: PlanchetError, idText: string, unreachable = false, retryAfter?: number): Reply {
  // Nothing was asked, so nothing came from there.
  const reply = faultReply(error, idText, error.toFailure().id === 'upstream.not-asked' ? 'local' : 'upstream');
  const told = retryAfter === undefined ? reply : { ...reply, status: 503, retryAfter };
  return unreachable ? { ...told, unreachable } : told;
}

function faultReply(error: PlanchetError, idText: string, source: Source): WholeReply {
  const reply = {
    ...errorWhole({ code: rpcCodes.misc, message: withHint(error) }, idText, source),
    failure: error.toFailure(),
  };
  const retryAfter = retryAfterOf(error);
  return error.code === 'quota-exceeded' && retryAfter !== undefined ? { ...reply, status: 429, retryAfter } : reply;
}

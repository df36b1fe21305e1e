import { httpStatusOf, PlanchetError, withHint } from '../../../contract/index.ts';
import { isOver } from '../../async/left-until.ts';
import type { AskingProgram } from '../../ports/approvals.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RpcDispatcher } from '../rpc/dispatcher.ts';
import type { NodeClient } from '../upstream/client.ts';
import { retryAfterOf } from '../upstream/errors.ts';
import type { Asked } from '../upstream/http-request.ts';
import { commandsOf, pathOf, type RestQuery, readRestPath } from './path.ts';
import { contentTypes, failedAnswer, type RestAnswer, typed } from './response.ts';
import { callOf, RestByRpc } from './rest-by-rpc.ts';

/** Answers up to this size are read as a whole; larger ones are streamed. */
const WHOLE_BYTES = 128 * 1024;
/** Most paths to remember. The content of a path that is read a second time is cached. */
const MAX_SEEN = 20_000;

export interface RestRequest {
  readonly body: Buffer;
  readonly range: string | undefined;
  /** Why the client may not use a command; undefined if it may. */
  mayCall(method: string): string | undefined;
  readonly signal: AbortSignal;
  /** Who asks; undefined for nobody known. */
  readonly program?: AskingProgram | undefined;
}

export interface RestOptions {
  dispatcher: Pick<RpcDispatcher, 'call' | 'lookUp'>;
  upstream: Pick<NodeClient, 'rest'>;
  /** Whether there is a node whose own paths are asked first. */
  asksNode: () => boolean;
  clock: Clock;
  /** Milliseconds for which an answer that depends on the tip is shared; 0 to share none. */
  shareFor: () => number;
  /** Rises whenever the tip may have moved. */
  generation: () => number;
  /** Whether an upstream is known to have the tip that clients have seen. */
  hasTip: (origin: string) => boolean;
}

interface Shared {
  readonly answer: Promise<Asked | undefined>;
  readonly at: number;
  readonly generation: number;
}

/**
 * The REST paths of a node (node-rpc.md section 6). They are answered from the cache, else through the upstream's REST paths, or through
 * its RPC commands if it has no REST paths. A key may read the paths of the commands that it may call.
 */
export class Rest {
  readonly #options: RestOptions;
  readonly #byRpc: RestByRpc;
  readonly #seen = new Set<string>();
  readonly #shared = new Map<string, Shared>();

  constructor(options: RestOptions) {
    this.#options = options;
    this.#byRpc = new RestByRpc(options.dispatcher);
  }

  /** Returns an answer for refusals and failures too. It throws only if the client has left. */
  async answer(url: string, request: RestRequest): Promise<RestAnswer> {
    try {
      const query = readRestPath(url, request.body);
      for (const method of commandsOf(query)) {
        const forbidden = request.mayCall(method);
        if (forbidden !== undefined) throw new PlanchetError('rest.forbidden', { reason: forbidden });
      }
      return await this.#answer(query, request);
    } catch (error) {
      if (!(error instanceof PlanchetError)) throw error;
      // a node answers an unknown path without a body
      if (error.id === 'rest.path-unknown') return failedAnswer(httpStatusOf(error), '');
      if (error.id?.startsWith('rest.')) return failedAnswer(httpStatusOf(error), error.message, retryAfterOf(error));
      return { ...failedAnswer(503, withHint(error), retryAfterOf(error)), failure: error.toFailure() };
    }
  }

  async #answer(query: RestQuery, request: RestRequest): Promise<RestAnswer> {
    const call = callOf(query);
    const { dispatcher } = this.#options;
    if (call !== undefined && query.kind !== 'headers' && query.kind !== 'utxos') {
      const known = dispatcher.lookUp(call);
      if (known.kind !== 'unanswered' || known.entry !== undefined || known.onDisk) {
        return this.#byRpc.made(query, await dispatcher.call(call, request.signal, known, request.program), request);
      }
    }
    const path = pathOf(query);
    // the second time, the dispatcher asks and caches the answer
    if (this.#options.asksNode() && !this.#seen.has(path)) {
      const asked = await (query.kind === 'plain' ? this.#share(path) : this.#ask(query, path, request));
      // an upstream that may be behind is asked through commands, whose answers are compared with the known tip
      if (asked !== undefined && !this.#options.hasTip(asked.origin)) void asked.rest?.return?.();
      else if (asked !== undefined) {
        if (call !== undefined && query.kind !== 'plain' && asked.status === 200 && asked.rest === undefined) {
          if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
          this.#seen.add(path);
        }
        return passedOn(asked, query);
      }
    }
    return this.#byRpc.answer(query, request);
  }

  #ask(query: RestQuery, path: string, request: RestRequest): Promise<Asked | undefined> {
    const extension = extensionOf(query);
    const type = contentTypes[extension];
    const range = query.kind === 'block' && extension === 'bin' ? request.range : undefined;
    return this.#options.upstream.rest(path, { type, range, signal: request.signal, wholeBytes: WHOLE_BYTES });
  }

  /** Shares one request for data that depends on the tip, for a short time. */
  async #share(path: string): Promise<Asked | undefined> {
    const { clock, generation, shareFor, upstream } = this.#options;
    const shared = this.#shared.get(path);
    if (shared !== undefined && shared.generation === generation() && !isOver(shareFor(), shared.at, clock.now())) {
      const asked = await shared.answer;
      // a stream has only one reader
      if (asked?.rest === undefined) return asked;
    }
    const answer = upstream.rest(path, { type: contentTypes.json, range: undefined, wholeBytes: WHOLE_BYTES });
    const fresh = { answer, at: clock.now(), generation: generation() };
    this.#shared.set(path, fresh);
    answer.catch(() => this.#shared.get(path) === fresh && this.#shared.delete(path));
    return answer;
  }
}

function extensionOf(query: RestQuery): keyof typeof contentTypes {
  return query.kind === 'plain' ? 'json' : query.extension;
}

/** Passes on an upstream's answer, with the node's content type. */
function passedOn({ status, headers, bytes, rest }: Asked, query: RestQuery): RestAnswer {
  const source = 'upstream';
  if (status >= 300) return failedAnswer(status, bytes.toString('utf8').trimEnd());
  const range = headers['content-range'];
  const length = headers['content-length'];
  const shown = {
    ...typed(extensionOf(query)),
    ...(range && { 'content-range': range }),
    // so that a client notices a truncated answer
    ...(length && { 'content-length': length }),
  };
  if (rest === undefined) return { status, headers: shown, body: bytes, source };
  const body = flowing(bytes, rest);
  return { status, headers: shown, body, source, discard: () => void rest.return?.() };
}

async function* flowing(bytes: Buffer, rest: AsyncIterableIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield bytes;
    yield* rest;
  } finally {
    // a reader may leave at the first piece, before the rest is asked for anything
    await rest.return?.();
  }
}

import { type GatewayStatus, PlanchetError } from '../../../contract/index.ts';
import { isOver } from '../../async/left-until.ts';
import type { AskingProgram } from '../../ports/approvals.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BroadcastSender, NodeBroadcast } from '../../ports/merchant/broadcast.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { type CacheEntry, cacheKey, entryFor, entryForRawBlock, isRawBlock, requestKey } from '../cache/cache-entry.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { ChainView } from '../chain/chain-view.ts';
import type { RpcCall } from '../messages/message.ts';
import type { LocalCommands } from '../methods/local-commands.ts';
import type { LocalAnswer } from '../methods/local-handlers.ts';
import { findBroadcastMethod, findMethod } from '../methods/method-registry.ts';
import type { CachePolicy } from '../methods/method-row.ts';
import { isLacking, type PublicAnswers } from '../public/public-answers.ts';
import { retryAfterOf } from '../upstream/errors.ts';
import { BlockChecks } from './block-checks.ts';
import { CachedReplies, secondsOf } from './cached-replies.ts';
import { UpstreamCalls, type UpstreamCallsOptions } from './in-flight-request.ts';
import { inSteps, type PendingReply, promised, type ReplyListener } from './pending-reply.ts';
import { PublicReplies } from './public-replies.ts';
import {
  errorWhole,
  localReply,
  type Reply,
  type Result,
  replyTo,
  resultWhole,
  upstreamFault,
  whole,
} from './reply.ts';
import { SeenTransactions } from './seen-transactions.ts';

/** The program of a call whose client is unknown. A person is asked about it like about any other. */
const unknownProgram: AskingProgram = { id: 'unknown', name: 'unknown' };
/** Most entries of policy `tip`. */
const MAX_SHARED = 2_000;

export interface RpcDispatcherOptions extends UpstreamCallsOptions {
  chain: ChainView;
  cache: ResponseCache;
  local: LocalCommands;
  clock: Clock;
  /** Takes what is sent; without it nothing can be. */
  broadcast?: NodeBroadcast | undefined;
  /** Answers without a node; left out where there is always one. */
  withoutNode?: PublicAnswers | undefined;
  /** Milliseconds for which an answer that depends on the tip is shared; 0 to share none. */
  shareFor: () => number;
}

interface Shared {
  readonly answer: Result;
  readonly at: number;
  readonly generation: number;
}

/** What is known about a call that needs an upstream. It is looked up once per request. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly policy: CachePolicy;
  /** Equal for equivalent calls. */
  readonly key: string;
  /** A cached answer for which the chain must confirm that its block is still part of it. */
  readonly entry: CacheEntry | undefined;
  /** The answer may be in the cache on disk. */
  readonly onDisk: boolean;
}

/**
 * Answers calls locally if the answer is certain, else through the upstream. An upstream's answer is passed on unchanged except for the id,
 * which is the client's, and the HTTP status, which follows the error code even if the upstream always sends 200.
 */
export class RpcDispatcher {
  readonly #options: RpcDispatcherOptions;
  readonly #upstreamCalls: UpstreamCalls;
  readonly #shared = new Map<string, Shared>();
  readonly #seen: SeenTransactions;
  readonly #blocks = new BlockChecks();
  readonly #cached: CachedReplies;
  readonly #public: PublicReplies | undefined;
  /** Answers served again because the tip had not moved. */
  #tipHits = 0;
  #local = 0;

  constructor(options: RpcDispatcherOptions) {
    this.#options = options;
    this.#upstreamCalls = new UpstreamCalls(options);
    this.#seen = new SeenTransactions(this.#upstreamCalls, options);
    this.#cached = new CachedReplies(options.chain);
    this.#public = options.withoutNode && new PublicReplies(options.withoutNode, options.cache);
  }

  /** Rises whenever the tip may have moved. */
  get generation(): number {
    return this.#options.chain.generation;
  }

  figures(): Pick<GatewayStatus['cache'], 'hits' | 'shared' | 'local' | 'misses'> {
    const { shared, started } = this.#upstreamCalls;
    const other = this.#public?.figures() ?? { hits: 0, shared: 0, started: 0, stored: 0 };
    return {
      hits: this.#tipHits + this.#cached.hits + other.hits,
      shared: shared + other.shared,
      local: this.#local + other.stored,
      misses: started + other.started,
    };
  }

  /** Answers a call without an upstream if possible. @returns otherwise, what {@link request} needs */
  lookUp(call: RpcCall): Reply | Unanswered {
    const { method, paramsText, idText } = call;
    const row = findMethod(method);
    const own = row?.local && this.#options.local.answer(method, paramsText);
    if (own !== undefined) return this.#localReply(own, idText);
    const key = cacheKey(method, paramsText);
    if (key === undefined) return unanswered('none', requestKey(method, paramsText));
    const policy = row?.cache?.policy ?? 'none';
    if (this.#options.withoutNode?.source === 'public')
      return (policy === 'content' ? this.#public?.lookUp(call, key) : undefined) ?? unanswered(policy, key);
    if (policy === 'none') return unanswered(policy, key);
    if (policy === 'tip') {
      const shared = this.#shared.get(key);
      if (shared === undefined || !this.#holds(shared)) return unanswered(policy, key);
      this.#tipHits += 1;
      return resultWhole(shared.answer, 'cache', idText);
    }
    const { cache } = this.#options;
    const entry = cache.get(key);
    if (entry === undefined) return unanswered(policy, key, undefined, cache.mayBeOnDisk(key));
    return this.#cached.fresh(entry, idText) ?? unanswered(policy, key, entry);
  }

  /**
   * {@link lookUp} and {@link request} in one, as a promise, for callers that wait for several replies.
   * @param signal aborts when the client has left
   * @param known what {@link lookUp} found
   * @param program who calls, for what a person has to approve
   */
  call(
    call: RpcCall,
    signal: AbortSignal | undefined,
    known = this.lookUp(call),
    program?: AskingProgram,
  ): Reply | Promise<Reply> {
    if (known.kind !== 'unanswered') return known;
    return promised((onReply, onError) => this.request(call, known, { onReply, onError }, program), signal);
  }

  /**
   * Answers a call for which {@link lookUp} has no reply. Whatever the upstream does, there is a reply: an upstream that is unreachable,
   * late, cut off or not a node gives an error reply with code -1 (HTTP 500), whose message says what happened.
   */
  request(call: RpcCall, known: Unanswered, listener: ReplyListener, program = unknownProgram): PendingReply {
    const { broadcast, withoutNode } = this.#options;
    if (broadcast !== undefined && findBroadcastMethod(call.method) !== undefined)
      return inSteps((signal) => this.#broadcast(broadcast, call, { program, signal }), listener);
    const source = withoutNode?.source ?? 'node';
    const answers = this.#public;
    if (answers === undefined || source === 'node') return this.#askNode(call, known, listener);
    if (source === 'both')
      return inSteps((signal) => this.#nodeFirst(answers, call, { known, program, signal }), listener);
    if (this.#options.local.takesTurns(call.method, call.paramsText))
      return inSteps((signal) => this.#decode(call, known.key, signal), listener);
    return inSteps((signal) => answers.reply(call, keptAs(known), signal, program), listener);
  }

  #askNode(call: RpcCall, { policy, key, entry, onDisk }: Unanswered, listener: ReplyListener): PendingReply {
    if (entry !== undefined) return inSteps((signal) => this.#revalidate(call, key, entry, signal), listener);
    if (onDisk) return inSteps((signal) => this.#fromDisk(call, key, signal), listener);
    const { method, paramsText } = call;
    if (method === 'getrawtransaction' && policy === 'content' && this.#seen.wasSeen(key)) {
      return inSteps((signal) => this.#fetchSeen(call, key, signal), listener);
    }
    if (this.#options.local.takesTurns(method, paramsText)) {
      return inSteps((signal) => this.#decode(call, key, signal), listener);
    }
    return this.#ask(call, key, policy, listener);
  }

  /** Asks public services for what the node cannot answer. If they cannot either, the node's reply stands. */
  async #nodeFirst(
    answers: PublicReplies,
    call: RpcCall,
    { known, program, signal }: { known: Unanswered; program: AskingProgram; signal: AbortSignal },
  ): Promise<Reply> {
    const reply = await promised<Reply>((onReply, onError) => this.#askNode(call, known, { onReply, onError }), signal);
    if (this.#options.withoutNode?.has(call.method) !== true || !isWithoutAnswer(reply)) return reply;
    const other = await answers.reply(call, keptAs(known), signal, program);
    return other.kind === 'flowing' || other.status === 200 ? other : reply;
  }

  /** A client that leaves does not take back what it sent. */
  async #broadcast(broadcast: NodeBroadcast, call: RpcCall, from: BroadcastSender): Promise<Reply> {
    const answer = await broadcast.send(call.method, JSON.parse(call.paramsText) as unknown[], from);
    const own = 'result' in answer ? { result: JSON.stringify(answer.result), streamed: false } : answer;
    return this.#localReply(own, call.idText);
  }

  /** Sends one call to the upstream. */
  #ask(call: RpcCall, key: string, policy: CachePolicy, { onReply, onError }: ReplyListener): PendingReply {
    const learn = this.#learner(call, key, policy);
    const tell = (make: () => Reply): void => {
      let reply: Reply;
      try {
        reply = make();
      } catch (error) {
        onError(error);
        return;
      }
      onReply(reply);
    };
    return this.#upstreamCalls.subscribe(call, key, this.#options.chain.generation, {
      onAnswer: (answer, source) =>
        tell(() => {
          if (answer.kind === 'result' && source === 'upstream' && answer.age === undefined) learn?.(answer);
          return replyTo(answer, source, call.idText);
        }),
      onFailure: (error) => tell(() => this.#withoutAnswer(error, call)),
    });
  }

  #fetch(call: RpcCall, key: string, policy: CachePolicy, signal: AbortSignal): Promise<Reply> {
    return promised((onReply, onError) => this.#ask(call, key, policy, { onReply, onError }), signal);
  }

  /** Decodes input that is too long for one turn of the event loop. */
  async #decode(call: RpcCall, key: string, signal: AbortSignal): Promise<Reply> {
    const own = await this.#options.local.decodeInTurns(call.method, call.paramsText);
    return own === undefined ? this.#fetch(call, key, 'none', signal) : this.#localReply(own, call.idText);
  }

  /** Makes the function that caches or shares a result; undefined if neither applies. */
  #learner({ method, paramsText }: RpcCall, key: string, policy: CachePolicy): ((answer: Result) => void) | undefined {
    if (policy === 'none') return undefined;
    if (policy === 'tip') {
      const at = this.#options.clock.now();
      const { generation } = this.#options.chain;
      return (answer) => {
        if (generation !== this.#options.chain.generation) return;
        if (this.#shared.size >= MAX_SHARED) this.#shared.clear();
        this.#shared.set(key, { answer, at, generation });
      };
    }
    return (answer) => {
      const params = JSON.parse(paramsText) as unknown[];
      if (isRawBlock(method, answer.result)) {
        this.#learnBlock(key, () => entryForRawBlock(method, params, answer));
        return;
      }
      const entry = entryFor(method, params, answer);
      if (entry !== undefined) this.#options.cache.set(key, entry);
    };
  }

  #learnBlock(key: string, check: () => Promise<CacheEntry | undefined>): void {
    const { chain, cache } = this.#options;
    const { reorganisations } = chain;
    this.#blocks.add(check, (entry) => {
      // a reorganisation may have invalidated it meanwhile
      if (entry.anchor === undefined || reorganisations === chain.reorganisations) cache.set(key, entry);
    });
  }

  #localReply(own: LocalAnswer, idText: string): Reply {
    this.#local += 1;
    return localReply(own, idText);
  }

  #holds({ at, generation }: Shared): boolean {
    const { chain, clock, shareFor } = this.#options;
    return generation === chain.generation && !isOver(shareFor(), at, clock.now());
  }

  /** Serves a cached answer if its block is still part of the chain, else asks for it again. */
  async #revalidate(call: RpcCall, key: string, entry: CacheEntry, signal: AbortSignal): Promise<Reply> {
    const reply = await this.#cached.confirmed(entry, call.idText);
    if (reply !== undefined) return reply;
    this.#options.cache.drop(key);
    return this.#fetchContent(call, key, signal);
  }

  async #fromDisk(call: RpcCall, key: string, signal: AbortSignal): Promise<Reply> {
    const entry = await this.#options.cache.load(key);
    if (entry === undefined) return this.#fetchContent(call, key, signal);
    return this.#cached.fresh(entry, call.idText) ?? this.#revalidate(call, key, entry, signal);
  }

  #fetchContent(call: RpcCall, key: string, signal: AbortSignal): Promise<Reply> {
    const seen = call.method === 'getrawtransaction' && this.#seen.wasSeen(key);
    return seen ? this.#fetchSeen(call, key, signal) : this.#fetch(call, key, 'content', signal);
  }

  /** Fetches a transaction that was requested before. */
  async #fetchSeen(call: RpcCall, key: string, signal: AbortSignal): Promise<Reply> {
    return (await this.#seen.fetch(call, key, signal)) ?? this.#fetch(call, key, 'content', signal);
  }

  /** The reply if no upstream has answered. @throws the error if it is not one of theirs */
  #withoutAnswer(error: unknown, call: RpcCall): Reply {
    if (error instanceof NodeRpcError) return errorWhole(error, call.idText, 'upstream');
    if (!(error instanceof PlanchetError)) throw error;
    const unreachable = error.code.startsWith('upstream-');
    return this.#lastKnown(call, upstreamFault(error, call.idText, unreachable, retryAfterOf(error)));
  }

  /** Without any upstream, the last known tip is served together with its age. */
  #lastKnown({ method, paramsText, idText }: RpcCall, reply: Reply): Reply {
    const { chain } = this.#options;
    if (reply.kind !== 'whole' || reply.unreachable !== true || chain.tip === null) return reply;
    const answer = (value: string): Reply => ({
      ...whole(200, `{"result":${value},"error":null,"id":${idText}}`, 'stale'),
      age: secondsOf(chain),
    });
    if (method === 'getblockcount') return answer(String(chain.tip.height));
    if (method === 'getbestblockhash') return answer(`"${chain.tip.hash}"`);
    if (method !== 'getblockhash') return reply;
    const hash = chain.hashAt(Number(/^\[(\d{1,9})\]$/.exec(paramsText)?.[1] ?? -1));
    return hash === undefined ? reply : answer(`"${hash}"`);
  }
}

/** The key of a call whose answer may be kept. */
function keptAs({ policy, key }: Unanswered): string | undefined {
  return policy === 'content' ? key : undefined;
}

/** Whether no node was reached, or the node lacks what was asked for. */
function isWithoutAnswer(reply: Reply): boolean {
  if (reply.kind !== 'whole' || (reply.status === 200 && reply.age === undefined)) return false;
  if (reply.unreachable === true || reply.age !== undefined) return true;
  return isLacking((JSON.parse(reply.text) as { error: { code: number; message: string } }).error);
}

function unanswered(policy: CachePolicy, key: string, entry?: CacheEntry, onDisk = false): Unanswered {
  return { kind: 'unanswered', policy, key, entry, onDisk };
}

import { PlanchetError } from '../../../contract/index.ts';
import { type Clock, NodeRpcError } from '../../ports.ts';
import {
  type CacheEntry,
  cacheKey,
  entryFor,
  entryForRawBlock,
  isRawBlock,
  plainEntry,
  rawOf,
  render,
  requestKey,
} from '../cache/cache-entry.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { BlockChecks } from '../chain/block-checks.ts';
import type { ChainView } from '../chain/chain-view.ts';
import type { LocalCommands } from '../methods/local-commands.ts';
import type { LocalAnswer } from '../methods/local-handlers.ts';
import { cachePolicyOf } from '../methods/method-registry.ts';
import type { CachePolicy } from '../methods/method-row.ts';
import { retryAfterOf } from '../upstream/errors.ts';
import type { UpstreamAnswer } from '../upstream/response.ts';
import { type Subscription, UpstreamCalls, type UpstreamCallsOptions } from './in-flight-request.ts';
import type { RpcCall } from './message.ts';
import {
  cachedReply,
  errorWhole,
  localReply,
  type Reply,
  type Result,
  replyTo,
  resultWhole,
  type Source,
  textOf,
  upstreamFault,
  whole,
} from './reply.ts';

/** Entries of policy `tip`. */
const MAX_SHARED = 2_000;
/** Transactions that were asked for once: asked for again, they are worth caching. */
const MAX_SEEN = 20_000;

export interface RpcDispatcherOptions extends UpstreamCallsOptions {
  chain: ChainView;
  cache: ResponseCache;
  local: LocalCommands;
  clock: Clock;
  /** Milliseconds for which an answer of the moment is shared; 0 for not at all. */
  shareFor: () => number;
}

interface Shared {
  readonly answer: Result;
  readonly at: number;
  readonly generation: number;
}

/** Who waits for a reply without a promise. One of the two is called, once. */
export interface Waiter {
  settle(reply: Reply): void;
  fail(error: unknown): void;
}

export interface DispatcherFigures {
  readonly hits: number;
  readonly shared: number;
  readonly local: number;
  readonly misses: number;
}

/**
 * Answers calls: from what is known here where that is certain, and else from the upstream, whose answers pass as they are but for the
 * id, which is the client's again, and the HTTP status, which follows the error's code even where the upstream says 200 to everything.
 */
export class RpcDispatcher {
  readonly #options: RpcDispatcherOptions;
  readonly #calls: UpstreamCalls;
  readonly #shared = new Map<string, Shared>();
  readonly #seen = new Set<string>();
  readonly #figures = { hits: 0, local: 0 };
  readonly #blocks = new BlockChecks();

  constructor(options: RpcDispatcherOptions) {
    this.#options = options;
    this.#calls = new UpstreamCalls(options);
  }

  /** Rises whenever the tip may have moved. */
  get generation(): number {
    return this.#options.chain.generation;
  }

  figures(): DispatcherFigures {
    return { ...this.#figures, shared: this.#calls.shared, misses: this.#calls.started };
  }

  /**
   * Never throws for what the upstream does: an upstream that is away, late, cut off or no node gives an error reply with code -1
   * (HTTP 500), whose message says what happened. Cache hits are returned synchronously.
   * @param leaving the signal that the client has left; called only if the reply is not at hand
   */
  call(call: RpcCall, leaving: () => AbortSignal | undefined): Reply | Promise<Reply> {
    const hit = this.cached(call);
    if (hit !== undefined) return hit;
    const { local } = this.#options;
    return local.takesTurns(call.method, call.paramsText) ? this.#decode(call, leaving) : this.#lookUp(call, leaving);
  }

  /** Decodes long parameters in slices. */
  async #decode(call: RpcCall, leaving: () => AbortSignal | undefined): Promise<Reply> {
    const own = await this.#options.local.decodeInTurns(call.method, call.paramsText);
    return own === undefined ? this.#lookUp(call, leaving) : this.#localReply(own, call.idText);
  }

  /** Answers from the cache after revalidation, or else asks an upstream. */
  #lookUp(call: RpcCall, leaving: () => AbortSignal | undefined): Reply | Promise<Reply> {
    const { method, paramsText } = call;
    const policy = cachePolicyOf(method);
    const key = cacheKey(method, paramsText);
    if (key === undefined || policy === 'none') {
      return this.#fetch(call, key ?? requestKey(method, paramsText), 'none', leaving());
    }
    if (policy === 'tip') return this.#fetch(call, key, policy, leaving());
    const entry = this.#options.cache.get(key);
    if (entry !== undefined) return this.#revalidate(call, key, entry, leaving());
    if (this.#options.cache.mayBeOnDisk(key)) return this.#fromDisk(call, key, leaving());
    return this.#fetchContent(call, key, leaving());
  }

  /**
   * Sends a call that {@link cached} cannot answer, if one upstream request is all it needs. Makes no promise.
   * @returns undefined where there is more to do: {@link call} does it, and the waiter hears nothing
   */
  ask(call: RpcCall, waiter: Waiter): Subscription | undefined {
    const { method, paramsText, idText } = call;
    if (this.#options.local.takesTurns(method, paramsText)) return undefined;
    const key = cacheKey(method, paramsText);
    const policy = key === undefined ? 'none' : cachePolicyOf(method);
    const name = key ?? requestKey(method, paramsText);
    if (policy === 'content' && (method === 'getrawtransaction' || this.mayBeCached(call))) return undefined;
    const learn = this.#learner(call, name, policy);
    return this.#calls.subscribe(call, name, this.#options.chain.generation, {
      onAnswer: (answer, source) => {
        try {
          if (answer.kind === 'result' && source === 'upstream' && answer.age === undefined) learn?.(answer);
          waiter.settle(replyTo(answer, source, idText));
        } catch (error) {
          waiter.fail(error);
        }
      },
      onFailure: (error) => {
        try {
          waiter.settle(this.#withoutAnswer(error, call));
        } catch (fault) {
          waiter.fail(fault);
        }
      },
    });
  }

  /** How a result is cached or shared. */
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
        this.#learnBlock(key, () => entryForRawBlock(method, params, answer, answer.result as string));
        return;
      }
      const entry = entryFor(method, params, answer, answer.result);
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

  /** The reply to a call that needs no upstream: a local answer, or a cache hit that is certain. */
  cached({ method, paramsText, idText }: RpcCall): Reply | undefined {
    const own = this.#options.local.answer(method, paramsText);
    if (own !== undefined) return this.#localReply(own, idText);
    const policy = cachePolicyOf(method);
    const key = policy === 'none' ? undefined : cacheKey(method, paramsText);
    if (key === undefined) return undefined;
    if (policy === 'content') {
      const entry = this.#options.cache.get(key);
      return entry === undefined ? undefined : this.#freshEntry(entry, idText);
    }
    const shared = this.#shared.get(key);
    if (shared === undefined || !this.#holds(shared)) return undefined;
    this.#figures.hits += 1;
    return resultWhole(shared.answer, 'cache', idText);
  }

  #localReply(own: LocalAnswer, idText: string): Reply {
    this.#figures.local += 1;
    return localReply(own, idText);
  }

  /** Whether the cache has an entry for a call. The entry may still need revalidation. */
  mayBeCached({ method, paramsText }: Pick<RpcCall, 'method' | 'paramsText'>): boolean {
    const key = cachePolicyOf(method) === 'content' ? cacheKey(method, paramsText) : undefined;
    const { cache } = this.#options;
    return key !== undefined && (cache.get(key) !== undefined || cache.mayBeOnDisk(key));
  }

  #holds({ at, generation }: Shared): boolean {
    const { chain, clock, shareFor } = this.#options;
    return generation === chain.generation && clock.now() - at < shareFor();
  }

  /** The reply from an entry that is valid without asking an upstream. */
  #freshEntry(entry: CacheEntry, idText: string): Reply | undefined {
    if (entry.anchor === undefined) {
      this.#figures.hits += 1;
      return cachedReply(entry, idText, 0);
    }
    const { chain } = this.#options;
    const height = chain.isFresh() ? chain.heightOf(entry.anchor) : undefined;
    if (height === undefined || (entry.height !== undefined && entry.height !== height)) return undefined;
    if (entry.below === 1 && (entry.block === undefined || chain.heightOf(entry.block) !== height - 1))
      return undefined;
    this.#figures.hits += 1;
    return cachedReply(entry, idText, confirmationsOf(entry, height, chain));
  }

  /** Asks whether an entry's anchor block is still on the main chain. */
  async #revalidate(call: RpcCall, key: string, entry: CacheEntry, signal: AbortSignal | undefined): Promise<Reply> {
    const { chain, cache } = this.#options;
    const anchor = entry.anchor as string;
    try {
      const height = await this.#locate(entry);
      if (height !== undefined) {
        this.#figures.hits += 1;
        return cachedReply(entry, call.idText, confirmationsOf(entry, height, chain));
      }
    } catch (error) {
      if (!(error instanceof PlanchetError)) throw error;
      if (chain.tip === null) return upstreamFault(textOf(error), call.idText);
      // The anchor was on the main chain; a reorganisation since then would have removed the entry.
      const text = render(entry, call.idText, lastConfirmations(entry, chain.heightOf(anchor) ?? entry.height, chain));
      return { ...whole(200, text, 'stale'), age: secondsOf(chain) };
    }
    cache.drop(key);
    return this.#fetchContent(call, key, signal);
  }

  /** Height of an entry's anchor block; undefined if the main chain no longer contains it at that height. */
  async #locate({ anchor, height, below, block }: CacheEntry): Promise<number | undefined> {
    const { chain } = this.#options;
    const at = await chain.locate(anchor as string, height);
    if (at === undefined || (height !== undefined && height !== at)) return undefined;
    if (below !== 1) return at;
    if (block === undefined) return undefined;
    return (await chain.locate(block, at - 1)) === at - 1 && chain.heightOf(anchor as string) === at ? at : undefined;
  }

  async #fromDisk(call: RpcCall, key: string, signal: AbortSignal | undefined): Promise<Reply> {
    const entry = await this.#options.cache.load(key);
    if (entry === undefined) return this.#fetchContent(call, key, signal);
    return this.#freshEntry(entry, call.idText) ?? this.#revalidate(call, key, entry, signal);
  }

  async #fetchContent(call: RpcCall, key: string, signal: AbortSignal | undefined): Promise<Reply> {
    if (call.method === 'getrawtransaction' && this.#wasSeen(key)) {
      const reply = await this.#promoteRaw(call, key, signal);
      if (reply !== undefined) return reply;
    }
    return this.#fetch(call, key, 'content', signal);
  }

  /**
   * A plain answer does not tell whether the transaction is in a block, so the second client's question is put verbosely: that answer
   * holds both.
   * @returns undefined where the verbose answer is of no use
   */
  async #promoteRaw(call: RpcCall, key: string, signal: AbortSignal | undefined): Promise<Reply | undefined> {
    const params = JSON.parse(call.paramsText) as unknown[];
    const [txid, verbose = false] = params;
    if (typeof txid !== 'string' || (verbose !== false && verbose !== 0)) return undefined;
    const asked = JSON.stringify([txid, true]);
    const verboseKey = `getrawtransaction${asked}`;
    const found = await this.#fly({ ...call, paramsText: asked }, verboseKey, signal).catch(() => undefined);
    const { answer, source } = found ?? {};
    if (answer?.kind === 'flowing') answer.discard();
    if (answer?.kind !== 'result' || source === undefined || answer.age !== undefined) return undefined;
    const raw = rawOf(txid.toLowerCase(), answer.result);
    if (raw === undefined) return undefined;
    const plain = { before: `{"result":"${raw.hex}","error":null,"id":`, after: answer.after };
    const entry = raw.mined ? entryFor('getrawtransaction', [txid, true], answer, answer.result) : undefined;
    if (entry !== undefined) {
      this.#options.cache.set(verboseKey, entry);
      this.#options.cache.set(key, plainEntry(plain, entry));
    }
    return whole(200, plain.before + call.idText + plain.after, source);
  }

  #wasSeen(key: string): boolean {
    if (this.#seen.has(key)) return true;
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(key);
    return false;
  }

  async #fetch(call: RpcCall, key: string, policy: CachePolicy, signal: AbortSignal | undefined): Promise<Reply> {
    const learn = this.#learner(call, key, policy);
    try {
      const { answer, source } = await this.#fly(call, key, signal);
      if (answer.kind === 'result' && source === 'upstream' && answer.age === undefined) learn?.(answer);
      return replyTo(answer, source, call.idText);
    } catch (error) {
      return this.#withoutAnswer(error, call);
    }
  }

  /** Sends a call, or joins one that is under way. */
  #fly(
    call: RpcCall,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<{ answer: UpstreamAnswer; source: Source }> {
    return new Promise((resolve, reject) => {
      const ended = (): void => signal?.removeEventListener('abort', leave);
      const subscription = this.#calls.subscribe(call, key, this.#options.chain.generation, {
        onAnswer: (answer, source) => {
          // whom an answer flows to ends it by leaving
          if (answer.kind !== 'flowing') ended();
          resolve({ answer, source });
        },
        onFailure: (error) => {
          ended();
          reject(error as Error);
        },
      });
      const leave = (): void => subscription.leave();
      if (signal?.aborted) leave();
      else signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** What is told where no upstream has answered. @throws the error where it is none of theirs */
  #withoutAnswer(error: unknown, call: RpcCall): Reply {
    if (error instanceof NodeRpcError) return errorWhole(error, call.idText, 'upstream');
    if (!(error instanceof PlanchetError)) throw error;
    const unreachable = error.code.startsWith('upstream-');
    return this.#lastKnown(call, upstreamFault(textOf(error), call.idText, unreachable, retryAfterOf(error)));
  }

  /** With no upstream to ask, what is known of the tip is better than nothing, as long as its age is told. */
  #lastKnown({ method, paramsText, idText }: RpcCall, reply: Reply): Reply {
    const { chain } = this.#options;
    if (reply.kind !== 'whole' || reply.unreachable !== true || chain.tip === null) return reply;
    const answer = (value: string): Reply => ({
      ...whole(200, `{"result":${value},"error":null,"id":${idText}}\n`, 'stale'),
      age: secondsOf(chain),
    });
    if (method === 'getblockcount') return answer(String(chain.tip.height));
    if (method === 'getbestblockhash') return answer(`"${chain.tip.hash}"`);
    if (method !== 'getblockhash') return reply;
    const hash = chain.hashAt(Number(/^\[(\d{1,9})\]$/.exec(paramsText)?.[1] ?? -1));
    return hash === undefined ? reply : answer(`"${hash}"`);
  }
}

function confirmationsOf(entry: CacheEntry, height: number, chain: ChainView): number {
  return (chain.tip?.height ?? height) - (height - (entry.below ?? 0)) + 1;
}

/** Never fewer confirmations than the answer had when it was cached, however old the known tip is. */
function lastConfirmations(entry: CacheEntry, height: number | undefined, chain: ChainView): number {
  const before = (entry.depth ?? 0) + (entry.below ?? 0);
  return height === undefined ? before : Math.max(before, confirmationsOf(entry, height, chain));
}

function secondsOf(chain: ChainView): number {
  return Math.floor(chain.age / 1_000);
}

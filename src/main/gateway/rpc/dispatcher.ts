import { PlanchetError } from '../../../contract/index.ts';
import { type Clock, NodeRpcError } from '../../ports.ts';
import {
  isRawBlock,
  type KeptAnswer,
  keep,
  keepRaw,
  keepRawBlock,
  keyOf,
  nameOf,
  rawOf,
  render,
} from '../cache/cache-entry.ts';
import type { AnswerCache } from '../cache/response-cache.ts';
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
  errorWhole,
  keptWhole,
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

/** Answers of the moment that are held at once. */
const MAX_SHARED = 2_000;
/** Transactions that were asked for once: asked for again, they are worth keeping. */
const MAX_SEEN = 20_000;

export interface RpcDispatcherOptions extends UpstreamCallsOptions {
  chain: ChainView;
  cache: AnswerCache;
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
   * (HTTP 500), whose message says what happened. What is known here is answered at once, without a promise.
   * @param leaving what tells that the client has left; asked for only where there is something to wait for
   */
  call(call: RpcCall, leaving: () => AbortSignal | undefined): Reply | Promise<Reply> {
    const known = this.known(call);
    if (known !== undefined) return known;
    const { local } = this.#options;
    return local.takesTurns(call.method, call.paramsText) ? this.#decode(call, leaving) : this.#look(call, leaving);
  }

  /** Decodes what is too long to be decoded at once. */
  async #decode(call: RpcCall, leaving: () => AbortSignal | undefined): Promise<Reply> {
    const own = await this.#options.local.decodeInTurns(call.method, call.paramsText);
    return own === undefined ? this.#look(call, leaving) : this.#localReply(own, call.idText);
  }

  /** Looks where an answer may be kept, and else asks. */
  #look(call: RpcCall, leaving: () => AbortSignal | undefined): Reply | Promise<Reply> {
    const { method, paramsText } = call;
    const keeping = cachePolicyOf(method);
    const key = keyOf(method, paramsText);
    if (key === undefined || keeping === 'none') {
      return this.#fetch(call, key ?? nameOf(method, paramsText), 'none', leaving());
    }
    if (keeping === 'tip') return this.#fetch(call, key, keeping, leaving());
    const kept = this.#options.cache.get(key);
    if (kept !== undefined) return this.#kept(call, key, kept, leaving());
    if (this.#options.cache.mayBeOnDisk(key)) return this.#fromDisk(call, key, leaving());
    return this.#fetchContent(call, key, leaving());
  }

  /**
   * Sends a call for which {@link known} has no answer and one question to the upstream is all that is needed; costs no promise.
   * @returns undefined where there is more to do: {@link call} does it, and the waiter hears nothing
   */
  ask(call: RpcCall, waiter: Waiter): Subscription | undefined {
    const { method, paramsText, idText } = call;
    if (this.#options.local.takesTurns(method, paramsText)) return undefined;
    const key = keyOf(method, paramsText);
    const keeping = key === undefined ? 'none' : cachePolicyOf(method);
    const name = key ?? nameOf(method, paramsText);
    if (keeping === 'content' && (method === 'getrawtransaction' || this.keeps(call))) return undefined;
    const learn = this.#learner(call, name, keeping);
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

  /** What is done with a result besides passing it on. */
  #learner({ method, paramsText }: RpcCall, key: string, keeping: CachePolicy): ((answer: Result) => void) | undefined {
    if (keeping === 'none') return undefined;
    if (keeping === 'tip') {
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
        this.#learnBlock(key, () => keepRawBlock(method, params, answer, answer.result as string));
        return;
      }
      const kept = keep(method, params, answer, answer.result);
      if (kept !== undefined) this.#options.cache.set(key, kept);
    };
  }

  #learnBlock(key: string, check: () => Promise<KeptAnswer | undefined>): void {
    const { chain, cache } = this.#options;
    const { reorganisations } = chain;
    this.#blocks.add(check, (kept) => {
      // what a reorganisation dropped meanwhile does not come back
      if (kept.pin === undefined || reorganisations === chain.reorganisations) cache.set(key, kept);
    });
  }

  /** The answer to a call where nobody needs to be asked for it. */
  known({ method, paramsText, idText }: RpcCall): Reply | undefined {
    const own = this.#options.local.answer(method, paramsText);
    if (own !== undefined) return this.#localReply(own, idText);
    const keeping = cachePolicyOf(method);
    const key = keeping === 'none' ? undefined : keyOf(method, paramsText);
    if (key === undefined) return undefined;
    if (keeping === 'content') {
      const kept = this.#options.cache.get(key);
      return kept === undefined ? undefined : this.#keptNow(kept, idText);
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

  /** Whether the answer to a call is kept here, though perhaps the chain has to be asked whether it is still true. */
  keeps({ method, paramsText }: Pick<RpcCall, 'method' | 'paramsText'>): boolean {
    const key = cachePolicyOf(method) === 'content' ? keyOf(method, paramsText) : undefined;
    const { cache } = this.#options;
    return key !== undefined && (cache.get(key) !== undefined || cache.mayBeOnDisk(key));
  }

  #holds({ at, generation }: Shared): boolean {
    const { chain, clock, shareFor } = this.#options;
    return generation === chain.generation && clock.now() - at < shareFor();
  }

  /** A kept answer whose truth needs no question. */
  #keptNow(kept: KeptAnswer, idText: string): Reply | undefined {
    if (kept.pin === undefined) {
      this.#figures.hits += 1;
      return keptWhole(kept, idText, 0);
    }
    const { chain } = this.#options;
    const height = chain.isFresh() ? chain.heightOf(kept.pin) : undefined;
    if (height === undefined || (kept.height !== undefined && kept.height !== height)) return undefined;
    if (kept.below === 1 && (kept.block === undefined || chain.heightOf(kept.block) !== height - 1)) return undefined;
    this.#figures.hits += 1;
    return keptWhole(kept, idText, confirmationsOf(kept, height, chain));
  }

  /** A kept answer for which the chain has to be asked whether its block is still part of it. */
  async #kept(call: RpcCall, key: string, kept: KeptAnswer, signal: AbortSignal | undefined): Promise<Reply> {
    const { chain, cache } = this.#options;
    const pin = kept.pin as string;
    try {
      const height = await this.#locate(kept);
      if (height !== undefined) {
        this.#figures.hits += 1;
        return keptWhole(kept, call.idText, confirmationsOf(kept, height, chain));
      }
    } catch (error) {
      if (!(error instanceof PlanchetError)) throw error;
      if (chain.tip === null) return upstreamFault(textOf(error), call.idText);
      // The block was on the main chain, and no reorganisation was seen since: that would have dropped the answer.
      const text = render(kept, call.idText, lastConfirmations(kept, chain.heightOf(pin) ?? kept.height, chain));
      return { ...whole(200, text, 'stale'), age: secondsOf(chain) };
    }
    cache.drop(key);
    return this.#fetchContent(call, key, signal);
  }

  /** Height of a kept answer's pinned block, where the main chain is as the answer says. */
  async #locate({ pin, height, below, block }: KeptAnswer): Promise<number | undefined> {
    const { chain } = this.#options;
    const at = await chain.locate(pin as string, height);
    if (at === undefined || (height !== undefined && height !== at)) return undefined;
    if (below !== 1) return at;
    // Kept by an earlier version, which did not note it.
    if (block === undefined) return undefined;
    return (await chain.locate(block, at - 1)) === at - 1 && chain.heightOf(pin as string) === at ? at : undefined;
  }

  async #fromDisk(call: RpcCall, key: string, signal: AbortSignal | undefined): Promise<Reply> {
    const kept = await this.#options.cache.load(key);
    if (kept === undefined) return this.#fetchContent(call, key, signal);
    return this.#keptNow(kept, call.idText) ?? this.#kept(call, key, kept, signal);
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
    const kept = raw.mined ? keep('getrawtransaction', [txid, true], answer, answer.result) : undefined;
    if (kept !== undefined) {
      this.#options.cache.set(verboseKey, kept);
      this.#options.cache.set(key, keepRaw(plain, kept));
    }
    return whole(200, plain.before + call.idText + plain.after, source);
  }

  #wasSeen(key: string): boolean {
    if (this.#seen.has(key)) return true;
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(key);
    return false;
  }

  async #fetch(call: RpcCall, key: string, keeping: CachePolicy, signal: AbortSignal | undefined): Promise<Reply> {
    const learn = this.#learner(call, key, keeping);
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

function confirmationsOf(kept: KeptAnswer, height: number, chain: ChainView): number {
  return (chain.tip?.height ?? height) - (height - (kept.below ?? 0)) + 1;
}

/** No fewer than the answer had when it was kept, however old the tip is that is known. */
function lastConfirmations(kept: KeptAnswer, height: number | undefined, chain: ChainView): number {
  const before = (kept.depth ?? 0) + (kept.below ?? 0);
  return height === undefined ? before : Math.max(before, confirmationsOf(kept, height, chain));
}

function secondsOf(chain: ChainView): number {
  return Math.floor(chain.age / 1_000);
}

import { type CacheEntry, entryFor, entryForRawBlock, isRawBlock } from '../cache/cache-entry.ts';
import type { ChainTip, ChainView } from '../chain/chain-view.ts';
import type { RpcCall } from '../messages/message.ts';
import { cachePolicyOf, findMethod } from '../methods/method-registry.ts';
import type { UpstreamAnswer } from '../upstream/answers/response.ts';
import { BehindError, type Lag } from '../upstream/errors.ts';
import type { CheckAnswer } from './in-flight-request.ts';

type Call = Pick<RpcCall, 'method' | 'paramsText'>;
type Result = UpstreamAnswer & { kind: 'result' };

/** Error codes for `not found`: a node that is behind may only lack the block. */
const missing = new Set([-5, -8]);

export interface TipGuardOptions {
  chain: ChainView;
  /** Whether old answers from an upstream that is behind may be served. */
  oldAnswers: () => boolean;
}

/**
 * Checks each answer against the tip that clients have seen: the tip never goes back silently, and no later answer contradicts an earlier
 * one. If the upstream is known to have the tip, this costs only comparisons.
 */
export class TipGuard {
  readonly #options: TipGuardOptions;

  constructor(options: TipGuardOptions) {
    this.#options = options;
  }

  readonly check: CheckAnswer = (call, answer, origin) => {
    const { chain } = this.#options;
    if (!chain.has(origin)) return this.#checkUnconfirmed(call, answer, origin);
    if (answer.kind !== 'result') return answer;
    const tip = tipIn(call.method, answer.result);
    return tip === undefined || chain.hear(tip) ? answer : this.#recheck(call, answer, origin);
  };

  /** An answer with an older tip than one before: there was a reorganisation, a newer answer overtook it, or its upstream went back. */
  async #recheck(call: Call, answer: Result, origin: string): Promise<UpstreamAnswer> {
    const { chain } = this.#options;
    try {
      const { height, hash } = await chain.refresh(origin);
      const tip = tipIn(call.method, answer.result) as Partial<ChainTip>;
      if (chain.hear(tip)) return answer;
      const evidence = findMethod(call.method)?.tip;
      if (evidence === 'height') return withResult(answer, height);
      return evidence === 'hash' ? withResult(answer, hash) : answer;
    } catch (error) {
      if (error instanceof BehindError) return this.#checkLagging(call, answer, error.lag);
      throw error;
    }
  }

  /** An answer from an upstream that is not known to have the tip. */
  async #checkUnconfirmed(call: Call, answer: UpstreamAnswer, origin: string): Promise<UpstreamAnswer> {
    const { chain } = this.#options;
    let lag = chain.lagOf(origin);
    try {
      if (lag === undefined) await chain.refresh(origin);
    } catch (error) {
      if (!(error instanceof BehindError)) {
        if (answer.kind === 'flowing') answer.discard();
        throw error;
      }
      lag = error.lag;
    }
    if (lag !== undefined) return this.#checkLagging(call, answer, lag);
    const tip = answer.kind === 'result' ? tipIn(call.method, answer.result) : undefined;
    return tip === undefined || chain.hear(tip) ? answer : this.#recheck(call, answer as Result, origin);
  }

  async #checkLagging(call: Call, answer: UpstreamAnswer, lag: Lag): Promise<UpstreamAnswer> {
    const { chain, oldAnswers } = this.#options;
    const valid = await this.#valid(call, answer, lag);
    if (valid !== undefined) return valid;
    const evidence = findMethod(call.method)?.tip;
    const isTip = evidence === 'height' || evidence === 'hash';
    if (oldAnswers() && !isTip) return { ...answer, age: Math.floor(chain.age / 1_000) };
    if (answer.kind === 'flowing') answer.discard();
    throw new BehindError(lag);
  }

  /** The answer under the current tip; undefined if blocks that its upstream lacks may change it. */
  async #valid(call: Call, answer: UpstreamAnswer, lag: Lag): Promise<UpstreamAnswer | undefined> {
    const { method } = call;
    if (findMethod(method)?.chainless === true) return answer;
    if (answer.kind === 'error') return missing.has(answer.code) ? undefined : answer;
    const params = JSON.parse(call.paramsText) as unknown[];
    const [, verbosity = method === 'getblock' ? 1 : 0] = params;
    const raw = (method === 'getblock' || method === 'getrawtransaction') && (verbosity === 0 || verbosity === false);
    // requested by hash, it is the same under every tip
    if (raw) return answer;
    if (answer.kind === 'flowing' || cachePolicyOf(method) !== 'content') return undefined;
    const entry = isRawBlock(method, answer.result)
      ? await entryForRawBlock(method, params, answer)
      : entryFor(method, params, answer);
    return entry && this.#withConfirmations(answer, entry, lag);
  }

  /** The answer with its current confirmations; undefined if its block is not on the main chain. */
  async #withConfirmations(answer: Result, entry: CacheEntry, lag: Lag): Promise<UpstreamAnswer | undefined> {
    const { chain } = this.#options;
    const { anchor, height, below = 0, block, texts, slots } = entry;
    if (anchor === undefined) return answer;
    const at = await chain.locateBelow(lag, anchor, height);
    if (at === undefined || (height !== undefined && at !== height)) return undefined;
    if (block !== undefined && (await chain.locateBelow(lag, block, at - below)) !== at - below) return undefined;
    if (slots[0] !== 'confirmations') return answer;
    const confirmations = (chain.tip?.height ?? at) - (at - below) + 1;
    const [first, second, last] = texts as [string, string, string];
    return { ...answer, before: first + confirmations + second, after: last };
  }
}

/** What an answer says about the tip its upstream had. */
function tipIn(method: string, result: unknown): Partial<ChainTip> | undefined {
  const evidence = findMethod(method)?.tip;
  if (evidence === undefined) return undefined;
  if (typeof result === 'number') return evidence === 'height' ? { height: result } : undefined;
  if (typeof result === 'string') return evidence === 'hash' ? { hash: result } : undefined;
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return undefined;
  const { target, blockheight, confirmations, blocks, bestblock } = result as Record<string, unknown>;
  switch (evidence) {
    case 'header':
      return tipOver(result);
    case 'target':
      return tipOver(target ?? {});
    case 'transaction':
      return tipOver({ height: blockheight, confirmations });
    case 'blocks':
      return Number.isSafeInteger(blocks) ? { height: blocks as number } : undefined;
    case 'bestblock':
      return typeof bestblock === 'string' ? { hash: bestblock } : undefined;
    case 'height':
    case 'hash':
      return undefined;
  }
}

function tipOver({
  height,
  confirmations,
}: {
  height?: unknown;
  confirmations?: unknown;
}): Partial<ChainTip> | undefined {
  if (!Number.isSafeInteger(height) || !Number.isSafeInteger(confirmations)) return undefined;
  return (confirmations as number) > 0 ? { height: (height as number) + (confirmations as number) - 1 } : undefined;
}

/** The same answer with another number or hash as its result. */
function withResult(answer: Result, result: number | string): Result {
  const before = answer.before.replace(JSON.stringify(answer.result), JSON.stringify(result));
  return { ...answer, before, result };
}

import { PlanchetError } from '../../../contract/index.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { rpcCodes } from '../messages/message.ts';
import { nothingSet } from './errors.ts';
import type { HealthMonitor } from './health/health-monitor.ts';
import { HedgedCall } from './hedging.ts';
import { BehindError } from './lag-error.ts';
import type { Upstream, UpstreamPool } from './pool.ts';

/** One call in this many may be asked of a second upstream because the first is slow. */
const HEDGE_SHARE = 0.1;
const HEDGE_BURST = 10;

export interface UpstreamSelectorOptions {
  upstreams: UpstreamPool;
  watch: Pick<HealthMonitor, 'isBlank' | 'compared' | 'refusal'>;
  /** All that are set, the one to be asked first in front. */
  inOrder: () => readonly Upstream[];
}

/** Which upstream is asked, and which after it: none twice for the same call. */
export class UpstreamSelector {
  readonly #options: UpstreamSelectorOptions;
  #hedges = HEDGE_BURST;

  constructor(options: UpstreamSelectorOptions) {
    this.#options = options;
  }

  /**
   * None is asked before it was looked at: a call that comes first waits for that, for `bitcoinTimeout` at most, and a call that comes to
   * one that fails for a quarter of a second.
   * @param asked upstreams that have failed already, with the reason `earlier`: none is asked twice
   */
  async oneAfterTheOther<T>(
    signal: AbortSignal | undefined,
    attempt: (upstream: Upstream) => Promise<T>,
    asked: readonly Upstream[] = [],
    earlier?: unknown,
  ): Promise<T> {
    const { upstreams, watch, inOrder } = this.#options;
    let behind = earlier instanceof BehindError ? earlier : undefined;
    let first = behind === undefined ? earlier : undefined;
    if (watch.isBlank) await watch.compared(signal);
    for (const upstream of inOrder()) {
      if (asked.includes(upstream)) continue;
      if (!upstreams.admit(upstream)) {
        first ??= upstream.lastFailure;
        continue;
      }
      const refusal = upstream.open ? await watch.refusal(upstream, signal) : undefined;
      if (refusal !== undefined) {
        first ??= refusal;
        continue;
      }
      try {
        return await attempt(upstream);
      } catch (error) {
        noteFailure(upstream, error);
        if (isFinal(error)) throw error;
        if (error instanceof BehindError) behind ??= error;
        else first ??= error;
      }
    }
    throw withLag(behind, first) ?? nothingSet();
  }

  /**
   * As one after the other, but where the first is slower than it nearly always is, the second is asked beside it. One that is behind too:
   * an answer for which it lacks blocks fails, and the first is waited for.
   */
  async hedged<T>(
    outer: AbortSignal | undefined,
    attempt: (upstream: Upstream, signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    const { inOrder } = this.#options;
    const [one, two] = inOrder();
    if (two === undefined || one?.p95 === undefined || one.open || two.open || two.doubt !== undefined) {
      return this.oneAfterTheOther(outer, (upstream) => attempt(upstream, outer));
    }
    this.#hedges = Math.min(HEDGE_BURST, this.#hedges + HEDGE_SHARE);
    const hedged = new HedgedCall<T>(outer);
    let behind: BehindError | undefined;
    const start = (upstream: Upstream): void => {
      hedged.add(
        (signal) => attempt(upstream, signal),
        (error) => {
          if (error instanceof BehindError) behind = error;
          noteFailure(upstream, error);
        },
      );
    };
    start(one);
    const asked = [one];
    const timer = setTimeout(() => {
      if (this.#hedges < 1 || hedged.decided) return;
      this.#hedges -= 1;
      asked.push(two);
      start(two);
    }, one.p95);
    try {
      return await hedged.winner();
    } catch (error) {
      if (isFinal(error)) throw error;
      clearTimeout(timer);
      const earlier = withLag(behind, error === behind ? undefined : error);
      return await this.oneAfterTheOther(outer, (upstream) => attempt(upstream, outer), asked, earlier);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** An upstream that answers, though it is behind, says more than one that does not. */
function withLag(behind: BehindError | undefined, other: unknown): unknown {
  if (behind === undefined || !(other instanceof Error)) return behind ?? other;
  return new BehindError(behind.lag, other);
}

/** Holds against an upstream what it is to blame for. */
export function noteFailure(upstream: Upstream, error: unknown): void {
  if (isFinal(error) || error instanceof BehindError) upstream.released();
  else upstream.failed(error as PlanchetError | NodeRpcError);
}

/** The node has spoken, the caller has left, or it is our own fault: another upstream would not help. */
export function isFinal(error: unknown): boolean {
  // a node that is still starting says so to everything
  if (error instanceof NodeRpcError) return error.code !== rpcCodes.warmUp;
  return !(error instanceof PlanchetError) || error.code === 'cancelled';
}

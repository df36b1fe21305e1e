import { PlanchetError } from '../../../contract/index.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { rpcCodes } from '../messages/message.ts';
import { BehindError, nothingSet } from './errors.ts';
import type { HealthMonitor } from './health/health-monitor.ts';
import { HedgedCall } from './hedging.ts';
import type { Upstream } from './pool.ts';

/** One call in this many may be hedged because the first upstream is slow. */
const HEDGE_SHARE = 0.1;
const HEDGE_BURST = 10;

export interface UpstreamSelectorOptions {
  watch: Pick<HealthMonitor, 'isBlank' | 'compared' | 'refusal'>;
  /** All configured upstreams, in the order in which to ask them. */
  inOrder: () => readonly Upstream[];
}

/** Chooses the upstreams for a call, one after the other. No upstream is asked twice for the same call. */
export class UpstreamSelector {
  readonly #options: UpstreamSelectorOptions;
  #hedges = HEDGE_BURST;

  constructor(options: UpstreamSelectorOptions) {
    this.#options = options;
  }

  /**
   * Every upstream is probed before it gets a call. The first call waits for the probe, at most for `bitcoinTimeout`; a call to an upstream
   * that fails waits a quarter of a second.
   * @param asked upstreams that have already failed for this call, with the reason `earlier`
   */
  async oneAfterTheOther<T>(
    signal: AbortSignal | undefined,
    attempt: (upstream: Upstream) => Promise<T>,
    asked: readonly Upstream[] = [],
    earlier?: unknown,
  ): Promise<T> {
    const { watch, inOrder } = this.#options;
    let behind = earlier instanceof BehindError ? earlier : undefined;
    let first = behind === undefined ? earlier : undefined;
    if (watch.isBlank) await watch.compared(signal);
    for (const upstream of inOrder()) {
      if (asked.includes(upstream)) continue;
      if (!upstream.admit()) {
        first ??= whyNotAsked(upstream);
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
   * Like one after the other, but if the first upstream is slower than usual, the second is asked at the same time. The second may be
   * behind: if it lacks blocks for the answer, that attempt fails and the first is waited for.
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

/** The error of an upstream that answers but is behind tells more than that of one that does not answer. */
function withLag(behind: BehindError | undefined, other: unknown): unknown {
  if (behind === undefined || !(other instanceof Error)) return behind ?? other;
  return new BehindError(behind.lag, other);
}

/** Records a failure that is the upstream's fault. */
export function noteFailure(upstream: Upstream, error: unknown): void {
  if (isFinal(error) || error instanceof BehindError) upstream.released();
  else upstream.failed(error as PlanchetError | NodeRpcError);
}

/** Whether another upstream would not help: the node has answered, the client has left, or the defect is in Planchet. */
export function isFinal(error: unknown): boolean {
  // a node that is still starting answers every call with that error
  if (error instanceof NodeRpcError) return error.code !== rpcCodes.warmUp;
  return !(error instanceof PlanchetError) || error.code === 'cancelled';
}

/** A call that was not sent says so: the time that an earlier one waited is not its own. */
function whyNotAsked({ origin, lastFailure }: Upstream): Upstream['lastFailure'] {
  const isOld = lastFailure instanceof PlanchetError && lastFailure.code === 'upstream-timeout';
  return isOld ? new PlanchetError('upstream.not-asked', { origin }, { cause: lastFailure }) : lastFailure;
}

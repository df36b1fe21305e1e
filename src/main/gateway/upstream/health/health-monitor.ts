import { PlanchetError } from '../../../../contract/index.ts';
import { endsWithin } from '../../../clock.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { NodeRpcError } from '../../../ports/node.ts';
import { TRIAL_MS, type Upstream, type UpstreamPool } from '../pool.ts';
import { KnownChain } from './known-chain.ts';
import { type Claim, UpstreamProbe, type UpstreamProbeOptions, unprovenHeight } from './probe.ts';

/** How often the upstreams are looked at. */
const WATCH_MS = 5_000;
/** A chain known this lately is within the reach of the walk: an upstream whose blocks do not lead to it is not believed. */
const BELIEVED_MS = 86_400_000;
/** While nothing is known of any upstream, a call waits so long for all of them to be compared. */
const COMPARE_MS = 1_000;

export interface HealthMonitorOptions extends UpstreamProbeOptions {
  upstreams: UpstreamPool;
  /** All of them; an address list that was changed is read anew. @throws PlanchetError `settings-invalid` */
  all: () => readonly Upstream[];
  /** Milliseconds for which a call waits for the first look at an upstream. */
  waitMs: () => number;
  clock: Clock;
}

/**
 * Looks at the upstreams, before they are asked anything else and then from time to time: whether each is on the chain of the network,
 * and how high its best block is. A height is believed as far as headers show it: the best block's header is hashed, held against its
 * target, and followed back to a block whose height is known. Where none is known yet, a block whose own first transaction shows its
 * height is the first, then the one most upstreams tell the same height of, and where that decides nothing the newest, then the lowest.
 */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #probe: UpstreamProbe;
  readonly #known: KnownChain;
  /** When an upstream's best block was last found to be part of the known chain. */
  #knownAt = Number.NEGATIVE_INFINITY;
  /** The round under way. */
  #probing: Promise<void> | undefined;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
    this.#probe = new UpstreamProbe(options);
    this.#known = new KnownChain({ ...options, probe: this.#probe });
  }

  /** @returns what ends it */
  start(): () => void {
    let cancel = (): void => {};
    let watching = true;
    const round = (): void => {
      // A list that cannot be read is told to whoever calls.
      const looked = this.#round().catch(() => {});
      void looked.then(() => {
        if (watching) cancel = this.#options.clock.after(WATCH_MS, round);
      });
    };
    round();
    return () => {
      watching = false;
      cancel();
    };
  }

  /** Nothing is known of any upstream yet. @throws what `all` does */
  get isBlank(): boolean {
    return !this.#options.all().some(({ probed, failing }) => probed || failing);
  }

  /** Waits a moment for the upstreams to be compared. @throws what `all` does; PlanchetError `cancelled` by the signal */
  async compared(signal: AbortSignal | undefined): Promise<void> {
    await within(this.#round(), COMPARE_MS, signal);
  }

  /**
   * Waits for the look at an upstream that was not looked at, or fails, which somebody else may have begun: of one that fails not for long,
   * while the look goes on.
   * @returns why it is not to be asked; undefined where nothing speaks against it
   * @throws PlanchetError `cancelled` by the signal
   */
  async refusal(
    upstream: Upstream,
    signal: AbortSignal | undefined,
  ): Promise<PlanchetError | NodeRpcError | undefined> {
    const { failing } = upstream;
    const waitMs = failing ? TRIAL_MS : this.#options.waitMs();
    const ended = await within(this.#probe.at(upstream), waitMs, signal);
    if (!upstream.open) return undefined;
    return (failing || ended ? upstream.lastFailure : undefined) ?? notProbed(upstream, waitMs);
  }

  /** Looks at every upstream now. */
  async probeAll(): Promise<void> {
    const { all, clock, upstreams } = this.#options;
    const claims = (await Promise.all(all().map((upstream) => this.#probe.at(upstream)))).filter(
      (claim) => claim !== undefined,
    );
    const unlinked = await this.#believeLinked(claims);
    const lost = unlinked.length === claims.length && this.#mayBeginAnew();
    if (unlinked.length > 0 && (lost || !this.#known.agreed)) await this.#begin(claims);
    else this.#doubt(unlinked);
    if (claims.some(({ upstream }) => upstream.height !== null)) this.#knownAt = clock.now();
    upstreams.compareHeights();
  }

  /** A round of the watch; one at a time. */
  #round(): Promise<void> {
    this.#probing ??= this.probeAll().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #begin(claims: readonly Claim[]): Promise<void> {
    await this.#known.begin(claims);
    this.#doubt(await this.#believeLinked(claims));
  }

  #doubt(claims: readonly Claim[]): void {
    for (const claim of claims) this.#probe.doubt(claim.upstream, unprovenHeight(claim));
  }

  /** Takes the heights of those whose blocks lead to the known chain. @returns the others */
  async #believeLinked(claims: readonly Claim[]): Promise<Claim[]> {
    const linked = await Promise.all(claims.map((claim) => this.#believe(claim)));
    return claims.filter((_, index) => !linked[index]);
  }

  async #believe(claim: Claim): Promise<boolean> {
    const { upstream } = claim;
    try {
      const height = await this.#known.heightOf(claim);
      if (height === undefined) {
        upstream.height = null;
        return false;
      }
      this.#probe.doubt(upstream, height === claim.height ? undefined : unprovenHeight(claim, height));
      upstream.height = height;
      return true;
    } catch (error) {
      upstream.height = null;
      this.#options.onFailure(upstream, error);
      return false;
    }
  }

  /** The sandbox's chain is put back and made anew at will, by its owner. */
  #mayBeginAnew(): boolean {
    const { network, clock } = this.#options;
    return network === 'sandbox' || clock.now() - this.#knownAt > BELIEVED_MS;
  }
}

/**
 * Waits for what never throws, no longer than a limit.
 * @returns whether it ended in time
 * @throws PlanchetError `cancelled` by the signal
 */
async function within(work: Promise<unknown>, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal === undefined) return endsWithin(work, ms);
  const { promise: left, resolve } = Promise.withResolvers<void>();
  const leave = (): void => resolve();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    const ended = await endsWithin(Promise.race([work, left]), ms);
    if (signal.aborted) throw new PlanchetError('upstream.call-cancelled');
    return ended;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function notProbed({ origin }: Upstream, waitMs: number): PlanchetError {
  return new PlanchetError('upstream.network-timeout', { origin, seconds: waitMs / 1_000 });
}

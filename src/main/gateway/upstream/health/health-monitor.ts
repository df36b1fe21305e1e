import { PlanchetError } from '../../../../contract/index.ts';
import { endsWithin } from '../../../clock.ts';
import type { Clock } from '../../../ports/clock.ts';
import { TRIAL_MS, type Upstream, type UpstreamPool } from '../pool.ts';
import { KnownChain } from './known-chain.ts';
import { type Claim, UpstreamProbe, type UpstreamProbeOptions, unprovenHeight } from './probe.ts';

/** Interval between probes. */
const WATCH_MS = 5_000;
/** If the known chain is newer than this, headers can lead to it, so an upstream whose headers do not is not believed. */
const BELIEVED_MS = 86_400_000;
/** Before any upstream was probed, a call waits this long for a comparison of all. */
const COMPARE_MS = 1_000;

export interface HealthMonitorOptions extends UpstreamProbeOptions {
  upstreams: UpstreamPool;
  /** All upstreams. A changed address list is read again. @throws PlanchetError `settings-invalid` */
  all: () => readonly Upstream[];
  /** Milliseconds for which a call waits for the first probe of an upstream. */
  waitMs: () => number;
  /** Called after each round with the best block that each upstream claims. */
  onProbed: (best: readonly string[]) => void;
  clock: Clock;
}

/**
 * Probes the upstreams before they get other calls, and then from time to time: whether each is on the network's chain, and how high its
 * best block is. A height is believed only if headers prove it: the best block's header is hashed, compared with its target, and followed
 * back to a block of known height. If no block is known yet, a block whose coinbase contains its height is preferred; then the block whose
 * height most upstreams agree on; then the newest; then the lowest.
 */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #probe: UpstreamProbe;
  readonly #known: KnownChain;
  /** When an upstream's best block was last found to be on the known chain. */
  #knownAt = Number.NEGATIVE_INFINITY;
  /** The current round. */
  #probing: Promise<void> | undefined;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
    this.#probe = new UpstreamProbe(options);
    this.#known = new KnownChain({ ...options, probe: this.#probe });
  }

  /** @returns a function that stops it */
  start(): () => void {
    let cancel = (): void => {};
    let watching = true;
    const round = (): void => {
      // Calls report a list that cannot be read.
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

  /** Whether no upstream was probed yet. @throws what `all` does */
  get isBlank(): boolean {
    return !this.#options.all().some(({ probed, failing }) => probed || failing);
  }

  /** Waits a moment for the comparison of the upstreams. @throws what `all` does; PlanchetError `cancelled` if the signal aborts */
  async compared(signal: AbortSignal | undefined): Promise<void> {
    await within(this.#round(), COMPARE_MS, signal);
  }

  /**
   * Waits for the probe of an upstream that was not probed yet, or that fails. Another call may have started the probe. If the upstream
   * fails, the wait is short and the probe continues.
   * @returns why it must not be asked; undefined if it may be
   * @throws PlanchetError `cancelled` if the signal aborts
   */
  async refusal(upstream: Upstream, signal: AbortSignal | undefined): Promise<Upstream['lastFailure']> {
    const { failing } = upstream;
    const waitMs = failing ? TRIAL_MS : this.#options.waitMs();
    const ended = await within(this.#probe.at(upstream), waitMs, signal);
    if (!upstream.open) return undefined;
    const fault = failing || ended ? upstream.lastFailure : undefined;
    return fault ?? new PlanchetError('upstream.network-timeout', { origin: upstream.origin, seconds: waitMs / 1_000 });
  }

  /** Probes every upstream now. */
  async probeAll(): Promise<void> {
    const { all, clock, upstreams } = this.#options;
    const claims = (await Promise.all(all().map((upstream) => this.#probe.at(upstream)))).filter(
      (claim) => claim !== undefined,
    );
    const unlinked = await this.#believeLinked(claims);
    const lost = unlinked.length === claims.length && this.#mayBeginAnew();
    const begins = unlinked.length > 0 && (lost || !this.#known.agreed);
    if (begins) await this.#known.begin(claims);
    this.#doubt(begins ? await this.#believeLinked(claims) : unlinked);
    if (claims.some(({ upstream }) => upstream.height !== null)) this.#knownAt = clock.now();
    upstreams.compareHeights();
    this.#options.onProbed(claims.map(({ hash }) => hash));
  }

  /** One round of probes; only one runs at a time. */
  #round(): Promise<void> {
    this.#probing ??= this.probeAll().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  #doubt(claims: readonly Claim[]): void {
    for (const claim of claims) this.#probe.doubt(claim.upstream, unprovenHeight(claim));
  }

  /** Accepts the heights of upstreams whose blocks lead to the known chain. @returns the others */
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

  /** The owner of a sandbox may rewind or replace its chain at any time. */
  #mayBeginAnew(): boolean {
    const { network, clock } = this.#options;
    // Put back, the clock counts from there.
    this.#knownAt = Math.min(this.#knownAt, clock.now());
    return network === 'sandbox' || clock.now() - this.#knownAt > BELIEVED_MS;
  }
}

/**
 * Waits for a promise that never rejects, but no longer than a limit.
 * @returns whether it settled in time
 * @throws PlanchetError `cancelled` if the signal aborts
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

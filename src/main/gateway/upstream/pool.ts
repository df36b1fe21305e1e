import { Pool } from 'undici';
import { PlanchetError, type UpstreamHealth } from '../../../contract/index.ts';
import { isOver, leftUntil } from '../../async/left-until.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpcError } from '../../ports/node.ts';
import { isConnectionLost, resting, retryAfterOf } from './errors.ts';
import { basic, readAddress } from './request-headers.ts';
import { RequestQueue } from './request-queue.ts';

/** Most connections to one upstream. Those on which answers arrive are read at the pace of their clients. */
const MAX_CONNECTIONS = 64;
/**
 * Most JSON-RPC calls to one upstream whose answer has not begun: the depth of a node's work queue by default (`rpcworkqueue`). With one
 * more, the node may answer HTTP 500, `Work queue depth exceeded`.
 */
const MAX_UNANSWERED = 16;
const CONNECT_TIMEOUT_MS = 5_000;
/** Consecutive failures, other than connection failures, that open the circuit. */
const FAILURES_TO_OPEN = 3;
/** While an upstream fails, one call per this many milliseconds waits for a new probe. The others fail at once with the reason. */
export const TRIAL_MS = 250;
/** An upstream this many blocks behind the best one is asked last. So is one that stays a single block behind. */
const BEHIND_BLOCKS = 2;
/** A new block takes a moment to spread, so being one block behind counts only after this many comparisons in a row. */
const BEHIND_ROUNDS = 3;
/** An upstream slower than the fastest one by this factor is asked after it. */
const SLOW_FACTOR = 2;
const SLOW_MS = 20;
const SAMPLES = 128;
const SAMPLES_FOR_P95 = 20;
/** The latency is computed again after this many answers. */
const SAMPLES_BETWEEN_P95 = 16;

/** One address of `bitcoinRpcUrl`, with its connections and its health. */
export class Upstream {
  /** Scheme, host and port. It appears in messages, so it never contains a credential. */
  readonly origin: string;
  readonly path: string;
  readonly host: string;
  /** `Basic` header from the user and password in the address; undefined if the API key is sent instead. */
  readonly basic: string | undefined;
  /** Its connections. */
  readonly pool: Pool;
  /** For JSON-RPC, which has to spare the node's work queue. */
  readonly queue: RequestQueue;
  /** Height of its best block, if its headers prove it; otherwise null. */
  height: number | null = null;
  /** Why its height is not believed. It is asked after the others then. */
  doubt: PlanchetError | undefined;
  /** Why it is never asked: it is on another chain. */
  barred: PlanchetError | undefined;
  /** A probe has succeeded and no connection has failed since. Until then, only probes are sent to it. */
  probed = false;
  /** Whether the last probe found it on the network's chain. Also true if it does not report its chain. */
  onChain = false;
  /** Number of consecutive height comparisons in which it was behind. */
  roundsBehind = 0;
  calls = 0;
  failures = 0;
  /** Whether it failed, so that it is probed before any other call. */
  failing = false;
  /** Milliseconds until the head of an answer, as a moving average; undefined before the first. */
  latency: number | undefined;
  #trialAt: number | undefined;
  #inARow = 0;
  #lastFailure: PlanchetError | NodeRpcError | undefined;
  readonly #samples = new Float64Array(SAMPLES);
  #sampled = 0;
  #p95: number | undefined;
  #p95At = 0;

  readonly #now: () => number;
  /** Until when it is not asked because it wants fewer calls, and its reason. */
  #rest:
    | { readonly until: number; readonly ms: number; readonly status: number; readonly reported: string }
    | undefined;

  /** @param now milliseconds since 1970 */
  constructor(address: string, ignoreCertificate: boolean, now: () => number) {
    this.#now = now;
    const { url, credential } = readAddress(address, () => new PlanchetError('settings.upstream-address-unreadable'));
    this.origin = url.origin;
    this.host = url.host;
    this.path = `${url.pathname}${url.search}`;
    this.basic = credential === ':' ? undefined : basic(credential);
    this.pool = new Pool(url.origin, {
      connections: MAX_CONNECTIONS,
      // The node speaks HTTP/1.1 only.
      allowH2: false,
      connect: { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: !ignoreCertificate },
      // The timer of the request limits a call.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.queue = new RequestQueue(this.pool, MAX_UNANSWERED);
  }

  /** Whether no calls are sent to it now: it failed, was not probed yet, is on another chain, or asked for fewer calls. */
  get open(): boolean {
    return this.failing || !this.probed || this.barred !== undefined || this.resting;
  }

  /** Whether it asked for fewer calls and the time it named has not passed. Not even probes are sent then. */
  get resting(): boolean {
    if (this.#rest === undefined) return false;
    if (leftUntil(this.#rest.until, this.#now(), this.#rest.ms) > 0) return true;
    this.#rest = undefined;
    return false;
  }

  get lastFailure(): PlanchetError | NodeRpcError | undefined {
    if (this.barred !== undefined || !this.resting || this.#rest === undefined) return this.barred ?? this.#lastFailure;
    const { until, status, reported } = this.#rest;
    return resting(this.origin, { status, reported, retryAfter: Math.ceil((until - this.#now()) / 1_000) });
  }

  /** The 95th percentile of its latency in milliseconds; undefined until there are enough answers. */
  get p95(): number | undefined {
    if (this.#sampled >= SAMPLES_FOR_P95 && this.#sampled - this.#p95At >= SAMPLES_BETWEEN_P95) {
      const seen = this.#samples.slice(0, Math.min(this.#sampled, SAMPLES)).sort();
      this.#p95 = seen[Math.floor(seen.length * 0.95)];
      this.#p95At = this.#sampled;
    }
    return this.#p95;
  }

  /** Whether a call may be sent now. While the circuit is open, one at a time may. */
  admit(): boolean {
    const now = this.#now();
    if (this.barred !== undefined || this.resting) return false;
    if (!this.failing) return true;
    if (this.#trialAt !== undefined && !isOver(TRIAL_MS, this.#trialAt, now)) return false;
    this.#trialAt = now;
    return true;
  }

  /**
   * @param latency milliseconds until the answer's head
   * @param isProbe the call was a probe, which says nothing about other commands
   */
  answered(latency: number, isProbe = false): void {
    this.calls += 1;
    this.failing = false;
    this.#trialAt = undefined;
    if (!isProbe) this.#inARow = 0;
    // the first call of a probe includes the time to connect
    if (!this.probed) return;
    this.latency = this.latency === undefined ? latency : this.latency * 0.9 + latency * 0.1;
    this.#samples[this.#sampled % SAMPLES] = latency;
    this.#sampled += 1;
  }

  /**
   * A connection failure opens the circuit at once, and so does a probe without an answer. Other failures open it after a few in a row,
   * because one slow command does not mean that the node is dead. An upstream that asks for fewer calls is healthy, and gets none for the
   * time it named.
   */
  failed(error: PlanchetError | NodeRpcError): void {
    this.calls += 1;
    this.failures += 1;
    this.#lastFailure = error;
    this.#trialAt = undefined;
    const retryAfter = retryAfterOf(error);
    if (retryAfter !== undefined) {
      const { status, reported = '' } = (error as PlanchetError).detail ?? {};
      const ms = retryAfter * 1_000;
      this.#rest = { until: this.#now() + ms, ms, status: Number(status), reported: String(reported) };
      return;
    }
    this.#inARow += 1;
    // another node may run there when it is back
    if (isConnectionLost(error)) this.probed = false;
    const silent = !this.probed && error.code === 'upstream-timeout';
    if (silent || error.code === 'upstream-unreachable' || this.#inARow >= FAILURES_TO_OPEN) this.failing = true;
  }

  /** A call ended without information about the upstream, for example because its client left. */
  released(): void {
    this.#trialAt = undefined;
  }

  #circuit(): UpstreamHealth['circuit'] {
    if (this.barred !== undefined) return 'barred';
    if (this.failing || this.resting) return 'open';
    if (this.probed) return 'closed';
    return this.#lastFailure === undefined ? 'new' : 'open';
  }

  health(best: number | null): UpstreamHealth {
    const failed = this.barred ?? (this.resting ? this.lastFailure : (this.doubt ?? this.#lastFailure));
    return {
      origin: this.origin,
      circuit: this.#circuit(),
      behind: best === null || this.height === null ? null : Math.max(0, best - this.height),
      height: this.height,
      latency: this.latency ?? null,
      p95: this.p95 ?? null,
      calls: this.calls,
      failures: this.failures,
      lastFailure: failed?.message ?? null,
      failure: failed instanceof PlanchetError ? failed.toFailure() : null,
    };
  }
}

/**
 * The upstreams of `bitcoinRpcUrl`. They are created again when the list or `ignoreCertificate` changes.
 */
export class UpstreamPool {
  readonly #clock: Clock;
  #all: Upstream[] = [];
  #builtFor: { list: string; ignoreCertificate: boolean } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param list addresses separated by commas
   * @throws PlanchetError `settings-invalid` if one of them is not an address
   * @returns all upstreams, healthiest first, otherwise in the order of the setting
   */
  inOrder(list: string, ignoreCertificate: boolean): readonly Upstream[] {
    this.#build(list, ignoreCertificate);
    if (this.#all.length < 2) return this.#all;
    const fastest = Math.min(...this.#all.map(({ open, latency }) => (open ? Infinity : (latency ?? Infinity))));
    const best = this.bestHeight();
    const rank = (upstream: Upstream): number => {
      const { open, latency } = upstream;
      const slow = latency !== undefined && latency > fastest * SLOW_FACTOR + SLOW_MS;
      return (open ? 4 : 0) + (isBehind(upstream, best) ? 2 : 0) + (slow ? 1 : 0);
    };
    return [...this.#all].sort((a, b) => rank(a) - rank(b));
  }

  /**
   * @returns the upstream if the list names exactly one
   * @throws as {@link inOrder}
   */
  only(list: string, ignoreCertificate: boolean): Upstream | undefined {
    this.#build(list, ignoreCertificate);
    return this.#all.length === 1 ? this.#all[0] : undefined;
  }

  #build(list: string, ignoreCertificate: boolean): void {
    if (list !== this.#builtFor?.list || ignoreCertificate !== this.#builtFor.ignoreCertificate) {
      const parts = list.split(',').map((part) => part.trim());
      const made = parts
        .filter((part) => part !== '')
        .map((part) => new Upstream(part, ignoreCertificate, () => this.#clock.now()));
      // the old connections close after their pending calls
      for (const { queue } of this.#all) queue.retire();
      this.#all = made;
      this.#builtFor = { list, ignoreCertificate };
    }
  }

  all(): readonly Upstream[] {
    return this.#all;
  }

  bestHeight(): number | null {
    const heights = this.#all.flatMap(({ height, open }) => (height === null || open ? [] : [height]));
    return heights.length === 0 ? null : Math.max(...heights);
  }

  /** Records which upstreams are behind, after their heights were read. */
  compareHeights(): void {
    const best = this.bestHeight();
    for (const upstream of this.#all) {
      const { height } = upstream;
      upstream.roundsBehind = best !== null && height !== null && height < best ? upstream.roundsBehind + 1 : 0;
    }
  }

  /** Closes every connection; pending calls fail. */
  async close(): Promise<void> {
    const all = this.#all;
    this.#all = [];
    this.#builtFor = undefined;
    await Promise.all(all.map(({ pool }) => pool.destroy()));
  }
}

function isBehind({ height, roundsBehind, doubt }: Upstream, best: number | null): boolean {
  if (doubt !== undefined) return true;
  if (best === null || height === null) return false;
  return best - height >= BEHIND_BLOCKS || (height < best && roundsBehind >= BEHIND_ROUNDS);
}

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { GatewayCall, GatewayStatus, Traffic } from '../../contract/index.ts';
import type { Clock } from '../ports.ts';

/** Calls that are remembered for who looks later. */
const REMEMBERED = 500;
/** Calls shown one by one in one step; more are only counted. */
const MOST_PER_STEP = 100;
const STEP_MS = 250;
const RATE_SECONDS = 60;
const MAX_METHODS = 64;
const SHOWN_PARAMS = 500;

export interface CallFigures {
  readonly source: GatewayCall['source'];
  /** As `performance.now()` was. */
  readonly started: number;
  readonly bytes: number;
  readonly status: number;
  /** Why it was refused. */
  readonly reason?: string;
}

interface Method {
  calls: number;
  errors: number;
  cached: number;
  readonly times: RecordableHistogram;
  /** Calls in each of the last seconds. */
  readonly seconds: Uint32Array;
  second: number;
}

/** Counts every call and shows the newest to those who watch. What it holds is bounded however many calls there are. */
export class TrafficLog {
  readonly #clock: Clock;
  readonly #methods = new Map<string, Method>();
  readonly #watchers = new Set<Watcher>();
  #ring: GatewayCall[] = [];
  #next = 0;
  #number = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * One call that was answered or refused.
   * @param caller as traffic shows it
   * @param method empty where it was refused before that was read
   * @param params JSON; only its beginning is remembered
   */
  record(caller: string, method: string, params: string, figures: CallFigures): void {
    const { started, source, bytes, status, reason = null } = figures;
    const full: GatewayCall = {
      number: ++this.#number,
      at: this.#clock.now(),
      caller,
      method,
      params: params.length > SHOWN_PARAMS ? params.slice(0, SHOWN_PARAMS) : params,
      source,
      milliseconds: performance.now() - started,
      bytes,
      status,
      reason,
    };
    this.#ring[this.#next] = full;
    this.#next = (this.#next + 1) % REMEMBERED;
    if (source !== 'refused' || method !== '') this.#count(full);
    for (const watcher of this.#watchers) watcher.push(full);
  }

  methods(): GatewayStatus['methods'] {
    const now = Math.floor(this.#clock.now() / 1_000);
    return [...this.#methods].map(([method, figures]) => {
      turnTo(figures, now);
      const recent = figures.seconds.reduce((sum, count) => sum + count, 0);
      const time = (percent: number): number =>
        figures.times.count === 0 ? 0 : Math.round(figures.times.percentile(percent) / 10) / 100;
      return {
        method,
        calls: figures.calls,
        errors: figures.errors,
        cached: figures.cached,
        rate: Math.round((recent / RATE_SECONDS) * 100) / 100,
        p50: time(50),
        p99: time(99),
      };
    });
  }

  /** The newest calls, then those that come, in steps. @param signal ends it */
  watch(signal: AbortSignal | undefined): AsyncIteratorObject<Traffic, undefined, void> {
    const newest = [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)].reverse();
    const watcher = new Watcher(newest.slice(0, MOST_PER_STEP), () => this.#watchers.delete(watcher), signal);
    this.#watchers.add(watcher);
    return watcher;
  }

  close(): void {
    for (const watcher of [...this.#watchers]) watcher.close();
  }

  #count({ method, status, source, milliseconds, at }: GatewayCall): void {
    let figures = this.#methods.get(method);
    if (figures === undefined) {
      if (this.#methods.size >= MAX_METHODS) return;
      figures = {
        calls: 0,
        errors: 0,
        cached: 0,
        // microseconds, to one in a hundred
        times: createHistogram({ lowest: 1, highest: 600_000_000, figures: 2 }),
        seconds: new Uint32Array(RATE_SECONDS),
        second: Math.floor(at / 1_000),
      };
      this.#methods.set(method, figures);
    }
    figures.calls += 1;
    if (status !== 200) figures.errors += 1;
    if (source === 'cache' || source === 'shared' || source === 'local') figures.cached += 1;
    figures.times.record(Math.max(1, Math.round(milliseconds * 1_000)));
    const second = Math.floor(at / 1_000);
    turnTo(figures, second);
    figures.seconds[second % RATE_SECONDS] = (figures.seconds[second % RATE_SECONDS] as number) + 1;
  }
}

function turnTo(figures: Method, second: number): void {
  for (let at = figures.second + 1; at <= second && at <= figures.second + RATE_SECONDS; at++) {
    figures.seconds[at % RATE_SECONDS] = 0;
  }
  figures.second = Math.max(figures.second, second);
}

class Watcher implements AsyncIteratorObject<Traffic, undefined, void> {
  readonly #onClose: () => void;
  readonly #signal: AbortSignal | undefined;
  #calls: GatewayCall[];
  #skipped = 0;
  #first = true;
  #closed = false;
  #wake: () => void = () => {};

  constructor(calls: GatewayCall[], onClose: () => void, signal: AbortSignal | undefined) {
    this.#calls = calls;
    this.#onClose = onClose;
    this.#signal = signal;
    if (signal?.aborted) this.close();
    else signal?.addEventListener('abort', this.close, { once: true });
  }

  push(call: GatewayCall): void {
    if (this.#calls.length >= MOST_PER_STEP) this.#skipped += 1;
    else this.#calls.push(call);
    if (this.#calls.length === 1) this.#wake();
  }

  readonly close = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.#calls = [];
    this.#signal?.removeEventListener('abort', this.close);
    this.#onClose();
    this.#wake();
  };

  async next(): Promise<IteratorResult<Traffic, undefined>> {
    while (!this.#closed) {
      if (this.#first || this.#calls.length > 0) {
        if (!this.#first) await this.#pause();
        if (this.#closed) break;
        this.#first = false;
        const value = { calls: this.#calls, skipped: this.#skipped };
        this.#calls = [];
        this.#skipped = 0;
        return { done: false, value };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Traffic, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Gathers what comes within one step. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, STEP_MS);
      this.#wake = () => {
        if (!this.#closed) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

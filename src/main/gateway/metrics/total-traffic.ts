import type { GatewayCall, MethodHistory } from '../../../contract/index.ts';
import { LatencyHistogram } from './latency-histogram.ts';

interface Counts {
  readonly step: number;
  calls: number;
  refused: number;
  failed: number;
  stale: number;
}

type Step = Readonly<Counts> & { readonly p50: number | null; readonly p95: number | null };

/** All calls together, in equal steps over the last minutes. */
export class TotalTraffic {
  readonly #stepMs: number;
  readonly #steps: number;
  /** Latencies of the current step. */
  readonly #times = new LatencyHistogram();
  #current: Counts = noCalls(0);
  /** The earlier steps that had calls, oldest first. */
  #ended: Step[] = [];

  /** @param stepMs length of a step @param steps how many are told */
  constructor(stepMs: number, steps: number) {
    this.#stepMs = stepMs;
    this.#steps = steps;
  }

  /** @param at the time of the call. @param status of HTTP */
  record(at: number, source: GatewayCall['source'], status: number, milliseconds: number): void {
    this.#turnTo(Math.floor(at / this.#stepMs));
    const current = this.#current;
    current.calls += 1;
    if (source === 'refused') {
      current.refused += 1;
      return;
    }
    if (status >= 400) current.failed += 1;
    if (source === 'stale') current.stale += 1;
    this.#times.record(milliseconds);
  }

  read(now: number): MethodHistory['total'] {
    const last = Math.floor(now / this.#stepMs);
    this.#turnTo(last);
    const known = new Map([...this.#ended, this.#running()].map((step) => [step.step, step]));
    const steps = Array.from({ length: this.#steps }, (_, index) => known.get(last - this.#steps + 1 + index));
    const counts = (of: (step: Step) => number): number[] => steps.map((step) => (step === undefined ? 0 : of(step)));
    return {
      calls: counts(({ calls }) => calls),
      refused: counts(({ refused }) => refused),
      failed: counts(({ failed }) => failed),
      stale: counts(({ stale }) => stale),
      p50: steps.map((step) => step?.p50 ?? null),
      p95: steps.map((step) => step?.p95 ?? null),
    };
  }

  #running(): Step {
    const times = this.#times;
    const isTimed = times.count > 0;
    return { ...this.#current, p50: isTimed ? times.quantile(0.5) : null, p95: isTimed ? times.quantile(0.95) : null };
  }

  /** If the clock is set back, the current step continues. */
  #turnTo(step: number): void {
    if (step <= this.#current.step) return;
    if (this.#current.calls > 0) this.#ended.push(this.#running());
    this.#ended = this.#ended.filter((ended) => ended.step > step - this.#steps);
    this.#times.reset();
    this.#current = noCalls(step);
  }
}

function noCalls(step: number): Counts {
  return { step, calls: 0, refused: 0, failed: 0, stale: 0 };
}

/** Upper bounds of the buckets in seconds. Longer calls are counted in one more bucket. */
export const CALL_BUCKETS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const BOUNDS_MS = CALL_BUCKETS.map((seconds) => seconds * 1_000);

/** Durations of calls in Prometheus buckets. Every call is recorded, so `record` is only a loop over a few numbers. */
export class CallHistogram {
  readonly #counts = new Float64Array(BOUNDS_MS.length + 1);
  #milliseconds = 0;

  record(milliseconds: number): void {
    let at = 0;
    while (at < BOUNDS_MS.length && milliseconds > (BOUNDS_MS[at] as number)) at += 1;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#milliseconds += milliseconds;
  }

  /** @returns calls per bucket of {@link CALL_BUCKETS}, not cumulative, longer calls last; and the sum of all durations in seconds */
  read(): CallCounts {
    return { counts: [...this.#counts], sum: this.#milliseconds / 1_000 };
  }
}

export interface CallCounts {
  readonly counts: readonly number[];
  readonly sum: number;
}

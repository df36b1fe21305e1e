/** Buckets per doubling. The error is about 1 in 64. */
const FINENESS = 32;
const FIRST_POWER = 5;
/** Durations above this power of two in microseconds (19 minutes) share one bucket. */
const LAST_POWER = 30;
const BUCKETS = FINENESS * (LAST_POWER - FIRST_POWER + 2);

/** Counts latencies in fixed memory (7 kB) and in plain JavaScript. */
export class LatencyHistogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  record(milliseconds: number): void {
    const index = bucketOf(Math.max(0, Math.round(milliseconds * 1_000)));
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#count += 1;
  }

  /** @returns the quantile in milliseconds, `part` from 0 to 1; 0 without latencies */
  quantile(part: number): number {
    const rank = Math.max(1, Math.ceil(part * this.#count));
    let passed = 0;
    for (let index = 0; index < BUCKETS; index++) {
      passed += this.#counts[index] as number;
      if (passed >= rank) return middleOf(index) / 1_000;
    }
    return 0;
  }

  reset(): void {
    this.#counts.fill(0);
    this.#count = 0;
  }
}

/** Each microsecond up to 32 has its own bucket. Above, every doubling has 32 buckets. */
function bucketOf(microseconds: number): number {
  if (microseconds < FINENESS) return microseconds;
  const power = Math.min(LAST_POWER, 31 - Math.clz32(Math.min(microseconds, 2 ** LAST_POWER)));
  const within = Math.min(FINENESS - 1, Math.floor(microseconds / 2 ** (power - FIRST_POWER)) - FINENESS);
  return FINENESS * (power - FIRST_POWER + 1) + within;
}

function middleOf(index: number): number {
  if (index < FINENESS) return index;
  const power = Math.floor(index / FINENESS) - 1;
  return (FINENESS + (index % FINENESS) + 0.5) * 2 ** power;
}

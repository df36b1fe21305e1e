import { readFileSync } from 'node:fs';

const INTERVAL_MS = 1_000;

export interface Trend {
  /** Megabytes at the start and the end of the regression line. */
  readonly from: number;
  readonly to: number;
  readonly highest: number;
  readonly samples: number;
}

/** Samples the memory of a process once a second, as Linux reports it. */
export class MemorySamples {
  readonly #file: string;
  readonly #megabytes: number[] = [];
  readonly #timer = setInterval(() => this.#look(), INTERVAL_MS);

  constructor(pid: number | undefined) {
    this.#file = `/proc/${pid}/status`;
    this.#look();
  }

  /** Stops sampling. */
  end(): Trend {
    clearInterval(this.#timer);
    this.#look();
    return trendOf(this.#megabytes);
  }

  #look(): void {
    this.#megabytes.push(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(this.#file, 'utf8'))?.[1]) / 1_000);
  }
}

/** The line of least squares. */
function trendOf(values: readonly number[]): Trend {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const under = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  const rise = middle * (under === 0 ? 0 : over / under);
  return { from: mean - rise, to: mean + rise, highest: Math.max(...values), samples: values.length };
}

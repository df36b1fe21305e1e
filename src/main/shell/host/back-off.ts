import { backOffMs } from '../../async/back-off.ts';
import type { Clock } from '../../ports/clock.ts';

const WAIT = { firstMs: 500, longestMs: 8_000 };
const WINDOW_MS = 120_000;
const MAX_CRASHES = 5;

/** Decides when a crashed process is started again: after a longer wait each time, and never after five crashes in two minutes. */
export class BackOff {
  readonly #clock: Pick<Clock, 'now'>;
  #crashes: number[] = [];

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** @returns milliseconds to wait after this crash, or undefined where it is not tried again */
  next(): number | undefined {
    const now = this.#clock.now();
    // One later than now is from before the clock was put back.
    this.#crashes = [...this.#crashes.filter((at) => at <= now && now - at < WINDOW_MS), now];
    if (this.#crashes.length > MAX_CRASHES) return undefined;
    return backOffMs(WAIT, this.#crashes.length);
  }
}

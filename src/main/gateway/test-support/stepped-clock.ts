import type { Clock } from '../../ports/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that goes from one timer to the next: a day takes as long as the work in it. */
export class SteppedClock implements Clock {
  #time: number;
  readonly #timers = new Set<Timer>();

  /** @param time in milliseconds since 1970 */
  constructor(time: number) {
    this.#time = time;
  }

  now(): number {
    return this.#time;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#time + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Calls again and again, so many milliseconds after the last time ended, until the clock is no longer moved. */
  every(ms: number, work: () => Promise<void>): void {
    this.after(ms, () => void work().finally(() => this.every(ms, work)));
  }

  /** @param settled waits until what was begun is done, or waits for the clock */
  async goTo(time: number, settled: () => Promise<void>): Promise<void> {
    for (;;) {
      await settled();
      const next = this.#first();
      if (next === undefined || next.at > time) break;
      this.#timers.delete(next);
      this.#time = Math.max(this.#time, next.at);
      next.run();
    }
    this.#time = time;
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  }
}

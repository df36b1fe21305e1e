import type { Clock } from '../ports/clock.ts';

/** Time that moves only when a test moves it. */
export class StillClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ at: number; readonly run: () => void }>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Milliseconds until the next timer; undefined if none is set. */
  get next(): number | undefined {
    const times = [...this.#timers].map(({ at }) => at - this.#now);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Runs what falls due on the way. Put back, with fewer than 0, it runs nothing, and its timers wait as long as before. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = due.at;
      due.run();
    }
    if (ms < 0) for (const timer of this.#timers) timer.at += ms;
    this.#now = end;
  }
}

import { passed } from '../../../async/passed.ts';
import type { Clock } from '../../../ports/clock.ts';

/** Gives turns with a least time between them, in order of arrival. */
export class Pace {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /** When the next turn is free, in milliseconds. */
  #next = 0;
  #pausedUntil = 0;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Gives no turn for so many milliseconds. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
  }

  /**
   * Waits for a turn.
   * @returns 0, or the milliseconds for which there is none: nobody waits for the end of a pause here
   * @throws the signal's reason
   */
  async turn(signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted();
    const now = this.#clock.now();
    if (this.#pausedUntil > now) return this.#pausedUntil - now;
    const at = Math.max(now, this.#next);
    this.#next = at + this.#intervalMs;
    if (at > now) await passed(this.#clock, at - now, signal);
    signal?.throwIfAborted();
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }
}

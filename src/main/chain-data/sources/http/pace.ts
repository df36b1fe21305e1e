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
    if (at > now) await this.#wait(at - now, signal);
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  async #wait(ms: number, signal?: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<void>();
    const cancel = this.#clock.after(ms, over.resolve);
    signal?.addEventListener('abort', () => over.resolve(), { once: true });
    await over.promise;
    cancel();
    signal?.throwIfAborted();
  }
}

import type { Clock } from '../../ports/clock.ts';

/**
 * Limits how many requests are worked on at the same time. Further ones wait for a place instead of losing their connection, which
 * would look like a network fault to a client.
 */
export class RequestPlaces {
  readonly #limit: number;
  readonly #waitMs: number;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #waiting = new Set<(admitted: boolean) => void>();
  #taken = 0;

  /**
   * @param limit requests at the same time
   * @param waitMs milliseconds a request waits for a place
   */
  constructor(limit: number, waitMs: number, clock: Pick<Clock, 'after'>) {
    this.#limit = limit;
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  /** Waits for a place, first come, first served. @returns false if none came free in time; else the place must be left again */
  enter(): Promise<boolean> {
    if (this.#taken < this.#limit) {
      this.#taken += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const settle = (admitted: boolean): void => {
        cancel();
        this.#waiting.delete(settle);
        resolve(admitted);
      };
      const cancel = this.#clock.after(this.#waitMs, () => settle(false));
      this.#waiting.add(settle);
    });
  }

  /** Leaves a place, which goes to whoever waits longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken -= 1;
    else next(true);
  }
}

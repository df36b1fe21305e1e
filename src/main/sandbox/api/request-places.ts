import type { Clock } from '../../ports/clock.ts';

/**
 * Limits concurrent requests. Further requests wait for a slot instead of having their connection closed, which a client would take for a
 * network fault.
 */
export class RequestPlaces {
  readonly #limit: number;
  readonly #waitMs: number;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #waiting = new Set<(admitted: boolean) => void>();
  #taken = 0;

  /**
   * @param limit maximum concurrent requests
   * @param waitMs maximum milliseconds that a request waits for a slot
   */
  constructor(limit: number, waitMs: number, clock: Pick<Clock, 'after'>) {
    this.#limit = limit;
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  /** Waits for a slot in order of arrival. @returns false on timeout; otherwise the caller must call {@link leave} */
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

  /** Releases a slot, which goes to the request that has waited longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken -= 1;
    else next(true);
  }
}

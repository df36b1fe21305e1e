import { setImmediate } from 'node:timers/promises';

const LONGEST_HOLD_MS = 10;

/** Lets others run in between: promises alone never give the event loop back, however many follow each other. */
export class Pause {
  #since = performance.now();

  /** Waits a turn of the event loop if the work has gone on for long enough. */
  async here(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_HOLD_MS) return;
    await setImmediate();
    this.#since = performance.now();
  }
}

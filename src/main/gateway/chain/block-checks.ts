import type { KeptAnswer } from '../cache/cache-entry.ts';

/** Raw blocks that wait to be checked before they are kept; past that number more are not kept. */
const MOST_WAITING = 32;

/** Checks raw blocks one after the other, so that many of them take no more of the event loop at a time than one. */
export class BlockChecks {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /**
   * @param check never throws
   * @param keep called with what can be kept
   */
  add(check: () => Promise<KeptAnswer | undefined>, keep: (kept: KeptAnswer) => void): void {
    if (this.#waiting >= MOST_WAITING) return;
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      const kept = await check();
      this.#waiting -= 1;
      if (kept !== undefined) keep(kept);
    });
  }
}

import { Sequencer } from '../../async/sequencer.ts';
import type { CacheEntry } from '../cache/cache-entry.ts';

/** Blocks waiting for their check; any more are not cached. */
const MAX_WAITING = 32;

/** Checks raw blocks one after the other, so that many block the event loop no longer than one does. */
export class BlockChecks {
  readonly #last = new Sequencer();
  #waiting = 0;

  /**
   * @param check never throws
   * @param keep called with the entry, if there is one
   */
  add(check: () => Promise<CacheEntry | undefined>, keep: (entry: CacheEntry) => void): void {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    void this.#last.run(async () => {
      const entry = await check();
      this.#waiting -= 1;
      if (entry !== undefined) keep(entry);
    });
  }
}

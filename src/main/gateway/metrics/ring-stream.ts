import { PullStream } from '../../infrastructure/pull-stream.ts';

/** Most items per step. What is left follows in the next one. */
const MAX_ITEMS_PER_STEP = 2_500;
const STEP_MS = 250;

export interface RingStreamOptions<Item, Step> {
  /** Number of the newest item, and of the oldest that is still stored; without any, 0 and 1. */
  readonly range: () => { oldest: number; newest: number };
  /** The items from a number on, oldest first. */
  readonly read: (from: number, most: number) => Item[];
  readonly step: (items: Item[], skipped: number) => Step;
  readonly onClose: () => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Follows a ring of numbered items for one view, in steps of 250 ms. It holds only the number of the last item sent, so a burst is not lost
 * but sent later, and a view that reads slowly costs no memory. Items that left the ring before they could be sent are counted.
 */
export class RingStream<Item, Step> {
  readonly steps: PullStream<Step>;
  readonly #options: RingStreamOptions<Item, Step>;
  #sent: number;
  #first = true;

  constructor(options: RingStreamOptions<Item, Step>) {
    this.#options = options;
    const { newest, oldest } = options.range();
    this.#sent = Math.max(oldest - 1, newest - MAX_ITEMS_PER_STEP, 0);
    const { onClose, signal } = options;
    this.steps = new PullStream({ take: () => this.#take(), onClose, signal });
  }

  wake(): void {
    this.steps.wake();
  }

  async #take(): Promise<Step | undefined> {
    if (!this.#first) {
      if (this.#options.range().newest === this.#sent) return undefined;
      // collects the items of one step
      await this.steps.pause(STEP_MS);
    }
    this.#first = false;
    const { oldest } = this.#options.range();
    const skipped = Math.max(0, oldest - 1 - this.#sent);
    const items = this.#options.read(this.#sent + skipped + 1, MAX_ITEMS_PER_STEP);
    this.#sent += skipped + items.length;
    return this.#options.step(items, skipped);
  }
}

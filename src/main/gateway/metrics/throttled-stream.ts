import { PullStream } from '../../infrastructure/pull-stream.ts';
import type { RingStreamOptions } from './ring-stream.ts';

/** Most items per step. Further ones are only counted. */
const MAX_ITEMS_PER_STEP = 100;
const STEP_MS = 250;

type Options<Item, Step> = Pick<RingStreamOptions<Item, Step>, 'step' | 'onClose' | 'signal'>;

/** Groups items into steps of 250 ms, so that a view never receives more than it can draw. The first step is empty and sent at once. */
export class ThrottledStream<Item, Step> {
  readonly steps: PullStream<Step>;
  readonly #step: Options<Item, Step>['step'];
  #items: Item[] = [];
  #skipped = 0;
  #first = true;

  constructor({ step, onClose, signal }: Options<Item, Step>) {
    this.#step = step;
    this.steps = new PullStream({ take: () => this.#take(), onClose, signal });
  }

  /** @param make called only if this step still has room */
  push(make: () => Item): void {
    if (this.#items.length >= MAX_ITEMS_PER_STEP) this.#skipped += 1;
    else this.#items.push(make());
    if (this.#items.length === 1) this.steps.wake();
  }

  async #take(): Promise<Step | undefined> {
    if (!this.#first) {
      if (this.#items.length === 0) return undefined;
      // collects the items of one step
      await this.steps.pause(STEP_MS);
    }
    this.#first = false;
    const step = this.#step(this.#items, this.#skipped);
    this.#items = [];
    this.#skipped = 0;
    return step;
  }
}

/** Shown one by one in one step; more are only counted. */
export const MOST_PER_STEP = 100;
const STEP_MS = 250;

export interface StepStreamOptions<Item, Step> {
  /** What the first step holds, at once. */
  readonly first: Item[];
  readonly step: (items: Item[], skipped: number) => Step;
  readonly onClose: () => void;
  readonly signal: AbortSignal | undefined;
}

/** What happens, gathered into steps of a quarter of a second, so that who watches is never told more than it can draw. */
export class StepStream<Item, Step> implements AsyncIteratorObject<Step, undefined, void> {
  readonly #options: StepStreamOptions<Item, Step>;
  #items: Item[];
  #skipped = 0;
  #first = true;
  #closed = false;
  #wake: () => void = () => {};

  constructor(options: StepStreamOptions<Item, Step>) {
    this.#options = options;
    this.#items = options.first;
    const { signal } = options;
    if (signal?.aborted) this.close();
    else signal?.addEventListener('abort', this.close, { once: true });
  }

  /** @param make is called only where there is still room in this step */
  push(make: () => Item): void {
    if (this.#items.length >= MOST_PER_STEP) this.#skipped += 1;
    else this.#items.push(make());
    if (this.#items.length === 1) this.#wake();
  }

  readonly close = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.#items = [];
    this.#options.signal?.removeEventListener('abort', this.close);
    this.#options.onClose();
    this.#wake();
  };

  async next(): Promise<IteratorResult<Step, undefined>> {
    while (!this.#closed) {
      if (this.#first || this.#items.length > 0) {
        if (!this.#first) await this.#pause();
        if (this.#closed) break;
        this.#first = false;
        const value = this.#options.step(this.#items, this.#skipped);
        this.#items = [];
        this.#skipped = 0;
        return { done: false, value };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Step, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Gathers what comes within one step. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, STEP_MS);
      this.#wake = () => {
        if (!this.#closed) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Supplies the values of a {@link PullStream}. */
export interface PullStreamSource<T> {
  /** Returns the next value, or undefined if there is none yet. An error ends the stream. */
  take: () => T | undefined | Promise<T | undefined>;
  /** Called once when the stream ends, whichever side ended it. Not called if the signal was aborted before the stream began. */
  onClose: () => void;
  signal?: AbortSignal | undefined;
}

/** A stream for one reader that takes the next value when it is ready for one. An async generator cannot be ended while it waits for a value; this can. */
export class PullStream<T> implements AsyncIteratorObject<T, undefined, void> {
  readonly #source: PullStreamSource<T>;
  #closed = false;
  /** Set by `wake`: a value may have arrived since the last `take`. */
  #woken = false;
  #wake: () => void = () => {};

  constructor(source: PullStreamSource<T>) {
    this.#source = source;
    const { signal } = source;
    if (signal?.aborted) this.#closed = true;
    else signal?.addEventListener('abort', this.close, { once: true });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Makes a waiting reader call `take` again. */
  wake(): void {
    this.#woken = true;
    this.#wake();
  }

  readonly close = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.#source.signal?.removeEventListener('abort', this.close);
    this.#source.onClose();
    this.#wake();
  };

  async next(): Promise<IteratorResult<T, undefined>> {
    while (!this.#closed) {
      this.#woken = false;
      const value = await this.#takeOrClose();
      if (this.#closed) break;
      if (value !== undefined) return { done: false, value };
      if (!this.#woken) await this.#waiting();
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** Waits for `ms` milliseconds, or until the stream ends. */
  async pause(ms: number): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (!this.#closed) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #waiting(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #takeOrClose(): Promise<T | undefined> {
    try {
      return await this.#source.take();
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

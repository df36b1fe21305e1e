/** Where a {@link PulledStream} gets its values. */
export interface PulledStreamSource<T> {
  /** The next value, or undefined where there is none yet. A failure ends the stream. */
  take: () => T | undefined | Promise<T | undefined>;
  /** Called once when the stream ends, whoever ended it; not for one whose signal was aborted before it began. */
  onClose: () => void;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
}

/**
 * A stream for one reader, who takes the next value when it wants one. Written by hand because an async generator cannot be ended while
 * it waits for its next value.
 */
export class PulledStream<T> implements AsyncIteratorObject<T, undefined, void> {
  readonly #source: PulledStreamSource<T>;
  #closed = false;
  /** Something may have come since the last look. */
  #news = false;
  #wake: () => void = () => {};

  constructor(source: PulledStreamSource<T>) {
    this.#source = source;
    const { signal } = source;
    if (signal?.aborted) this.#closed = true;
    else signal?.addEventListener('abort', this.close, { once: true });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Lets a waiting reader look again. */
  wake(): void {
    this.#news = true;
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
      this.#news = false;
      const value = await this.#takeOrClose();
      if (this.#closed) break;
      if (value !== undefined) return { done: false, value };
      if (!this.#news) await this.#waiting();
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

  /** Lets some time pass, unless the stream ends meanwhile. */
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

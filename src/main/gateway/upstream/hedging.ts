/** Returns the result of the first attempt that succeeds, and cancels the others. */
export class HedgedCall<T> {
  readonly #outer: AbortSignal | undefined;
  readonly #runners: { abort: AbortController; done: boolean }[] = [];
  readonly #result = Promise.withResolvers<T>();
  decided = false;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
  }

  add(attempt: (signal: AbortSignal) => Promise<T>, onFailure: (error: unknown) => void): void {
    const runner = { abort: new AbortController(), done: false };
    this.#runners.push(runner);
    const signal =
      this.#outer === undefined ? runner.abort.signal : AbortSignal.any([this.#outer, runner.abort.signal]);
    attempt(signal).then(
      (value) => {
        runner.done = true;
        this.decided = true;
        this.#result.resolve(value);
        for (const other of this.#runners) if (other !== runner) other.abort.abort();
      },
      (error: unknown) => {
        runner.done = true;
        onFailure(error);
        if (!this.#runners.every(({ done }) => done)) return;
        this.decided = true;
        this.#result.reject(error);
      },
    );
  }

  winner(): Promise<T> {
    return this.#result.promise;
  }
}

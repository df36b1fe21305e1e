/** Runs jobs one after the other, in the order in which they were given. A job that fails stops none behind it. */
export class Sequencer {
  #last: Promise<unknown> = Promise.resolve();

  /** @returns what the job returns, once those before it have ended. @throws what the job throws */
  run<T>(job: () => Promise<T> | T): Promise<T> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every job given so far has ended. It never fails. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Releases one resource: cancels a timer, removes a listener, closes a file or a server. */
export type Dispose = () => unknown;

/**
 * For who opens one part after the other: holds them, and releases them in reverse order, also where a later one could not be opened.
 * A resource that cannot be released does not keep the others open. The store can be filled again afterwards, as a service that restarts does.
 *
 * @example
 * const disposables = new DisposableStore();
 * disposables.add(() => store.close());
 * disposables.add(tip.onTip(listener));
 * await disposables.dispose();
 */
export class DisposableStore {
  readonly #resources: Dispose[] = [];
  #disposing: Promise<void> | undefined;

  /** @param dispose releases a resource; the store waits for a promise that it returns */
  add(...dispose: Dispose[]): void {
    this.#resources.push(...dispose);
  }

  /**
   * Releases every resource, one after the other. A call during another one waits for that one. Everything up to the first resource that
   * returns a promise is released before this returns.
   * @throws AggregateError with all errors, after every resource was tried
   */
  dispose(): Promise<void> {
    this.#disposing ??= this.#disposeAll().finally(() => {
      this.#disposing = undefined;
    });
    return this.#disposing;
  }

  async #disposeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let dispose = this.#resources.pop(); dispose !== undefined; dispose = this.#resources.pop()) {
      try {
        const released = dispose();
        if (released instanceof Promise) await released;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} resources could not be released`);
  }
}

const MEGABYTE = 1_000_000;
const INTERVAL_MS = 100;

/** Looks ten times a second at what this process takes of the machine's memory. */
export class MemoryWatch {
  #highest = 0;
  readonly #timer = setInterval(() => this.#look(), INTERVAL_MS);

  /** The most there was, in megabytes. */
  get highest(): number {
    this.#look();
    return this.#highest / MEGABYTE;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#highest = Math.max(this.#highest, process.memoryUsage.rss());
  }
}

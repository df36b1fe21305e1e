export interface RerunOptions {
  /** One run of the work. It begins at once, in the call of `wake` that finds none running. */
  work: () => Promise<void>;
  /** Called with what a run threw; the next wake-up runs the work again. It must not throw. */
  onError: (error: unknown) => void;
}

/** Work that is due now and then and never runs twice at a time. A wake-up during a run is followed by another run, however late it comes. */
export class Rerun {
  readonly #options: RerunOptions;
  #isDue = false;
  #isRunning = false;
  #isStopped = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: RerunOptions) {
    this.#options = options;
  }

  /**
   * The work is due: runs it, or runs it once more after the present run. Does nothing after `stop`.
   * @returns when no run is due any more; it never fails
   */
  wake(): Promise<void> {
    if (this.#isStopped) return this.#ended;
    this.#isDue = true;
    if (!this.#isRunning) this.#ended = this.#run();
    return this.#ended;
  }

  /** Whether no run is under way; one that ends now has no other behind it. */
  get isIdle(): boolean {
    return !this.#isRunning;
  }

  /** Whether another run follows the present one. */
  get isDue(): boolean {
    return this.#isDue;
  }

  /** Ends the runs. @returns when the present one has ended */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#ended;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false;
      try {
        await this.#options.work();
      } catch (error) {
        this.#options.onError(error);
      }
    }
    // in the same step as the check of what is due: a later wake-up starts a new run
    this.#isRunning = false;
  }
}

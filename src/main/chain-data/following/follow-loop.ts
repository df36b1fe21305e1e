import { Rerun } from '../../async/rerun.ts';
import type { Clock } from '../../ports/clock.ts';

export interface FollowLoopOptions {
  clock: Clock;
  /** Calls the listener with each news, as a new tip is. Left out where only the pauses count. @returns removes the listener */
  onNews?: (listener: () => void) => () => void;
  /**
   * One look at the chain; its calls end with the signal. What it throws is told, and it is tried again after the pause.
   * @param isNews whether there was news, somebody asked, or the last look failed; false where only the pause has passed
   */
  look: (signal: AbortSignal, isNews: boolean) => Promise<void>;
  /** Milliseconds from the end of a look to the next; undefined where nothing is left to look at until somebody asks. */
  pauseMs: () => Promise<number | undefined> | number | undefined;
  /** Told of why a look failed: once, however often it fails for the same reason. It must not throw. */
  onTrouble: (error: unknown) => void;
}

/**
 * Looks at the chain with each news of it, when somebody asks, and after pauses, should news have been missed; never twice at a time. What is asked for during a look is looked at after it. It may be started again after it was stopped.
 */
export class FollowLoop {
  readonly #options: FollowLoopOptions;
  #running: { abort: AbortController; looks: Rerun; stopListening: (() => void) | undefined } | undefined;
  #isNews = false;
  #cancel: () => void = () => undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  #trouble = '';

  constructor(options: FollowLoopOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Whether the last look failed. */
  get hasTrouble(): boolean {
    return this.#trouble !== '';
  }

  /** @returns when the first look has ended; it never fails */
  start(): Promise<void> {
    if (this.#running) return Promise.resolve();
    const abort = new AbortController();
    const looks = new Rerun({ work: () => this.#look(abort.signal), onError: (error) => this.noteTrouble(error) });
    this.#running = { abort, looks, stopListening: this.#options.onNews?.(() => void this.check()) };
    return this.check();
  }

  /** Ends the calls of the look under way. @returns when it has ended */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#cancelPause();
    running?.stopListening?.();
    running?.abort.abort();
    await running?.looks.stop();
  }

  /** Looks now; asked during a look, once more afterwards. @returns when no look is due; it never fails */
  check(): Promise<void> {
    this.#isNews = true;
    return this.#wake();
  }

  /** Makes the next look no later than in so many milliseconds. */
  checkWithin(ms: number): void {
    if (!this.#running) return;
    const now = this.#options.clock.now();
    const at = now + ms;
    // A look that is late by the clock, which was put ahead, may be far off yet.
    if (at >= this.#wakesAt && this.#wakesAt >= now) return;
    this.#cancel();
    this.#wakesAt = at;
    this.#cancel = this.#options.clock.after(ms, () => void this.#wake());
  }

  /** Something beside the looks failed, or a look did. A node that stays away is told of once. */
  noteTrouble(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#trouble) this.#options.onTrouble(error);
    this.#trouble = message;
  }

  #wake(): Promise<void> {
    return this.#running?.looks.wake() ?? Promise.resolve();
  }

  #cancelPause(): void {
    this.#cancel();
    this.#wakesAt = Number.POSITIVE_INFINITY;
  }

  async #look(signal: AbortSignal): Promise<void> {
    // now, not at the end: what is wanted earlier from here on stays
    this.#cancelPause();
    const isNews = this.#isNews;
    this.#isNews = false;
    try {
      await this.#options.look(signal, isNews);
      this.#trouble = '';
    } catch (error) {
      this.#isNews = true;
      if (!signal.aborted) this.noteTrouble(error);
    }
    if (signal.aborted) return;
    const ms = await this.#options.pauseMs();
    if (ms !== undefined) this.checkWithin(ms);
  }
}

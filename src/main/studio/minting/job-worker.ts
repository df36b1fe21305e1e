import { Rerun } from '../../async/rerun.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';

/** The state of a mint job that is in memory only; losing it in a crash does no harm. */
export class JobWorker {
  failures = 0;
  /** Ends the calls of the step under way. */
  abort = new AbortController();
  readonly runs: Rerun;
  /** Steps and commands of one job run one after the other. */
  readonly sequencer = new Sequencer();
  #cancelTimer: (() => void) | undefined;

  /** @param work of one run @param onError called with what a run threw */
  constructor(work: (worker: JobWorker) => Promise<void>, onError: (error: unknown) => void) {
    this.runs = new Rerun({
      work: () => {
        this.cancelTimer();
        return work(this);
      },
      onError,
    });
  }

  /** Whether no run is under way and no timer is set. */
  get isIdle(): boolean {
    return this.runs.isIdle && this.#cancelTimer === undefined;
  }

  /** Calls `wake` once, unless a run begins earlier. @param ms milliseconds */
  wakeAfter(clock: Clock, ms: number, wake: () => void): void {
    this.#cancelTimer = clock.after(ms, () => {
      this.#cancelTimer = undefined;
      wake();
    });
  }

  cancelTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

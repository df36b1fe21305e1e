import type { Logger } from 'pino';
import { Rerun } from '../../../async/rerun.ts';
import type { Clock } from '../../../ports/clock.ts';

/** Delay before the queue is checked again after an internal failure. */
const AFTER_FAILURE_MS = 1_000;

interface DueLoopOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Starts the deliveries that are due. @returns when the next one is due, in milliseconds since 1970; undefined for an empty queue */
  readonly look: () => Promise<number | undefined>;
}

/** Checks a queue whenever a message arrives or becomes due, and tracks the running deliveries. */
export class DueLoop {
  readonly #options: DueLoopOptions;
  readonly #senders = new Set<Promise<void>>();
  readonly #looks: Rerun;
  #stopped = false;
  #cancelTimer: () => void = () => undefined;

  constructor(options: DueLoopOptions) {
    this.#options = options;
    this.#looks = new Rerun({
      work: () => this.#look(),
      onError: (error) => {
        options.logger.error({ err: error }, 'the queue of callbacks could not be read');
        this.#wakeAfter(AFTER_FAILURE_MS);
      },
    });
  }

  /** Number of running deliveries. */
  get senders(): number {
    return this.#senders.size;
  }

  /** Checks the queue now and whenever the next message is due. */
  wake(): void {
    void this.#looks.wake();
  }

  /** Tracks a delivery and checks the queue after it; with a delay if it failed. */
  run(work: Promise<void>): void {
    const sender: Promise<void> = work
      .then(() => {
        this.#senders.delete(sender);
        this.wake();
      })
      .catch((error: unknown) => {
        this.#senders.delete(sender);
        this.#options.logger.error({ err: error }, 'callbacks could not be sent');
        this.#wakeAfter(AFTER_FAILURE_MS);
      });
    this.#senders.add(sender);
  }

  /** Stops the checks. Resolves when all deliveries have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looks.stop();
    this.#cancelTimer();
    await Promise.all(this.#senders);
  }

  async #look(): Promise<void> {
    const { clock, look } = this.#options;
    const next = await look();
    this.#cancelTimer();
    if (next !== undefined) this.#wakeAfter(Math.max(1, next - clock.now()));
  }

  #wakeAfter(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#stopped ? () => undefined : this.#options.clock.after(ms, () => this.wake());
  }
}

import type { Logger } from 'pino';
import { Rerun } from '../../../async/rerun.ts';
import type { Clock } from '../../../ports/clock.ts';

/** After a failure of its own, a queue is looked at again. */
const AFTER_FAILURE_MS = 1_000;

interface DueLoopOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Begins what is due. @returns when more falls due, in milliseconds since 1970; undefined where nothing waits */
  readonly look: () => Promise<number | undefined>;
}

/** Looks at a queue whenever something came or falls due, and keeps those that work on it until they have ended. */
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

  /** Those who work at present. */
  get senders(): number {
    return this.#senders.size;
  }

  /** Looks at the queue, now and whenever the next message is due. */
  wake(): void {
    void this.#looks.wake();
  }

  /** Looks again once the work has ended; if it failed, a moment later. */
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

  /** Looks no more; resolves when all who work have ended. */
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

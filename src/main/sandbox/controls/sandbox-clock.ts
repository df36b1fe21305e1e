import type { SandboxClockSetting } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';

/** A clock setting and the machine time at which it was made. */
interface ClockState extends SandboxClockSetting {
  readonly since: number;
}

/** The sandbox's clock: the machine's time, a shifted time, or a fixed time. Timers always run at the machine's pace. */
export class SandboxClock implements Clock {
  readonly #base: Clock;
  #state: ClockState;
  #held: number | undefined;

  /** @param stored an earlier value of {@link stored} */
  constructor(base: Clock, stored?: string) {
    this.#base = base;
    this.#state = stored === undefined ? { at: null, frozen: false, since: 0 } : (JSON.parse(stored) as ClockState);
  }

  now(): number {
    if (this.#held !== undefined) return this.#held;
    const { at, frozen, since } = this.#state;
    if (at === null) return this.#base.now();
    return frozen ? at : at + Math.max(0, this.#base.now() - since);
  }

  after(ms: number, run: () => void): () => void {
    return this.#base.after(ms, run);
  }

  get frozen(): boolean {
    return this.#state.at !== null && this.#state.frozen;
  }

  /** The serialised state for the database. */
  get stored(): string {
    return JSON.stringify(this.#state);
  }

  set({ at, frozen }: SandboxClockSetting): void {
    this.#state = { at, frozen, since: this.#base.now() };
  }

  /** Runs work with the clock fixed at a time. */
  async during<T>(time: number | undefined, work: () => Promise<T>): Promise<T> {
    this.#held = time;
    try {
      return await work();
    } finally {
      this.#held = undefined;
    }
  }
}

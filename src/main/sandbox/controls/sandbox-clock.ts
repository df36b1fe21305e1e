import type { SandboxClockSetting } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';

/** A clock setting with the machine's time it was made at. */
interface ClockState extends SandboxClockSetting {
  readonly since: number;
}

/** The sandbox's time: the machine's, or one of its own that runs on or stands still. Timers keep the machine's pace. */
export class SandboxClock implements Clock {
  readonly #base: Clock;
  #state: ClockState;
  #held: number | undefined;

  /** @param stored what {@link stored} gave */
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

  /** What the database keeps of it. */
  get stored(): string {
    return JSON.stringify(this.#state);
  }

  set({ at, frozen }: SandboxClockSetting): void {
    this.#state = { at, frozen, since: this.#base.now() };
  }

  /** Runs work at a fixed time. */
  async during<T>(time: number | undefined, work: () => Promise<T>): Promise<T> {
    this.#held = time;
    try {
      return await work();
    } finally {
      this.#held = undefined;
    }
  }
}

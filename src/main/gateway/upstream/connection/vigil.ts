import { availableParallelism } from 'node:os';

/** An upstream that answers sooner than this (ms) is on this machine or beside it. */
const NEAR_MS = 0.3;
/** No answer is waited for awake longer than this (ms). */
const LONGEST_MS = 0.4;
/** A caller who asks one thing after the other has its next question here within this time (ms). */
const NEXT_MS = 0.12;

/** What is waited for. */
interface Awaited {
  readonly ended: boolean;
}

/**
 * Keeps the event loop awake while the only call under way to a near upstream is answered, and until its caller may have asked the next. To
 * fall asleep and be woken, twice a call, takes about as long as such an answer does; a caller who asks one thing after the other gets it
 * sooner so, and the processor has nothing else to do.
 */
export class Vigil {
  readonly #now: () => number;
  readonly #soon: (look: () => void) => void;
  readonly #possible: boolean;
  #awaited: Awaited | undefined;
  #until = 0;
  #looking = false;

  /**
   * @param now milliseconds that never go back
   * @param soon calls back when the event loop has looked at its connections once
   * @param processors with one alone, the upstream would wait for the processor this takes
   */
  constructor(
    now: () => number = () => performance.now(),
    soon: (look: () => void) => void = setImmediate,
    processors = availableParallelism(),
  ) {
    this.#now = now;
    this.#soon = soon;
    this.#possible = processors > 1;
  }

  /**
   * @param sent as the clock was
   * @param latency milliseconds the upstream's answers take of late; undefined where that is not known
   */
  keep(awaited: Awaited, sent: number, latency: number | undefined): void {
    if (!this.#possible || latency === undefined || latency > NEAR_MS) return;
    this.#awaited = awaited;
    this.#until = sent + LONGEST_MS;
    if (this.#looking) return;
    this.#looking = true;
    this.#soon(this.#look);
  }

  readonly #look = (): void => {
    const now = this.#now();
    if (this.#awaited?.ended === true) {
      this.#awaited = undefined;
      this.#until = now + NEXT_MS;
    }
    if (now < this.#until) {
      this.#soon(this.#look);
      return;
    }
    this.#awaited = undefined;
    this.#looking = false;
  };
}

/** The time, passed in so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Calls `run` once after `ms` milliseconds. The timer never keeps the process alive. @returns cancels the timer */
  after(ms: number, run: () => void): () => void;
}

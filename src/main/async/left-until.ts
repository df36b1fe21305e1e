/**
 * How much is left of a wait, by a wall clock that may be changed meanwhile.
 * @param until its end and `now`, in milliseconds since 1970
 * @param mostMs how long the wait was when it began; more can only be left where the clock was put back since, and ends it
 * @returns milliseconds; 0 where it is over
 */
export function leftUntil(until: number, now: number, mostMs: number): number {
  const left = until - now;
  return left > mostMs ? 0 : Math.max(0, left);
}

/** Whether a duration has passed since a time, by such a clock. Also true if the clock was put back to before that time. */
export function isOver(ms: number, since: number, now: number): boolean {
  return now < since || now - since >= ms;
}

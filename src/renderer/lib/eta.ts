const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Share of a new estimate that is applied per second. */
const WEIGHT = 0.15;
/** The displayed time increases only if the estimate is longer by this factor, and then to at least two minutes. */
const RISE = 1.5;
const LEAST_RISE = 2 * MINUTE;
/** Two estimates one after the other that are shorter than the smoothed one by this factor replace it: the first ones of a short work know one piece of it. */
const FALL = 3;

/** Remaining time of some work, smoothed so that the display does not jump. */
export interface Eta {
  /** Smoothed time of completion, in milliseconds. */
  readonly endsAt: number;
  /** Time of the last estimate. */
  readonly at: number;
  /** Displayed remaining time, rounded, in milliseconds. */
  readonly shown: number;
  /** Whether the last estimate was far shorter than the smoothed one. */
  readonly falls: boolean;
}

/** Rounds a duration for display: 0 below a minute, then minutes, steps of five from ten on, and hours from an hour and a half on. */
export function coarse(milliseconds: number): number {
  if (milliseconds < 0.75 * MINUTE) return 0;
  if (milliseconds < 9.5 * MINUTE) return Math.max(1, Math.round(milliseconds / MINUTE)) * MINUTE;
  if (milliseconds < 1.5 * HOUR) return Math.round(milliseconds / (5 * MINUTE)) * 5 * MINUTE;
  return Math.round(milliseconds / HOUR) * HOUR;
}

/**
 * Applies a new estimate. Estimates vary with every piece of work. The displayed time decreases as time passes and increases only if the work
 * is much slower than estimated.
 * @param left the new estimate of the remaining time, in milliseconds
 */
export function nextEta(before: Eta | undefined, left: number, now: number): Eta {
  if (before === undefined) return { endsAt: now + left, at: now, shown: coarse(left), falls: false };
  const weight = 1 - (1 - WEIGHT) ** Math.max(0, (now - before.at) / 1_000);
  const expected = before.endsAt - now;
  // The time that passes is no new estimate.
  const falls = left === expected ? before.falls : left * FALL < expected;
  const endsAt = falls && before.falls ? now + left : before.endsAt + (now + left - before.endsAt) * weight;
  const smoothed = Math.max(0, endsAt - now);
  const wanted = coarse(smoothed);
  const rises = wanted > before.shown && smoothed > Math.max(before.shown * RISE, LEAST_RISE);
  return { endsAt, at: now, shown: wanted < before.shown || rises ? wanted : before.shown, falls };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How much of a new estimate is taken over at each second. */
const WEIGHT = 0.15;
/** The time that is shown rises only where the estimate is so much longer, and never to less than two minutes. */
const RISE = 1.5;
const LEAST_RISE = 2 * MINUTE;

/** How long work still takes, told so that it does not jump. */
export interface Eta {
  /** When it ends by the smoothed estimate, in milliseconds. */
  readonly endsAt: number;
  /** When the last estimate came. */
  readonly at: number;
  /** What is shown, in coarse milliseconds. */
  readonly shown: number;
}

/** Rounds to what a person plans by: below a minute 0, then minutes, from ten on steps of five, from an hour and a half on whole hours. */
export function coarse(milliseconds: number): number {
  if (milliseconds < 0.75 * MINUTE) return 0;
  if (milliseconds < 9.5 * MINUTE) return Math.max(1, Math.round(milliseconds / MINUTE)) * MINUTE;
  if (milliseconds < 1.5 * HOUR) return Math.round(milliseconds / (5 * MINUTE)) * 5 * MINUTE;
  return Math.round(milliseconds / HOUR) * HOUR;
}

/**
 * Takes a new estimate in. Estimates of a rate rise and fall with every piece of work; what is shown falls with the time and rises only where
 * the work is much slower than thought.
 * @param left the new estimate in milliseconds
 */
export function nextEta(before: Eta | undefined, left: number, now: number): Eta {
  if (before === undefined) return { endsAt: now + left, at: now, shown: coarse(left) };
  const weight = 1 - (1 - WEIGHT) ** Math.max(0, (now - before.at) / 1_000);
  const endsAt = before.endsAt + (now + left - before.endsAt) * weight;
  const smoothed = Math.max(0, endsAt - now);
  const wanted = coarse(smoothed);
  const rises = wanted > before.shown && smoothed > Math.max(before.shown * RISE, LEAST_RISE);
  return { endsAt, at: now, shown: wanted < before.shown || rises ? wanted : before.shown };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The largest timestamp of a block, in seconds. */
export const LAST_MS = 4_294_967_295_000;

/** Stops of the slider, as an offset from its start. */
const AHEAD = [
  0,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  3 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  365 * DAY,
] as const;

/** Stops with a label. */
export const markedSteps = [
  { value: AHEAD.indexOf(HOUR), unit: 'hour' },
  { value: AHEAD.indexOf(DAY), unit: 'day' },
  { value: AHEAD.indexOf(7 * DAY), unit: 'week' },
  { value: AHEAD.indexOf(365 * DAY), unit: 'year' },
] as const;

/**
 * Times of the slider's stops in ascending order, in milliseconds. The first is this machine's time, or just after the median time
 * if that is later: the next block must be later than the median of the last eleven.
 */
export function clockStops(machine: number, medianTime: number): number[] {
  const earliest = Math.max(machine, medianTime + 1_000);
  const stops = AHEAD.map((ahead) => earliest + ahead).filter((at) => at <= LAST_MS);
  return stops.length > 0 ? stops : [LAST_MS];
}

export function stepAt(stops: readonly number[], at: number): number {
  const distances = stops.map((stop) => Math.abs(stop - at));
  return distances.indexOf(Math.min(...distances));
}

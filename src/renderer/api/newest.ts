/** A job as it was at some time. */
interface Version {
  updatedAt: number;
  history?: readonly unknown[];
}

/** An answer is late by seconds at the most; what seems older by more was written after the clock was put back. */
const LATEST_MS = 60_000;

/**
 * Keeps the newer of two versions of a job. Answers and live events come over different ways, so an answer that was written before an
 * event may arrive after it; taken as it is, it would show a state long left until the next event.
 */
export function keepNewest(old: unknown, latest: unknown): unknown {
  if (!isVersion(old) || !isVersion(latest)) return latest;
  const steps = (latest.history?.length ?? 0) - (old.history?.length ?? 0);
  if (steps !== 0) return steps > 0 ? latest : old;
  const late = old.updatedAt - latest.updatedAt;
  return late > 0 && late < LATEST_MS ? old : latest;
}

function isVersion(value: unknown): value is Version {
  return typeof value === 'object' && value !== null && typeof (value as Version).updatedAt === 'number';
}

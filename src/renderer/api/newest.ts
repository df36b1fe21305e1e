/** A job at some time. */
interface Version {
  updatedAt: number;
  history?: readonly unknown[];
}

/** A reply is late by a few seconds at most. A version that seems older by more was written after the clock was set back. */
const LATEST_MS = 60_000;

/**
 * Keeps the newer of two versions of a job. Replies and live events use different channels, so a reply that was written before an event may
 * arrive after it. Without this it would replace the newer state until the next event.
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

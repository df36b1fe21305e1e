const DAY_MS = 86_400_000;

/** Lifetimes of a key; `date` is a day and time of the person's choice. */
export const lifetimes = ['never', 'day', 'week', 'month', 'year', 'date'] as const;
export type Lifetime = (typeof lifetimes)[number];

const days: Readonly<Partial<Record<Lifetime, number>>> = { day: 1, week: 7, month: 30, year: 365 };

/**
 * When a key expires, in milliseconds; null for never.
 * @param date local date and time as a form gives it, read for `date` alone
 * @returns undefined if the date is invalid or has passed
 */
export function readExpiry(lifetime: Lifetime, date: string, now: number): number | null | undefined {
  if (lifetime === 'never') return null;
  if (lifetime !== 'date') return now + (days[lifetime] as number) * DAY_MS;
  const at = new Date(date).getTime();
  return Number.isFinite(at) && at > now ? at : undefined;
}

export function keyState(
  { revokedAt, expiresAt }: { revokedAt: number | null; expiresAt: number | null },
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

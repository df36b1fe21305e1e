import { describe, expect, it } from 'vitest';
import { keyState, readExpiry } from './expiry.ts';

const now = new Date('2026-06-01T12:00:00').getTime();

describe('the end of a key', () => {
  it('is never, after some days, or at a date to come', () => {
    expect(readExpiry('never', '', now)).toBeNull();
    expect(readExpiry('week', '', now)).toBe(now + 7 * 86_400_000);
    expect(readExpiry('date', '2026-06-01T12:01', now)).toBe(now + 60_000);
    expect(readExpiry('date', '2026-06-01T11:59', now)).toBeUndefined();
    expect(readExpiry('date', '', now)).toBeUndefined();
  });

  it('differs from a revoked key', () => {
    expect(keyState({ revokedAt: null, expiresAt: null }, now)).toBe('active');
    expect(keyState({ revokedAt: null, expiresAt: now }, now)).toBe('expired');
    expect(keyState({ revokedAt: 1, expiresAt: now }, now)).toBe('revoked');
  });
});

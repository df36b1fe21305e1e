import { describe, expect, it } from 'vitest';
import { keyState, readExpiry } from './expiry.ts';

const now = new Date('2026-06-01T12:00:00').getTime();

describe('the expiry of a key', () => {
  it('is never, after some days, or at a future date', () => {
    expect(readExpiry('never', '', now)).toBeNull();
    expect(readExpiry('week', '', now)).toBe(now + 7 * 86_400_000);
    expect(readExpiry('date', '2026-06-01T12:01', now)).toBe(now + 60_000);
    expect(readExpiry('date', '2026-06-01T11:59', now)).toBeUndefined();
    expect(readExpiry('date', '', now)).toBeUndefined();
  });

  it('is a different state from revocation', () => {
    expect(keyState({ revokedAt: null, expiresAt: null }, now)).toBe('active');
    expect(keyState({ revokedAt: null, expiresAt: now }, now)).toBe('expired');
    expect(keyState({ revokedAt: 1, expiresAt: now }, now)).toBe('revoked');
  });
});

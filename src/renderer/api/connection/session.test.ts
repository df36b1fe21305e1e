import { describe, expect, it } from 'vitest';
import { exchangeToken, tokenFromHash } from './session.ts';

describe('the one-time token', () => {
  it('is read only from a fragment of its own', () => {
    expect(tokenFromHash('#token=Ab3_-xyz9')).toBe('Ab3_-xyz9');
    expect(tokenFromHash('#/projects')).toBeNull();
    expect(tokenFromHash('#token=short')).toBeNull();
    expect(tokenFromHash('#token=abcdefghij&next=/x')).toBeNull();
    expect(tokenFromHash('')).toBeNull();
  });

  it('is removed from the address before it is sent, and a refusal or an unreachable host is reported', async () => {
    const order: string[] = [];
    const answer = (status: number): typeof fetch => {
      return async (_url, init) => {
        order.push(String(init?.body));
        return new Response(null, { status });
      };
    };
    expect(await exchangeToken('secret-token', answer(204), () => order.push('forgotten'))).toBe(true);
    expect(order).toEqual(['forgotten', '{"token":"secret-token"}']);
    expect(await exchangeToken('secret-token', answer(401), () => {})).toBe(false);
    const dead: typeof fetch = async () => {
      throw new TypeError('fetch failed');
    };
    expect(await exchangeToken('secret-token', dead, () => {})).toBe(false);
  });
});

import fc from 'fast-check';
import sodium from 'libsodium-wrappers';
import { beforeAll, describe, expect, it } from 'vitest';
import { CallbackKeys } from './callback-keys.ts';

const RUNS = process.env.PLANCHET_LONG ? 20_000 : 500;
let keys: CallbackKeys;
let publicKey: Uint8Array;
beforeAll(async () => {
  await sodium.ready;
  keys = CallbackKeys.of(new Uint8Array(32).fill(7));
  publicKey = Buffer.from(keys.encryption.split(' ')[2] ?? '', 'base64');
});

/** The start of a period. */
const NOW = 700 * 30 * 86_400_000;

describe('a sealed box', () => {
  it('that libsodium made for our key is opened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 4_096 }), async (message) => {
        expect(await keys.unseal(sodium.crypto_box_seal(message, publicKey))).toEqual(message);
      }),
      { numRuns: RUNS },
    );
  });

  it('is refused if any bit was altered, it was cut or made longer', async () => {
    const alteration = fc.record({
      message: fc.uint8Array({ maxLength: 256 }),
      at: fc.nat(),
      bit: fc.integer({ min: 0, max: 7 }),
      cut: fc.nat({ max: 64 }),
      more: fc.uint8Array({ minLength: 1, maxLength: 32 }),
    });
    await fc.assert(
      fc.asyncProperty(alteration, async ({ message, at, bit, cut, more }) => {
        const sealed = sodium.crypto_box_seal(message, publicKey);
        const altered = sealed.slice();
        const index = at % altered.length;
        altered[index] = (altered[index] as number) ^ (1 << bit);
        expect(await keys.unseal(altered)).toBeUndefined();
        expect(await keys.unseal(sealed.subarray(0, sealed.length - 1 - cut))).toBeUndefined();
        expect(await keys.unseal(Buffer.concat([sealed, more]))).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  it('for another key is refused, as are bytes that are no box', async () => {
    const other = CallbackKeys.of(new Uint8Array(32).fill(8));
    const sealed = sodium.crypto_box_seal(Buffer.from('{}'), publicKey);
    expect(await other.unseal(sealed)).toBeUndefined();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 512 }), async (bytes) => (await keys.unseal(bytes)) === undefined),
      { numRuns: RUNS },
    );
  });
});

describe('a token of callbacks', () => {
  it('is taken for its own path and miner alone', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 64, unit: 'binary' }), fc.nat(), (minerId, at) => {
        const { path, token } = keys.issue(minerId, NOW);
        expect(keys.minerOf(path, token, NOW)).toBe(minerId);
        expect(keys.minerOf(path, `Bearer ${token}`, NOW)).toBe(minerId);
        const index = at % token.length;
        const wrong = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`;
        expect(keys.minerOf(path, wrong, NOW)).toBeUndefined();
        expect(keys.minerOf(keys.issue(minerId, NOW).path, token, NOW)).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  it('expires with the period after the one that it was issued in, and cannot be made to last', () => {
    const day = 86_400_000;
    const { path, token } = keys.issue('m', NOW, ['ab'.repeat(32)]);
    expect(keys.issue('m', NOW + 29 * day, ['ab'.repeat(32)])).toEqual({ path, token });
    expect(keys.issue('m', NOW + 30 * day, ['ab'.repeat(32)]).path).not.toBe(path);
    expect(keys.minerOf(path, token, NOW + 59 * day)).toBe('m');
    expect(keys.minerOf(path, token, NOW + 60 * day)).toBeUndefined();
    const later = path.replace(/\d+$/, (period) => String(Number(period) + 2));
    expect(keys.minerOf(later, token, NOW + 60 * day)).toBeUndefined();
  });
});

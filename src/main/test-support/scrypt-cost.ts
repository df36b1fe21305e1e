import type { ScryptCost } from '../vault/scrypt-cost.ts';

/** What a passphrase costs in most tests, which seal and open hundreds of times: `vitest.config.ts` puts it in the place of the real cost. */
export const DEFAULT_SCRYPT: ScryptCost = { N: 2 ** 10, r: 8, p: 1 };

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blockHeight, coinSide, transactionSide } from './scale.ts';

it.each([
  [blockHeight, 24, 92],
  [transactionSide, 20, 44],
  [coinSide, 36, 56],
])('%o increases with its argument and stays within its bounds', (size, least, most) => {
  fc.assert(
    fc.property(fc.nat({ max: 2_000_000_000 }), fc.nat({ max: 2_000_000_000 }), (a, b) => {
      const [small, large] = [size(Math.min(a, b)), size(Math.max(a, b))];
      expect(small).toBeLessThanOrEqual(large);
      expect(small).toBeGreaterThanOrEqual(least);
      expect(large).toBeLessThanOrEqual(most);
    }),
  );
});

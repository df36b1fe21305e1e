import { describe, expect, it } from 'vitest';
import { fold, layoutFlow, ROW_HEIGHT } from './flow-layout.ts';

describe('drawing of a transaction', () => {
  const inputs = [{ key: 'a', satoshis: 100_000 }];
  const outputs = [
    { key: 't', satoshis: 1 },
    { key: 'c', satoshis: 95_000 },
    { key: 'f', satoshis: 4_999 },
  ];

  it('is as high as its longer side and centres the shorter one', () => {
    const flow = layoutFlow(inputs, outputs);
    expect(flow.height).toBe(3 * ROW_HEIGHT);
    expect(flow.left[0]?.y).toBe(flow.height / 2);
    expect(flow.right.map((band) => band.y)).toEqual([26, 78, 130]);
  });

  it('gives every value a width in proportion, and the smallest a visible one', () => {
    const [token, change, fee] = layoutFlow(inputs, outputs).right;
    expect(token?.width).toBe(2);
    expect((change?.width ?? 0) / (fee?.width ?? 1)).toBeCloseTo(95_000 / 4_999, 3);
  });

  it('survives nothing at all', () => {
    expect(layoutFlow([], [])).toMatchObject({ height: ROW_HEIGHT, left: [], right: [] });
    expect(layoutFlow([{ key: 'z', satoshis: 0 }], []).left[0]?.width).toBe(2);
  });

  it('folds long lists but never hides a single entry behind a count', () => {
    expect(fold([1, 2, 3], 2)).toEqual({ visible: [1, 2, 3], rest: [] });
    expect(fold([1, 2, 3, 4], 2)).toEqual({ visible: [1, 2], rest: [3, 4] });
  });
});

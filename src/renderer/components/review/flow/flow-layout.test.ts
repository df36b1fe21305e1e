import { describe, expect, it } from 'vitest';
import { fold, layoutFlow, ROW_HEIGHT } from './flow-layout.ts';

describe('the layout of a transaction’s drawing', () => {
  const inputs = [{ key: 'a', satoshis: 100_000 }];
  const outputs = [
    { key: 't', satoshis: 1 },
    { key: 'c', satoshis: 95_000 },
    { key: 'f', satoshis: 4_999 },
  ];

  it('has the height of the side with more bands and centres the other', () => {
    const flow = layoutFlow(inputs, outputs);
    expect(flow.height).toBe(3 * ROW_HEIGHT);
    expect(flow.left[0]?.y).toBe(flow.height / 2);
    expect(flow.right.map((band) => band.y)).toEqual([26, 78, 130]);
  });

  it('distinguishes 1, 30,000 and 100,000,000 satoshis, with the smallest still visible', () => {
    const values = [1, 30_000, 100_000_000].map((satoshis) => ({ key: String(satoshis), satoshis }));
    const [one, some, coin] = layoutFlow([], values).right.map(({ width }) => width) as [number, number, number];
    expect(one).toBe(2);
    expect(some).toBeGreaterThan(8 * one);
    expect(coin).toBeGreaterThan(1.5 * some);
    expect(one + some + coin).toBeLessThan(60);
  });

  it('accepts a transaction without parts', () => {
    expect(layoutFlow([], [])).toMatchObject({ height: ROW_HEIGHT, left: [], right: [] });
    expect(layoutFlow([{ key: 'z', satoshis: 0 }], []).left[0]?.width).toBe(2);
  });

  it('folds long lists but never hides a single entry behind a count', () => {
    expect(fold([1, 2, 3], 2)).toEqual({ visible: [1, 2, 3], rest: [] });
    expect(fold([1, 2, 3, 4], 2)).toEqual({ visible: [1, 2], rest: [3, 4] });
  });
});

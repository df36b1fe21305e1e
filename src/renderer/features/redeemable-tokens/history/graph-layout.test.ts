import { describe, expect, it } from 'vitest';
import { layoutHistory } from './graph-layout.ts';

const txid = (n: number): string => String(n).padStart(64, '0');
const step = (n: number, inputs: string[], amounts: number[]) => ({
  txid: txid(n),
  action: 'split' as const,
  verified: true,
  blockHeight: n,
  inputs,
  outputs: amounts.map((satoshis, vout) => ({
    outpoint: `${txid(n)}_${vout}`,
    satoshis,
    address: 'a',
    own: true,
    redeemed: false,
  })),
});

describe('layoutHistory', () => {
  it('puts a step to the right of everything it spends', () => {
    const { nodes } = layoutHistory([
      step(1, [], [10]),
      step(2, [`${txid(1)}_0`], [4, 6]),
      step(3, [`${txid(2)}_0`], [4]),
      step(4, [`${txid(2)}_1`, `${txid(3)}_0`], [10]),
    ]);
    const xs = nodes.map(({ x }) => x);
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
    expect(new Set(xs).size).toBe(4);
  });

  it('draws a band for every output, the largest the widest, and keeps all within the picture', () => {
    const { edges, width, height, nodes } = layoutHistory([
      step(1, [], [100]),
      step(2, [`${txid(1)}_0`], [1, 29, 70]),
      step(3, [`${txid(2)}_0`], [1]),
    ]);
    expect(edges).toHaveLength(5);
    expect(Math.max(...edges.map((edge) => edge.width))).toBe(edges[0]?.width);
    for (const { x, y } of nodes) {
      expect(x).toBeLessThan(width);
      expect(y).toBeLessThan(height);
    }
    for (const { labelX, labelY } of edges) {
      expect(labelX).toBeLessThan(width);
      expect(labelY).toBeLessThan(height);
    }
  });
});

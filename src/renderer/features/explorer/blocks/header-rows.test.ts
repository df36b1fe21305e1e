import { describe, expect, it } from 'vitest';
import type { BlockRow } from '../../../../contract/index.ts';
import { HeaderRows } from './header-rows.ts';

const headerOf = (height: number, branch = 'a'): BlockRow => ({
  hash: `${branch}${height}`,
  height,
  time: height,
  size: null,
  transactions: 1,
  fees: null,
  value: null,
  payingBytes: null,
  merkleRoot: 'ab'.repeat(32),
});

describe('headers of the blocks in sight', () => {
  it('are asked for once, and a row stays the same until its header changes', async () => {
    const asked: number[] = [];
    const headerRows = new HeaderRows(async (height) => {
      asked.push(height);
      return headerOf(height);
    });
    headerRows.tipMoved({ height: 1_000, hash: 'tip' });
    expect(headerRows.row(999).header).toBeUndefined();
    expect(await headerRows.read([1_000, 999])).toEqual({ changed: true, error: undefined });
    expect(await headerRows.read([1_000, 999])).toEqual({ changed: false, error: undefined });
    expect(asked).toEqual([1_000, 999]);
    const row = headerRows.row(999);
    expect(row.header?.hash).toBe('a999');
    headerRows.tipMoved({ height: 1_000, hash: 'tip' });
    expect(headerRows.row(999)).toBe(row);
  });

  it('near a new tip are forgotten, those deep below stay', async () => {
    let branch = 'a';
    const headerRows = new HeaderRows(async (height) => headerOf(height, branch));
    headerRows.tipMoved({ height: 1_000, hash: 'one' });
    await headerRows.read([1_000, 10]);
    branch = 'b';
    headerRows.tipMoved({ height: 1_000, hash: 'other' });
    expect(headerRows.row(1_000).header).toBeUndefined();
    expect(headerRows.row(10).header?.hash).toBe('a10');
    await headerRows.read([1_000, 10]);
    expect(headerRows.row(1_000).header?.hash).toBe('b1000');
  });

  it('that cannot be read are reported and requested again', async () => {
    let broken = true;
    const headerRows = new HeaderRows(async (height) => {
      if (broken) throw new Error('away');
      return headerOf(height);
    });
    headerRows.tipMoved({ height: 5, hash: 'tip' });
    expect(await headerRows.read([5])).toEqual({ changed: false, error: expect.any(Error) });
    broken = false;
    expect(await headerRows.read([5])).toEqual({ changed: true, error: undefined });
  });

  it('are all exported, also those that another round is still reading', async () => {
    const barrier = Promise.withResolvers<void>();
    let asked = 0;
    const headerRows = new HeaderRows(async (height) => {
      if (asked++ === 0) await barrier.promise;
      return headerOf(height);
    });
    headerRows.tipMoved({ height: 5, hash: 'tip' });
    const inSight = headerRows.read([5]);
    const rows = await headerRows.complete([5, 4]);
    expect(rows.map(({ header }) => header?.hash)).toEqual(['a5', 'a4']);
    barrier.resolve();
    await inSight;
  });

  it('are exported as of one tip, although it moves meanwhile', async () => {
    let branch = 'a';
    const headerRows = new HeaderRows(async (height) => {
      const header = headerOf(height, branch);
      if (branch === 'a' && height === 970) {
        branch = 'b';
        headerRows.tipMoved({ height: 1_000, hash: 'other' });
      }
      return header;
    });
    headerRows.tipMoved({ height: 1_000, hash: 'one' });
    const heights = Array.from({ length: 60 }, (_, index) => 1_000 - index);
    const rows = await headerRows.complete(heights);
    expect(rows.map(({ header }) => header?.hash)).toEqual(heights.map((height) => `b${height}`));
  });

  it('are not exported if one cannot be read', async () => {
    const headerRows = new HeaderRows(async (height) => {
      if (height === 4) throw new Error('away');
      return headerOf(height);
    });
    headerRows.tipMoved({ height: 5, hash: 'tip' });
    await expect(headerRows.complete([5, 4, 3])).rejects.toThrow('away');
  });
});

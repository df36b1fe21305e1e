import { describe, expect, it } from 'vitest';
import type { BlockRow } from '../../../../contract/index.ts';
import { HeaderBook } from './header-book.ts';

const headerOf = (height: number, branch = 'a'): BlockRow => ({
  hash: `${branch}${height}`,
  height,
  time: height,
  size: null,
  transactions: 1,
  fees: null,
  value: null,
  merkleRoot: 'ab'.repeat(32),
});

describe('headers of the blocks in sight', () => {
  it('are asked for once, and a row stays the same until its header changes', async () => {
    const asked: number[] = [];
    const book = new HeaderBook(async (height) => {
      asked.push(height);
      return headerOf(height);
    });
    book.tipMoved({ height: 1_000, hash: 'tip' });
    expect(book.row(999).header).toBeUndefined();
    expect(await book.read([1_000, 999])).toEqual({ changed: true, error: undefined });
    expect(await book.read([1_000, 999])).toEqual({ changed: false, error: undefined });
    expect(asked).toEqual([1_000, 999]);
    const row = book.row(999);
    expect(row.header?.hash).toBe('a999');
    book.tipMoved({ height: 1_000, hash: 'tip' });
    expect(book.row(999)).toBe(row);
  });

  it('near a new tip are forgotten, those deep below stay', async () => {
    let branch = 'a';
    const book = new HeaderBook(async (height) => headerOf(height, branch));
    book.tipMoved({ height: 1_000, hash: 'one' });
    await book.read([1_000, 10]);
    branch = 'b';
    book.tipMoved({ height: 1_000, hash: 'other' });
    expect(book.row(1_000).header).toBeUndefined();
    expect(book.row(10).header?.hash).toBe('a10');
    await book.read([1_000, 10]);
    expect(book.row(1_000).header?.hash).toBe('b1000');
  });

  it('that cannot be read are reported and requested again', async () => {
    let broken = true;
    const book = new HeaderBook(async (height) => {
      if (broken) throw new Error('away');
      return headerOf(height);
    });
    book.tipMoved({ height: 5, hash: 'tip' });
    expect(await book.read([5])).toEqual({ changed: false, error: expect.any(Error) });
    broken = false;
    expect(await book.read([5])).toEqual({ changed: true, error: undefined });
  });
});

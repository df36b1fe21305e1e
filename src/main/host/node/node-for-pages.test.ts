import { describe, expect, it, vi } from 'vitest';
import { MAX_BLOCK_ROWS } from '../../../contract/index.ts';
import { nodeForPages } from './node-for-pages.ts';

const idOf = (n: number): string => n.toString(16).padStart(64, '0');

/** A node whose blocks have so many transactions. */
function blocksOf(transactions: number) {
  let confirmations = 0;
  const call = vi.fn(async (method: string, [hash]: unknown[]) => {
    if (hash === 'none') return { result: null, error: { code: -5, message: 'Block not found' } };
    confirmations++;
    const header = { hash, height: 7, confirmations };
    const tx = Array.from({ length: transactions }, (_, n) => idOf(n));
    return { result: method === 'getblock' ? { ...header, size: 9, tx } : header, error: null };
  });
  const port = nodeForPages(call);
  const read = (hash: string, from = 0, search = '') => port.block({ hash, search, from }, undefined);
  return { call, read };
}

describe('a block for the page', () => {
  it('is told in parts, in its order, and asked for whole once', async () => {
    const { call, read } = blocksOf(1_000);
    const first = await read('a');
    expect(first.error).toBeNull();
    expect(first.result).toMatchObject({ transactions: 1_000, found: 1_000, block: { height: 7, confirmations: 1 } });
    expect(first.result?.block).not.toHaveProperty('tx');
    expect(first.result?.rows).toHaveLength(MAX_BLOCK_ROWS);
    const { result } = await read('a', 900);
    expect(result?.rows.map(({ position }) => position)).toEqual(Array.from({ length: 100 }, (_, n) => 900 + n));
    expect(result?.rows[0]?.txid).toBe(idOf(900));
    expect(result?.block).toEqual({ hash: 'a', height: 7, confirmations: 2, size: 9 });
    expect(call.mock.calls.map(([method]) => method)).toEqual(['getblock', 'getblockheader']);
  });

  it('is searched by a part of an id, whatever its case', async () => {
    const { read } = blocksOf(1_000);
    const { result } = await read('a', 1, '3E');
    const wanted = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => idOf(n).includes('3e'));
    expect(result?.found).toBe(wanted.length);
    expect(result?.rows.map(({ position }) => position)).toEqual(wanted.slice(1));
  });

  it('is refused in the words of the node', async () => {
    const { read } = blocksOf(1);
    expect(await read('none')).toEqual({ result: null, error: { code: -5, message: 'Block not found' } });
  });

  it('is forgotten when others with many transactions were read since', async () => {
    const { call, read } = blocksOf(30_000);
    for (const hash of ['a', 'a', 'b', 'b', 'a']) await read(hash);
    expect(call.mock.calls.map(([method]) => method)).toEqual([
      'getblock',
      'getblockheader',
      'getblock',
      'getblockheader',
      'getblock',
    ]);
  });
});

import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { hashRoute } from './hash-links.ts';
import { JsonText, JsonTree } from './json-tree.tsx';

const hash = 'ab'.repeat(32);

describe('JSON that folds', () => {
  it('draws the beginning of a long list and more on demand', async () => {
    const user = renderPart(<JsonTree label="Answer" value={Array.from({ length: 10_000 }, (_, n) => `value ${n}`)} />);
    expect(screen.getByText('10,000 items')).toBeTruthy();
    expect(screen.getAllByRole('listitem')).toHaveLength(51);
    await user.click(screen.getByRole('button', { name: '500 more' }));
    expect(screen.getAllByRole('listitem')).toHaveLength(551);
    await user.click(screen.getByRole('button', { name: /10,000 items/ }));
    expect(screen.queryAllByRole('listitem')).toEqual([]);
  });

  it('links hashes to what their field says they are', () => {
    renderPart(<JsonTree label="Answer" value={{ previousblockhash: hash, tx: [hash], merkleroot: hash }} />);
    const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toEqual([`#/explorer/block/${hash}`, `#/tx/${hash}`]);
  });

  it('takes a hash alone for what its command returns, and looks up any other', () => {
    expect(hashRoute(hash, 'getblockhash')).toBe(`/explorer/block/${hash}`);
    expect(hashRoute(hash, 'getrawmempool')).toBe(`/tx/${hash}`);
    expect(hashRoute(hash, 'hash')).toBe(`/explorer?find=${hash}`);
    expect(hashRoute('0'.repeat(64), 'previousblockhash')).toBeUndefined();
    expect(hashRoute('ab', 'txid')).toBeUndefined();
  });

  it('shows what is no JSON as it is', () => {
    renderPart(<JsonText label="Answer" text="Block not found" />);
    expect(screen.getByRole('group', { name: 'Answer' }).textContent).toBe('Block not found');
  });
});

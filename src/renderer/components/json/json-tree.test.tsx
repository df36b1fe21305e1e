import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { hashRoute } from './hash-links.ts';
import { JsonText, JsonTree } from './json-tree.tsx';

const hash = 'ab'.repeat(32);

describe('the JSON tree', () => {
  it('renders the start of a long list, and more on request', async () => {
    const user = renderPart(<JsonTree label="Answer" value={Array.from({ length: 10_000 }, (_, n) => `value ${n}`)} />);
    expect(screen.getByText('10,000 items')).toBeTruthy();
    expect(screen.getAllByRole('listitem')).toHaveLength(51);
    await user.click(screen.getByRole('button', { name: '500 more' }));
    expect(screen.getAllByRole('listitem')).toHaveLength(551);
    await user.click(screen.getByRole('button', { name: /10,000 items/ }));
    expect(screen.queryAllByRole('listitem')).toEqual([]);
  });

  it('links hashes by the name of their field', () => {
    renderPart(<JsonTree label="Answer" value={{ previousblockhash: hash, tx: [hash], merkleroot: hash }} />);
    const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toEqual([`#/explorer/block/${hash}`, `#/tx/${hash}`]);
  });

  it('links a hash without a field by its command, and any other through a look-up', () => {
    expect(hashRoute(hash, 'getblockhash')).toBe(`/explorer/block/${hash}`);
    expect(hashRoute(hash, 'getrawmempool')).toBe(`/tx/${hash}`);
    expect(hashRoute(hash, 'hash')).toBe(`/explorer?find=${hash}`);
    expect(hashRoute('0'.repeat(64), 'previousblockhash')).toBeUndefined();
    expect(hashRoute('ab', 'txid')).toBeUndefined();
  });

  it('shows text that is not JSON as it is', () => {
    renderPart(<JsonText label="Answer" text="Block not found" />);
    expect(screen.getByRole('group', { name: 'Answer' }).textContent).toBe('Block not found');
  });
});

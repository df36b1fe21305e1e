import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { TransactionView } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { Inscriptions } from './inscriptions.tsx';

const txid = 'ab'.repeat(32);

const outputs = (count: number): TransactionView['outputs'] =>
  Array.from({ length: count }, (_, index) => ({
    index,
    satoshis: 1,
    address: null,
    scriptAsm: '',
    data: null,
    inscription: {
      contentType: 'application/octet-stream',
      bytes: 3,
      sha256: `${index}`.padStart(64, '0'),
      metadata: { name: `Moon ${index}`, hue: `hue ${index}` },
    },
  }));

const show = (count: number) => renderPart(<Inscriptions txid={txid} outputs={outputs(count)} />, {});

describe('the inscriptions of a transaction', () => {
  it('are shown in full if they are few', () => {
    show(3);
    expect(screen.getByText('hue 0')).toBeTruthy();
    expect(screen.getByText('hue 2')).toBeTruthy();
  });

  it('are tiles if they are many, and one of them can be opened', async () => {
    const user = show(4);
    expect(screen.getByRole('heading', { name: '4 tokens' })).toBeTruthy();
    expect(screen.queryByText(/^hue/)).toBeNull();
    const tile = screen.getByRole('button', { name: /Moon 2/ });
    await user.click(tile);
    expect(screen.getByText('hue 2')).toBeTruthy();
    expect(screen.queryByText('hue 1')).toBeNull();
    await user.click(tile);
    expect(screen.queryByText('hue 2')).toBeNull();
  });

  it('are loaded in steps if there are hundreds', async () => {
    const user = show(100);
    expect(screen.getAllByRole('listitem')).toHaveLength(24);
    await user.click(screen.getByRole('button', { name: 'Show 76 more' }));
    expect(screen.getAllByRole('listitem')).toHaveLength(100);
  });
});

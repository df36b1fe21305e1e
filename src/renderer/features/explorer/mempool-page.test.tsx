import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { TXID, tracked } from '../../test-support/samples.ts';
import { MempoolPage } from './mempool-page.tsx';

const other = 'cd'.repeat(32);
const waiting = (txid: string, fee: number | null) => ({ txid, fee, size: 200, time: 1_700_000_000 });
const rows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('gridcell')
        .slice(1)
        .map((cell) => cell.textContent),
    );

it('the mempool page lists what pays best first, with what Planchet sent marked', async () => {
  const mempool = () => [waiting(TXID, 10), waiting(other, 100)];
  const list = () => ({ transactions: [tracked], next: null });
  renderPart(<MempoolPage />, { host: { explorer: { mempool }, tx: { list } } });
  expect(await screen.findByText('2 transactions wait')).toBeDefined();
  await screen.findByText('Payment');
  const [first, second] = rows();
  expect(first?.slice(1, 5)).toEqual(['', '500', '100 sat', '200 B']);
  expect(second?.slice(1, 5)).toEqual(['Payment', '50', '10 sat', '200 B']);
});

it('the mempool page lists the ids alone where nobody tells more', async () => {
  const mempool = () => [{ txid: other, size: null, fee: null, time: null }];
  renderPart(<MempoolPage />, {
    host: { explorer: { mempool }, tx: { list: () => ({ transactions: [], next: null }) } },
  });
  expect(await screen.findByText('1 transaction waits')).toBeDefined();
  expect(rows()[0]?.slice(1)).toEqual(['', '–', '–', '–', '–']);
});

import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { ChainPanel } from './chain-panel.tsx';

const idOf = (number: number): string => number.toString(16).padStart(64, '0');
const block = (height: number, txids: number[]) => ({
  hash: idOf(height),
  height,
  time: 1_000 * height,
  bytes: 300,
  transactions: txids.length,
  txids: txids.map(idOf),
});
const chain = {
  blocks: [block(0, []), block(1, []), block(2, [0xa1]), block(3, [0xb1, 0xb2]), block(4, [])],
  mempool: { count: 1, bytes: 225, transactions: [{ txid: idOf(0xc1), bytes: 225, fee: 12, at: 1 }] },
};
const pin = { name: 'before', takenAt: 1, bytes: 1, tip: { hash: idOf(3), height: 3 } };

const handle = () => screen.findByRole('slider', { name: 'End of the chain: blocks to replace' });
const fork = () => screen.queryByRole('region', { name: 'Reorganisation before it is done' });

it('the chain panel shows what a reorganisation removes as the tip is moved back, and keeps the first two blocks', async () => {
  const user = renderPart(<ChainPanel snapshots={[]} />, { host: { sandbox: { chain: () => chain } } });
  const end = await handle();
  expect(['min', 'max', 'now'].map((name) => end.getAttribute(`aria-value${name}`))).toEqual(['0', '3', '0']);
  expect(fork()).toBeNull();
  end.focus();
  await user.keyboard('{ArrowLeft}{ArrowLeft}');
  expect(end.getAttribute('aria-valuetext')).toBe('2 blocks fall out');
  expect(fork()?.textContent).toContain('2 blocks fall out: 3 to 4');
  expect(fork()?.textContent).toContain('2 transactions wait for a block again:');
  const named = within(fork() as HTMLElement).getAllByRole('link');
  expect(named.map((link) => link.getAttribute('href')?.slice(-2))).toEqual(['b1', 'b2']);
  const falling = screen.getAllByRole('option', { name: /Falls out/ });
  expect(falling.map(({ dataset }) => dataset.height)).toEqual(['4', '3']);
  await user.keyboard('{Home}');
  expect(end.getAttribute('aria-valuenow')).toBe('3');
  expect(fork()?.textContent).toContain('3 transactions wait');
  await user.keyboard('{Escape}');
  expect(fork()).toBeNull();
});

it('the chain panel reorganises on Enter, and undoes it', async () => {
  const asked: unknown[] = [];
  const sandbox = {
    chain: () => chain,
    reorg: (input: unknown) => {
      asked.push(input);
      return { hashes: [idOf(0xd1), idOf(0xd2)] };
    },
    undoReorg: (input: unknown) => {
      asked.push(input);
    },
  };
  const user = renderPart(<ChainPanel snapshots={[]} />, { host: { sandbox } });
  (await handle()).focus();
  await user.keyboard('{Enter}{ArrowLeft}{Enter}');
  expect(await screen.findByText('The chain was replaced by a branch of 2 blocks.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Undone.')).toBeTruthy();
  expect(asked).toEqual([{ depth: 1 }, { hash: idOf(0xd1) }]);
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

it('the chain panel shows the tip until another block or a waiting transaction is selected, also by the arrow keys', async () => {
  const user = renderPart(<ChainPanel snapshots={[pin]} />, { host: { sandbox: { chain: () => chain } } });
  await handle();
  const looked = () => screen.getByRole('region', { name: 'What is selected' });
  expect(looked().textContent).toContain('Block 4');
  screen.getByRole('option', { name: /^Block 4,/ }).focus();
  await user.keyboard('{ArrowLeft}');
  expect(document.activeElement?.getAttribute('aria-label')).toContain('Snapshot before');
  expect(looked().textContent).toContain('Block 3');
  expect(within(looked()).getByRole('button', { name: 'Restore before' })).toBeTruthy();
  await user.click(screen.getByRole('option', { name: /^Transaction 0000…00c1, 225 B, fee 12 sat/ }));
  expect(looked().textContent).toContain('Waiting transaction');
  expect(within(looked()).getByRole('button', { name: 'Spend twice' })).toBeTruthy();
});

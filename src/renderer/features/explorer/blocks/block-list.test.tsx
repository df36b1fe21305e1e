import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type BlockRow, PlanchetError } from '../../../../contract/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { BlockList } from './block-list.tsx';

const headerOf = (height: number): BlockRow => ({
  hash: height.toString(16).padStart(64, '0'),
  height,
  time: 1_790_000_000,
  size: null,
  transactions: 1,
  fees: null,
  value: null,
  payingBytes: null,
  merkleRoot: 'ab'.repeat(32),
});

let files: Blob[];
beforeEach(() => {
  files = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob);
    return 'blob:blocks';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Exports the list of all blocks up to a height. @returns the region of messages */
async function exported(height: number, blockAt: (input: { height: number }) => Promise<BlockRow>) {
  const user = renderPart(<BlockList tip={headerOf(height)} />, {
    host: { explorer: { blockAt }, tokens: { blocks: () => [] } },
  });
  await user.click(await screen.findByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'As JSON' }));
  return within(screen.getByRole('region', { name: 'Notifications' }));
}

it('an export of blocks waits for headers that the rows in sight are still waiting for', async () => {
  const barrier = Promise.withResolvers<void>();
  const asked = new Set<number>();
  await exported(2, async ({ height }) => {
    const isFirst = !asked.has(height);
    asked.add(height);
    if (isFirst) await barrier.promise;
    return headerOf(height);
  });
  await expect.poll(() => files.length).toBe(1);
  barrier.resolve();
  expect(JSON.parse((await files[0]?.text()) ?? '').map((row: { height: number }) => row.height)).toEqual([2, 1, 0]);
});

it('an export of blocks fails with its reason if one header cannot be read', async () => {
  const messages = await exported(2, async ({ height }) => {
    if (height === 1) throw refusal(new PlanchetError('general.disk-full').toFailure());
    return headerOf(height);
  });
  expect(await messages.findByText(new PlanchetError('general.disk-full').message)).toBeTruthy();
  expect(files).toEqual([]);
});

it('an export of more blocks than are read for one says how many it has', async () => {
  const messages = await exported(2_000, async ({ height }) => headerOf(height));
  expect(await messages.findByText('Only the first 2,000 blocks of the list were taken.')).toBeTruthy();
  await expect.poll(() => files.length).toBe(1);
  expect(JSON.parse((await files[0]?.text()) ?? '')).toHaveLength(2_000);
});

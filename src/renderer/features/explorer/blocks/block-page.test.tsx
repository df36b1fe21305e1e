import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { BlockPart } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { BlockPage } from './block-page.tsx';

const HASH = 'ab'.repeat(32);
const block: BlockPart = {
  hash: HASH,
  height: 7,
  time: 1_790_000_000,
  size: null,
  merkleRoot: 'cd'.repeat(32),
  confirmations: 1,
  version: 0x20000000,
  nonce: 1,
  difficulty: 1,
  previous: null,
  next: null,
  transactions: null,
  found: null,
  rows: [],
};

it.each([
  ['nobody tells its transactions', null, /^1 confirmation$/, 'Public services do not list'],
  ['it has too many to be listed', 300_000, /^300,?000 transactions · 1 confirmation$/, 'has too many transactions'],
])('says that %s, and how many only where that is told', async (_, transactions, purpose, sentence) => {
  renderPart(<BlockPage hash={HASH} />, { host: { explorer: { block: () => ({ ...block, transactions }) } } });
  expect(await screen.findByText(new RegExp(sentence))).toBeTruthy();
  expect(screen.getByText(purpose)).toBeTruthy();
});

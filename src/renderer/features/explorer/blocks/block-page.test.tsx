import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
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

describe('what a block pays', () => {
  const { hash, height, time, size, merkleRoot } = block;
  const row = { hash, height, time, size, merkleRoot, transactions: 2, fees: 500, value: 7_000_000, payingBytes: 500 };
  const draw = (blockAt: object, confirmations: number | null = 1) =>
    renderPart(<BlockPage hash={HASH} />, {
      host: { explorer: { block: () => ({ ...block, size: 1_000, confirmations }), blockAt: () => blockAt } } as never,
    });
  const fact = (name: string) => screen.getByText(name).nextElementSibling?.textContent;

  it('is shown among its other facts, as a rate over what pays it', async () => {
    draw({ ...row, size: 1_000 });
    expect(await screen.findByText('7,000,000 sat')).toBeTruthy();
    expect([fact('Fees'), fact('Fee rate')]).toEqual(['500 sat', '1,000 sat/kB']);
  });

  it('is not taken from the block that replaced it', async () => {
    draw({ ...row, hash: 'ef'.repeat(32) });
    await screen.findByText('Value');
    await waitFor(() => expect(screen.queryByText('7,000,000 sat')).toBeNull());
    expect(fact('Fees')).toBe('–');
  });
});

describe('the transactions of a block', () => {
  const txids = Array.from({ length: 30 }, (_, n) => n.toString(16).padStart(64, 'a'));
  const rows = txids.map((txid, position) => ({ position, txid }));
  const listed = { ...block, transactions: 30, found: 30, rows };

  it('show their figures, asked for together', async () => {
    const asked: number[] = [];
    const described = ({ txids: some }: { txids: string[] }) => {
      asked.push(some.length);
      return some.slice(1).map((txid, n) => ({
        txid,
        size: 1_500,
        inputs: 2,
        outputs: 345,
        value: 7_000_000,
        tokens: 24,
        fee: n === 0 ? 3_210 : null,
      }));
    };
    renderPart(<BlockPage hash={HASH} />, { host: { explorer: { block: () => listed, described } } as never });
    expect((await screen.findAllByText('7,000,000 sat')).length).toBeGreaterThan(1);
    const [, coinbase, first, second] = screen.getAllByRole('row');
    expect(coinbase?.textContent).toContain('coinbase');
    expect(coinbase?.textContent).not.toContain('345');
    for (const figure of ['2 / 345', '1.5 kB', '24']) expect(first?.textContent).toContain(figure);
    for (const figure of ['3,210 sat', '2,140']) expect(first?.textContent).toContain(figure);
    const cells = [...(second?.querySelectorAll('[role=gridcell]') ?? [])].map(({ textContent }) => textContent);
    expect(cells.filter((text) => text === '–')).toHaveLength(2);
    expect(asked[0]).toBe(25);
  });

  it('are listed by their ids alone where no figures are known', async () => {
    const described = () => {
      throw new Error('no node');
    };
    renderPart(<BlockPage hash={HASH} />, { host: { explorer: { block: () => listed, described } } as never });
    expect(await screen.findByText('coinbase')).toBeTruthy();
    expect(screen.queryByText('7,000,000 sat')).toBeNull();
  });
});

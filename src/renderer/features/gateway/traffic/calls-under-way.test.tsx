import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { CallUnderWay } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { CallsUnderWay } from './calls-under-way.tsx';

const call: CallUnderWay = {
  number: 1,
  at: 0,
  milliseconds: 65_000,
  caller: 'planchet',
  method: 'getblock',
  params: '["ab",2]',
  sent: 1,
  waiting: null,
  parts: null,
};

function show(calls: readonly Partial<CallUnderWay>[], total = calls.length) {
  const all = calls.map((changes, number) => ({ ...call, number, ...changes }));
  renderPart(<CallsUnderWay underWay={{ calls: all, total }} />, {});
  return screen.queryAllByRole('listitem').map((row) => row.textContent);
}

it.each([
  [{}, 'Waits for the answer to its request'],
  [{ sent: 12 }, 'Waits for an answer, 12 requests sent'],
  [{ waiting: { before: 0, milliseconds: 350 } }, 'Next to be asked, in about 350 ms'],
  [{ waiting: { before: 1, milliseconds: 700 } }, '1 request goes before it, about 700 ms'],
  [
    {
      parts: { what: 'transactions' as const, read: 1_240, of: 10_000 },
      waiting: { before: 1_200, milliseconds: 420_000 },
    },
    '1,240 of 10,000 transactions read · 1,200 requests go before it, about 7 min 00 s',
  ],
  [{ parts: { what: 'pages' as const, read: 0, of: 3 } }, '0 of 3 pages of the list read'],
])('the list of running calls says what a call waits for: %j', (changes, text) => {
  const [row] = show([changes]);
  expect(row).toContain(text);
  expect(row).toMatch(/^getblock\["ab",2\].*planchet1 min 05 s$/);
});

it('the list of running calls shows the progress as a bar', () => {
  show([{ parts: { what: 'transactions', read: 25, of: 100 } }]);
  expect(within(screen.getByRole('list')).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25');
});

it('the list of running calls is empty while no call takes long, and states how many more there are', () => {
  expect(show([{ milliseconds: 400 }])).toEqual([]);
  expect(show([{}, {}], 1_052)).toHaveLength(2);
  expect(screen.getByText('1,050 more calls wait.')).toBeDefined();
});

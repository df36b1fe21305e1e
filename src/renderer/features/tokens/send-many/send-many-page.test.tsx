import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { SendManyList, SendManyProblem, SendManyRow } from '../../../../contract/index.ts';
import { useTokenSelection } from '../../../lib/items/token-selection.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, appInfo, TXID } from '../../../test-support/samples.ts';
import { useSendManyDraft } from './draft.ts';
import { SendManyPage } from './send-many-page.tsx';

const problem = (severity: SendManyProblem['severity'], key: string, text: string): SendManyProblem => ({
  severity,
  text,
  phrase: { key, values: { line: 1, token: 'Moon 9' } },
  failure: null,
});
const row = (n: number, changes: Partial<SendManyRow> = {}): SendManyRow => ({
  line: n,
  address: ADDRESS,
  contact: null,
  resembles: null,
  token: { outpoint: `${TXID}_${n}`, name: `Moon ${n}`, number: n },
  problems: [],
  ...changes,
});
const doubtful = row(2, { problems: [problem('warning', 'send-many.address-twice', 'Line 1 has the same address.')] });
const faulty = row(3, {
  token: null,
  problems: [problem('error', 'send-many.token-unknown', 'No token that can be sent is called Moon 9.')],
});

beforeEach(() => {
  useTokenSelection.getState().change(() => new Set([`${TXID}_1`, `${TXID}_2`]));
  useSendManyDraft.getState().change({ text: '', name: '', workbook: null });
});

function draw(list: Partial<SendManyList>) {
  const prepared: unknown[] = [];
  const asked: (readonly string[])[] = [];
  const user = renderPart(<SendManyPage />, {
    at: '/tokens/send-many',
    live: { app: appInfo },
    host: {
      tokens: {
        sendMany: {
          read: ({ tokens = [] }) => {
            asked.push(tokens);
            return { rows: [], left: [], pairedBy: 'order', ...list } as SendManyList;
          },
          prepare: (input) => {
            prepared.push(input.moves);
            throw refusal({ code: 'funds-insufficient', message: 'There is too little money.' });
          },
        },
      },
    },
  });
  return { user, prepared, asked };
}
const list = () => screen.getByRole('textbox', { name: 'List of receivers' });
const review = (name: RegExp) => screen.findByRole('button', { name });

it('the page for many tokens reads the list with the chosen tokens, and sends what it shows, once', async () => {
  const { user, prepared, asked } = draw({ rows: [row(1), row(4)] });
  expect(screen.getByText(/^2 tokens are chosen/)).toBeTruthy();
  await user.type(list(), 'an address');
  const button = await review(/^Review 2 tokens/);
  await expect.poll(() => button.hasAttribute('disabled')).toBe(false);
  expect(asked.at(-1)).toEqual([`${TXID}_1`, `${TXID}_2`]);
  await user.click(button);
  expect(await screen.findByText('There is too little money.')).toBeTruthy();
  expect(prepared).toEqual([
    [
      { outpoint: `${TXID}_1`, address: ADDRESS },
      { outpoint: `${TXID}_4`, address: ADDRESS },
    ],
  ]);
  // What was typed stays, as nothing was built.
  expect((list() as HTMLTextAreaElement).value).toBe('an address');
});

it('the page for many tokens asks about doubtful lines, and leaves out what cannot be sent only where that is said', async () => {
  const { user, prepared } = draw({ rows: [row(1), doubtful, faulty], left: [`${TXID}_9`] });
  await user.type(list(), 'x');
  const button = await review(/^Review 2 tokens/);
  const grid = screen.getByRole('grid', { name: 'Who gets what' });
  const [first] = within(grid).getAllByRole('row').slice(1);
  expect(first?.textContent).toContain('No token that can be sent is called Moon 9.');
  expect(screen.getByText(/^1 chosen token stays/)).toBeTruthy();
  expect(button.hasAttribute('disabled')).toBe(true);
  await user.click(screen.getByRole('checkbox', { name: 'Leave out the line that cannot be sent' }));
  expect(button.hasAttribute('disabled')).toBe(true);
  await user.click(screen.getByRole('checkbox', { name: /^I have looked at the doubtful line/ }));
  await user.click(button);
  await expect.poll(() => prepared).toHaveLength(1);
  expect(prepared[0]).toEqual([
    { outpoint: `${TXID}_1`, address: ADDRESS },
    { outpoint: `${TXID}_2`, address: ADDRESS },
  ]);
  // Another list is another question.
  await user.type(list(), 'y');
  await expect
    .poll(() => screen.getByRole<HTMLInputElement>('checkbox', { name: /^I have looked/ }).checked)
    .toBe(false);
});

it('the page for many tokens hands a workbook over as it is, and takes it away again', async () => {
  const { user } = draw({ rows: [row(1)] });
  const file = new File([new Uint8Array([0x50, 0x4b, 3, 4, 0xff])], 'Liste.xlsx');
  await user.upload(document.querySelector('input[type=file]') as HTMLInputElement, file);
  await screen.findByText('Liste.xlsx');
  await screen.findByRole('grid', { name: 'Who gets what' });
  await user.click(screen.getByRole('button', { name: 'Take the table away' }));
  expect(screen.queryByText('Liste.xlsx')).toBeNull();
  expect(screen.queryByRole('grid', { name: 'Who gets what' })).toBeNull();
});

import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { WalletAccount } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS } from '../../../test-support/samples.ts';
import { openAccountRemoval } from './account-removal.tsx';

const paper: WalletAccount = {
  id: 'paper',
  name: 'Paper',
  kind: 'key',
  active: true,
  main: false,
  state: 'ready',
  canSend: true,
  address: ADDRESS,
  total: 50_000,
  tokens: 1,
  height: 7,
  searching: false,
  reading: null,
};

async function removing(account: WalletAccount) {
  const removed: unknown[] = [];
  const user = renderPart(
    <button type="button" onClick={() => openAccountRemoval(account)}>
      open
    </button>,
    {
      host: {
        wallet: {
          accounts: {
            remove: (input) => {
              removed.push(input);
            },
          },
        },
      },
    },
  );
  await user.click(screen.getByRole('button', { name: 'open' }));
  const dialog = await screen.findByRole('dialog');
  const remove = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Remove the account' });
  return { user, dialog, remove, removed };
}

it('an account that has something is removed only after its name was typed', async () => {
  const { user, dialog, remove, removed } = await removing(paper);
  expect(within(dialog).getByText('It has 50,000 sat and 1 token')).toBeTruthy();
  expect(within(dialog).getByText(/^They are lost unless you keep the key elsewhere/)).toBeTruthy();
  expect(remove.disabled).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), 'Pape{Enter}');
  expect(remove.disabled).toBe(true);
  expect(removed).toEqual([]);
  await user.type(within(dialog).getByRole('textbox'), 'r');
  await user.click(remove);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(removed).toEqual([{ id: 'paper', loses: true }]);
});

it('an account that is still searched is removed only after its name was typed', async () => {
  const { user, dialog, remove, removed } = await removing({ ...paper, total: 0, tokens: 0, searching: true });
  expect(within(dialog).getByText('The chain is still searched for its coins')).toBeTruthy();
  expect(within(dialog).queryByText(/^It has/)).toBeNull();
  expect(remove.disabled).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), 'Paper');
  await user.click(remove);
  await waitFor(() => expect(removed).toEqual([{ id: 'paper', loses: true }]));
});

it('the removal of an account counts no tokens where there are none', async () => {
  const { dialog } = await removing({ ...paper, kind: 'seed', tokens: 0 });
  expect(within(dialog).getByText('It has 50,000 sat')).toBeTruthy();
  expect(within(dialog).getByText(/Your words still have its keys/)).toBeTruthy();
});

it.each([
  ['an empty account', { total: 0, tokens: 0 }, /^Its history is forgotten here, and its private key/],
  [
    'a watched account with money',
    { kind: 'watch' as const, canSend: false },
    /^Its history is forgotten here\. Nothing/,
  ],
])('removes %s at one click', async (_, parts, says) => {
  const { user, dialog, remove, removed } = await removing({ ...paper, ...parts });
  expect(within(dialog).getByText(says)).toBeTruthy();
  expect(within(dialog).queryByRole('textbox')).toBeNull();
  await user.click(remove);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(removed).toEqual([{ id: 'paper', loses: false }]);
});

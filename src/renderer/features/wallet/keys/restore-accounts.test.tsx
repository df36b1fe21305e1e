import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { Keys } from './keys.tsx';

const file = new File(['sealed'], 'planchet.backup.json', { type: 'application/json' });

/** Opens the dialog and fills it in. */
async function restoring(
  restore: (input: { text: string; passphrase: string }) => { accounts: number; labels: number; frozen: number },
) {
  let lists = 0;
  const user = renderPart(<Keys />, {
    host: {
      wallet: {
        backup: {
          status: () => {
            lists += 1;
            return { network: 'sandbox', checkedAt: null, required: false };
          },
          restore,
        },
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Bring back accounts and labels…' }));
  const dialog = await screen.findByRole('dialog');
  await user.upload(dialog.querySelector('input[type=file]') as HTMLInputElement, file);
  await user.type(within(dialog).getByLabelText('Passphrase of the file'), 'a passphrase');
  await user.click(within(dialog).getByRole('button', { name: 'Bring them back' }));
  return { user, dialog, asked: () => lists };
}

it('the restore of a backup brings back what the file has, says how much, and reads the wallet again', async () => {
  const inputs: unknown[] = [];
  const { user, dialog, asked } = await restoring((input) => {
    inputs.push(input);
    return { accounts: 2, labels: 14, frozen: 3 };
  });
  expect((await within(dialog).findByRole('status')).textContent).toBe(
    'Accounts: 2 brought back. Labels: 14. Frozen coins: 3.',
  );
  expect(inputs).toEqual([{ text: 'sealed', passphrase: 'a passphrase' }]);
  await waitFor(() => expect(asked()).toBe(2));
  const buttons = within(dialog).getAllByRole('button', { name: 'Close' });
  await user.click(buttons.at(-1) as HTMLElement);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('the restore of a backup says where nothing was missing', async () => {
  const { dialog } = await restoring(() => ({ accounts: 0, labels: 0, frozen: 0 }));
  expect((await within(dialog).findByRole('status')).textContent).toBe('Everything in the file is here already.');
});

it('the restore of a backup says why a file is refused, and keeps what was typed', async () => {
  const { dialog } = await restoring(() => {
    throw refusal({ code: 'conflict', id: 'wallet.backup-other-wallet', message: 'It is of another wallet.' });
  });
  expect(await within(dialog).findByRole('alert')).toBeTruthy();
  expect(within(dialog).getByLabelText<HTMLInputElement>('Passphrase of the file').value).toBe('a passphrase');
});

import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { PlanchetError } from '../../../../contract/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { Keys } from './keys.tsx';

it('the backup view names the part of the page that makes a backup file where another file was checked', async () => {
  const check = (): never => {
    throw refusal(new PlanchetError('wallet.backup-damaged').toFailure());
  };
  const user = renderPart(<Keys />, {
    host: {
      wallet: {
        backup: { status: () => ({ network: 'sandbox', checkedAt: null, required: false }), check },
        vault: { status: () => ({ keychain: false, passphrase: false, needsPassphrase: false }) },
      },
    } as never,
  });
  const make = await screen.findByText('Make a backup file');
  const file = new File(['{}'], 'package.json', { type: 'application/json' });
  await user.upload(document.querySelector('input[type=file]') as HTMLInputElement, file);
  const button = screen.getByRole('button', { name: 'Check the file' });
  await user.type(
    within(button.closest('form') as HTMLElement).getByLabelText('Passphrase of the file'),
    'a passphrase',
  );
  await user.click(button);
  expect((await screen.findByRole('alert')).textContent).toContain(`“${make.textContent}”`);
});

it('the backup view takes a backup of many labels, and refuses a file that is longer than any backup', async () => {
  const user = renderPart(<Keys />, {
    host: {
      wallet: {
        backup: { status: () => ({ network: 'sandbox', checkedAt: null, required: false }) },
        vault: { status: () => ({ keychain: false, passphrase: false, needsPassphrase: false }) },
      },
    } as never,
  });
  await screen.findByText('Make a backup file');
  const form = screen.getByRole('button', { name: 'Check the file' }).closest('form') as HTMLElement;
  const choose = (bytes: number) =>
    user.upload(
      document.querySelector('input[type=file]') as HTMLInputElement,
      new File([new Uint8Array(bytes)], 'a.json'),
    );
  await choose(6_000_000);
  expect(within(form).queryByText(/larger than/)).toBeNull();
  await choose(8_100_000);
  await within(form).findByText('This is not a backup file: it is larger than 8 MB.');
});

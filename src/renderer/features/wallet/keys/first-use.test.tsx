import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { WalletStatus } from '../../../../contract/index.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { FirstUse } from './first-use.tsx';

const made: WalletStatus = {
  state: 'ready',
  network: 'main',
  address: null,
  publicKey: null,
  balance: { spendable: 0, confirmed: 0, unconfirmed: 0, reserved: 0, tokens: 0 },
  worthless: false,
};

/** A vault that needs its first passphrase, and notes which one it was given. */
const newVault = (given: unknown[]) => ({
  status: () => ({ keychain: false, passphrase: false, needsPassphrase: true }),
  changePassphrase: (input: unknown) => {
    given.push(input);
    return { keychain: false, passphrase: true, needsPassphrase: false };
  },
});

it('the first use of a wallet asks for the passphrase of a new vault before it makes the keys', async () => {
  const given: unknown[] = [];
  const user = renderPart(<FirstUse />, {
    host: {
      wallet: {
        vault: newVault(given),
        create: (input: unknown) => {
          given.push(input);
          return made;
        },
      },
    } as never,
  });
  await user.type(await screen.findByLabelText('Passphrase on this machine'), 'correct horse');
  const create = screen.getByRole<HTMLButtonElement>('button', { name: 'Create the wallet' });
  expect(create.disabled).toBe(true);
  await user.type(screen.getByLabelText('Passphrase again'), 'correct horse');
  await user.click(create);
  await expect.poll(() => given).toEqual([{ current: '', next: 'correct horse' }, { words: 12 }]);
});

/** The page of the wallet, which has another view once there is one. */
function Wallet() {
  return useLive(({ wallet }) => wallet?.state) === 'ready' ? 'ready' : <FirstUse />;
}

it('the first use of a wallet restores it from a backup file, with the passphrase of a new vault', async () => {
  const given: unknown[] = [];
  const user = renderPart(<Wallet />, {
    host: {
      wallet: {
        vault: newVault(given),
        restoreBackup: (input: unknown) => {
          given.push(input);
          return { ...made, broughtBack: { accounts: 2, labels: 3, frozen: 1 } };
        },
      },
    } as never,
  });
  await user.click(screen.getByText('Restore from a file'));
  await user.upload(document.querySelector('input[type=file]') as HTMLInputElement, new File(['{}'], 'a.backup.json'));
  await user.type(screen.getByLabelText('Passphrase of the file'), 'of the file');
  const restore = screen.getByRole<HTMLButtonElement>('button', { name: 'Restore the wallet' });
  expect(restore.disabled).toBe(true);
  await user.type(await screen.findByLabelText('Passphrase on this machine'), 'correct horse');
  await user.type(screen.getByLabelText('Passphrase again'), 'correct horse');
  await user.click(restore);
  await expect
    .poll(() => given)
    .toEqual([
      { current: '', next: 'correct horse' },
      { text: '{}', passphrase: 'of the file' },
    ]);
  await screen.findByText('The wallet is back. Accounts: 2, labels: 3, frozen coins: 1.');
});

it('the first use of a wallet asks for no passphrase where the keychain has the key', async () => {
  const given: unknown[] = [];
  const user = renderPart(<FirstUse />, {
    host: {
      wallet: {
        vault: { status: () => ({ keychain: true, passphrase: false, needsPassphrase: false }) },
        create: (input: unknown) => {
          given.push(input);
          return made;
        },
      },
    } as never,
  });
  await user.click(screen.getByRole('button', { name: 'Create the wallet' }));
  await expect.poll(() => given).toEqual([{ words: 12 }]);
  expect(screen.queryByLabelText('Passphrase on this machine')).toBeNull();
});

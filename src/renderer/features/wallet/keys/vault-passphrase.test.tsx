import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { PlanchetError, type WalletStatus, type WalletVault } from '../../../../contract/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { Keys } from './keys.tsx';
import { Unlock } from './unlock.tsx';

const byKeychain: WalletVault = { keychain: true, passphrase: false, needsPassphrase: false };
const wallet = { state: 'ready', network: 'main', worthless: false } as WalletStatus;
const backup = { status: () => ({ network: 'main', checkedAt: null, required: true }) };
const region = (name: string) => within(screen.getByRole('region', { name }));

describe('a vault that the keychain alone opens', () => {
  it('shows no words before a passphrase is set, and tells a refusal at the desktop', async () => {
    const given: unknown[] = [];
    const user = renderPart(<Keys />, {
      live: { wallet },
      host: {
        wallet: {
          backup,
          vault: {
            status: () => byKeychain,
            changePassphrase: (input: unknown) => {
              given.push(input);
              if (given.length === 1) throw refusal(new PlanchetError('vault.passphrase-declined').toFailure());
              return { keychain: true, passphrase: true, needsPassphrase: false };
            },
          },
          seed: { reveal: () => ({ words: 'legal winner thank' }) },
        },
      } as never,
    });
    await screen.findByText(/^The keychain of this system opens this wallet/);
    expect(screen.queryByRole('button', { name: 'Show the words' })).toBeNull();
    const vault = region('Passphrase of the vault');
    expect(vault.queryByLabelText('Present passphrase')).toBeNull();
    const set = vault.getByRole<HTMLButtonElement>('button', { name: 'Set the passphrase' });
    await user.type(vault.getByLabelText('New passphrase'), 'one of several words');
    await user.type(vault.getByLabelText('Passphrase again'), 'one of several word');
    expect(set.disabled).toBe(true);
    await user.type(vault.getByLabelText('Passphrase again'), 's{Enter}');
    expect((await screen.findByRole('alert')).textContent).toContain('was not allowed at the desktop');
    await user.click(set);
    await screen.findByText(/^The passphrase is set/);
    expect(given).toEqual(Array(2).fill({ current: '', next: 'one of several words' }));
    await user.type(region('Words').getByLabelText('Passphrase of the vault'), 'one of several words{Enter}');
    expect((await screen.findByRole('list', { name: 'Words of the wallet' })).textContent).toBe('legalwinnerthank');
    expect(vault.getByLabelText('Present passphrase')).toBeTruthy();
  });

  it('is unlocked without a question', async () => {
    const given: unknown[] = [];
    const user = renderPart(<Unlock />, {
      live: { wallet: { ...wallet, state: 'locked' } },
      host: {
        wallet: {
          vault: { status: () => byKeychain },
          unlock: (input: unknown) => {
            given.push(input);
            return wallet;
          },
        },
      } as never,
    });
    await screen.findByText('The keychain of this system opens it.');
    expect(screen.queryByLabelText('Passphrase')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Unlock' }));
    await expect.poll(() => given).toEqual([{ passphrase: '', forJob: false }]);
  });
});

it('the vault has no passphrase to set on a sandbox', async () => {
  renderPart(<Keys />, {
    live: { wallet: { ...wallet, network: 'sandbox', worthless: true } },
    host: {
      wallet: { backup, vault: { status: () => ({ keychain: false, passphrase: false, needsPassphrase: false }) } },
    } as never,
  });
  await screen.findByRole('button', { name: 'Show the words' });
  expect(screen.queryByRole('region', { name: 'Passphrase of the vault' })).toBeNull();
});

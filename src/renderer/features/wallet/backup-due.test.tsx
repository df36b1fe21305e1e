import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { WalletAccount, WalletBackup } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, appInfo } from '../../test-support/samples.ts';
import { openConsolidate } from './coins/consolidate.tsx';
import { WalletPage } from './wallet.tsx';

const WARNING = 'Back this wallet up before you use it';
const balance = { spendable: 0, confirmed: 0, unconfirmed: 0, reserved: 0, tokens: 0 };
const full = {
  total: 0,
  confirmed: 0,
  unconfirmed: 0,
  spendable: 0,
  elsewhere: 0,
  waiting: 0,
  locked: 0,
  frozen: 0,
  tokens: 0,
};
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
  tokens: 0,
  height: 7,
  searching: false,
  reading: null,
};

function hostWith(backup: Partial<WalletBackup>) {
  return {
    wallet: {
      backup: { status: () => ({ network: 'main' as const, checkedAt: null, required: true, ...backup }) },
      accounts: { list: () => [paper] },
      notices: { list: () => [] },
      balance: () => full,
      history: { list: () => ({ entries: [], next: null }) },
      send: { list: () => [] },
    },
  };
}

const Consolidating = () => (
  <button type="button" onClick={() => openConsolidate(() => {})}>
    open
  </button>
);

describe('the warning that a backup is due', () => {
  it('stands in the dialog that consolidates, and leads to the backups', async () => {
    const user = renderPart(<Consolidating />, { host: hostWith({}) });
    await user.click(screen.getByRole('button', { name: 'open' }));
    const dialog = await screen.findByRole('dialog');
    expect(await within(dialog).findByText(WARNING)).toBeTruthy();
    await user.click(within(dialog).getByRole('link'));
    expect(location.hash).toBe('#/wallet/keys');
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  });

  it('stands above the sweep of an imported key', async () => {
    renderPart(<WalletPage part={undefined} />, {
      live: {
        app: appInfo,
        wallet: { state: 'ready', network: 'main', address: ADDRESS, publicKey: null, balance, worthless: false },
      },
      host: hostWith({}),
    });
    const sweep = await screen.findByRole('button', { name: 'Sweep to the main account' });
    const warning = await screen.findByText(WARNING);
    expect(warning.compareDocumentPosition(sweep) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  it.each([{ checkedAt: 1 }, { network: 'test' as const, required: false }])(
    'is not shown with the backup status %j',
    async (backup) => {
      let asked = 0;
      const host = hostWith(backup);
      const { status } = host.wallet.backup;
      host.wallet.backup.status = () => {
        asked += 1;
        return status();
      };
      const user = renderPart(<Consolidating />, { host });
      await user.click(screen.getByRole('button', { name: 'open' }));
      const dialog = await screen.findByRole('dialog');
      await expect.poll(() => asked).toBe(1);
      expect(within(dialog).queryByText(WARNING)).toBeNull();
    },
  );
});

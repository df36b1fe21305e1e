import type { Page } from '@playwright/test';
import type { Content } from './content.ts';

/** A dialog, menu or sheet, and how a person comes to it. */
export interface DialogScene {
  readonly name: string;
  readonly path: string;
  /** Ends when it is open. */
  open(page: Page): Promise<void>;
}

/** Clicks what is named and waits for what opens. */
async function press(page: Page, name: string | RegExp, opens: 'dialog' | 'menu' = 'dialog'): Promise<void> {
  await page.getByRole('main').getByRole('button', { name }).first().click();
  await page.getByRole(opens).first().waitFor();
}

/** Every dialog, menu and sheet of the page. */
export function dialogs({ minted, drafts, sketches, importId }: Content): readonly DialogScene[] {
  const opening = (name: string, path: string, button: string | RegExp, opens?: 'menu'): DialogScene => ({
    name,
    path,
    open: (page) => press(page, button, opens),
  });
  const bar = (name: string, button: RegExp, opens: 'dialog' | 'menu'): DialogScene => ({
    name,
    path: '/projects',
    open: async (page) => {
      await page.getByRole('banner').getByRole('button', { name: button }).first().click();
      await page.getByRole(opens).first().waitFor();
    },
  });
  return [
    opening('dialog-project', '/projects', 'New project'),
    {
      name: 'dialog-search',
      path: '/',
      open: async (page) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: /^Search names/ }).fill('wallet');
        await page.getByRole('option').first().waitFor();
      },
    },
    bar('menu-services', /running|problem/i, 'dialog'),
    bar('menu-network', /network|sandbox/i, 'menu'),
    {
      name: 'sheet-help',
      path: '/wallet',
      open: async (page) => {
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
      },
    },
    opening('dialog-item', `/projects/${drafts}`, /^Edit /),
    opening('menu-item', `/projects/${drafts}`, /^More actions/, 'menu'),
    opening('menu-order', `/projects/${drafts}`, 'Order', 'menu'),
    {
      name: 'dialog-remove-item',
      path: `/projects/${drafts}`,
      open: async (page) => {
        await press(page, /^More actions/, 'menu');
        await page.getByRole('menuitem', { name: /Remove/ }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      name: 'dialog-bulk-edit',
      path: `/projects/${drafts}`,
      open: async (page) => {
        await page.getByRole('main').getByRole('checkbox').nth(1).check();
        await press(page, /^Edit \d|^Edit selected|^Edit$/);
      },
    },
    opening('dialog-discard-import', `/import/${importId}`, /^Discard/),
    ...['Traits', 'Plan and cost', 'Ledger', 'At the token service'].map((tab) => ({
      name: `project-${tab.toLowerCase().replaceAll(' ', '-')}`,
      path: `/projects/${minted}`,
      open: async (page: Page) => {
        await page.getByRole('tab', { name: tab }).click();
      },
    })),
    {
      name: 'dialog-import-here',
      path: `/projects/${sketches}`,
      open: (page) => press(page, /^Import/),
    },
    opening('dialog-token-action', '/token-bench', /^(Transfer|Split|Issue)/),
    opening('dialog-consolidate', '/wallet/coins', /^(Consolidate|Combine|Merge)/),
    opening('menu-accounts', '/wallet', /account/i, 'menu'),
    ...(['New account', 'Watch', 'Import'] as const).map((entry) => ({
      name: `dialog-account-${entry.split(' ')[0]?.toLowerCase()}`,
      path: '/wallet',
      open: async (page: Page) => {
        await press(page, /account/i, 'menu');
        await page
          .getByRole('menuitem', { name: new RegExp(entry, 'i') })
          .first()
          .click();
        await page.getByRole('dialog').waitFor();
      },
    })),
    {
      name: 'popover-coin',
      path: '/wallet/coins',
      open: async (page) => {
        await page.locator('button[aria-haspopup=dialog]').first().click();
        await page.getByRole('dialog').waitFor();
      },
    },
    opening('dialog-miner', '/miners', 'Add a miner'),
    opening('dialog-gateway-password', '/gateway', /new password/i),
    opening('dialog-revoke-key', '/gateway/keys', /^Revoke/),
    opening('dialog-unpair', '/gateway/keys', /^(Unpair|End|Remove)/),
    opening('dialog-revoke-writer-key', '/writer/keys', /^Revoke/),
    opening('menu-settings', '/settings', /More|file|Export/i, 'menu'),
    opening('dialog-sandbox-reset', '/sandbox', /Reset|new network/i),
  ];
}

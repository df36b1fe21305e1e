import type { Page } from '@playwright/test';
import { OwnCoins } from '../../../src/main/test-support/hosts/own-coins.ts';
import type { RunningHost } from '../host.ts';
import { postRpc, rpcAddress } from '../rpc.ts';
import type { Content } from './content.ts';

/** A dialog, menu or sheet, and how it is opened. */
export interface DialogScene {
  readonly name: string;
  readonly path: string;
  /** Resolves when it is open. */
  open(page: Page): Promise<void>;
  /** Undoes what opened it, if that would show in other views. */
  close?(): Promise<void>;
}

const OPENS_MS = 10_000;

/** Clicks a named element and waits for what opens. */
async function press(page: Page, name: string | RegExp, opens: 'dialog' | 'menu' = 'dialog'): Promise<void> {
  await page.getByRole('button', { name }).first().click({ timeout: OPENS_MS });
  await page.getByRole(opens).first().waitFor({ timeout: OPENS_MS });
}

async function choose(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('menuitem', { name }).first().click({ timeout: OPENS_MS });
  await page.getByRole('menu').first().waitFor({ state: 'detached', timeout: OPENS_MS });
  await page.getByRole('dialog').first().waitFor({ timeout: OPENS_MS });
}

/** An account besides the main one is removed. */
function accountRemovalScene(host: RunningHost): DialogScene {
  let id = '';
  return {
    name: 'dialog-account-removal',
    path: '/wallet',
    open: async (page) => {
      ({ id } = await host.client().wallet.accounts.create({ name: 'Spare' }));
      await press(page, 'Account: Spare', 'menu');
      await choose(page, 'Remove…');
      // Colours of a button that is off are not checked.
      const name = page.getByRole('dialog').getByRole('textbox');
      if ((await name.count()) > 0) await name.fill('Spare');
    },
    close: () => host.client().wallet.accounts.remove({ id, loses: true }),
  };
}

/** A script written for a node asks to send a transaction. */
function approvalScene(host: RunningHost): DialogScene {
  const script = new AbortController();
  let answered: Promise<unknown> | undefined;
  return {
    name: 'sheet-approvals',
    path: '/wallet',
    open: async (page) => {
      const client = host.client();
      await client.settings.set({ key: 'gatewayBroadcast', value: 'ask' });
      const own = new OwnCoins();
      const { hex } = own.spend([await own.funded(client, 10_000)], [9_900]);
      const body = JSON.stringify({ method: 'sendrawtransaction', params: [hex] });
      answered = postRpc(host, body, { signal: script.signal }).catch(() => undefined);
      await press(page, /waits? for your approval/);
      await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).waitFor({ timeout: OPENS_MS });
    },
    close: async () => {
      script.abort();
      await answered;
      await host.client().settings.reset({ keys: ['gatewayBroadcast'] });
    },
  };
}

/** A web page asks to use the gateway. */
function pairingScene(host: RunningHost): DialogScene {
  const site = new AbortController();
  let answered: Promise<unknown> | undefined;
  return {
    name: 'dialog-pairing',
    path: '/gateway',
    open: async (page) => {
      const headers = { origin: 'https://market.example', connection: 'close' };
      const request = { method: 'POST', headers, body: '{"code":"4711"}', signal: site.signal };
      answered = fetch(new URL('/pair', await rpcAddress(host)), request).catch(() => undefined);
      await page.getByTestId('pairing-origin').waitFor({ timeout: OPENS_MS });
    },
    close: async () => {
      site.abort();
      await answered;
    },
  };
}

/** Every dialog, menu and sheet of the page. */
export function dialogs(
  { drafts, sketches, minted, importId, openRunId, token }: Content,
  host: RunningHost,
): readonly DialogScene[] {
  const by = (name: string, path: string, button: string | RegExp, opens?: 'menu'): DialogScene => ({
    name,
    path,
    open: (page) => press(page, button, opens),
  });
  const byMenu = (name: string, path: string, button: string | RegExp, entry: string | RegExp): DialogScene => ({
    name,
    path,
    open: async (page) => {
      await press(page, button, 'menu');
      await choose(page, entry);
    },
  });
  const tab = (name: string, path: string, title: string): DialogScene => ({
    name,
    path,
    open: async (page) => {
      await page.getByRole('tab', { name: title }).click({ timeout: OPENS_MS });
    },
  });
  const key = (name: string, path: string, pressed: string): DialogScene => ({
    name,
    path,
    open: async (page) => {
      await page.keyboard.press(pressed);
      await page.getByRole('dialog').waitFor({ timeout: OPENS_MS });
    },
  });
  const items = `/projects/${drafts}`;
  return [
    by('menu-services', '/', /^Services: /),
    by('menu-network', '/', /^Network: |network/i, 'menu'),
    by('menu-appearance', '/', 'Appearance', 'menu'),
    key('dialog-search', '/wallet', 'Control+k'),
    {
      name: 'dialog-search-found',
      path: '/wallet',
      open: async (page) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox').waitFor({ timeout: OPENS_MS });
        await page.keyboard.insertText('fee');
        await page.getByRole('option', { name: 'Fees of the miners' }).waitFor({ timeout: OPENS_MS });
      },
    },
    key('sheet-help', '/wallet', '?'),
    by('dialog-project', '/projects', 'New project'),
    by('dialog-item', items, /^Edit Low tide #1/),
    by('menu-item', items, 'More actions: Low tide #1', 'menu'),
    by('menu-order', items, 'Order drafts', 'menu'),
    {
      name: 'dialog-edit-several',
      path: items,
      open: async (page) => {
        await page.getByRole('button', { name: 'Select all drafts' }).click({ timeout: OPENS_MS });
        await press(page, 'Edit');
      },
    },
    byMenu('dialog-edition', items, 'More actions: Low tide #1', 'Make an edition…'),
    by('menu-project', items, 'More about this project', 'menu'),
    byMenu('dialog-bin', items, 'More about this project', /^Bin/),
    by('dialog-money', '/wallet', /^Amounts are shown in/),
    byMenu('dialog-move-project', items, 'More about this project', 'Take to another network…'),
    tab('project-traits', `/projects/${minted}`, 'Traits'),
    tab('project-plan', items, 'Plan and cost'),
    tab('project-ledger', `/projects/${minted}`, 'Ledger'),
    tab('project-outputs', `/projects/${minted}`, 'At the token service'),
    {
      name: 'dialog-output',
      path: `/projects/${minted}`,
      open: async (page) => {
        await page.getByRole('tab', { name: 'At the token service' }).click({ timeout: OPENS_MS });
        await press(page, 'New output');
      },
    },
    by('dialog-item-single', `/projects/${sketches}`, /^Edit Haiku/),
    by('dialog-publish', `/projects/${minted}`, 'Publish'),
    by('menu-token', `/tokens/${token}`, 'More', 'menu'),
    by('dialog-discard-import', `/import/${importId}`, 'Discard'),
    by('dialog-issue', '/redeemable-tokens', /^Issue MILK/),
    by('dialog-consolidate', '/wallet/coins', /^Consolidate/),
    by('popover-coin', '/wallet/coins', / (sat|BSV), /),
    by('menu-accounts', '/wallet', /^Account: /, 'menu'),
    byMenu('dialog-account-new', '/wallet', /^Account: /, /^New account/),
    byMenu('dialog-account-watch', '/wallet', /^Account: /, /^Watch an account/),
    byMenu('dialog-account-key', '/wallet', /^Account: /, /^Import a private key/),
    byMenu('dialog-account-rename', '/wallet', /^Account: /, /^Rename/),
    accountRemovalScene(host),
    by('dialog-restore-accounts', '/wallet/keys', /^Bring back accounts/),
    by('menu-export', '/transactions', 'Export', 'menu'),
    by('popover-columns', '/transactions', 'Columns'),
    by('dialog-miner', '/miners', 'Add a miner'),
    by('menu-miner', '/miners', /^Actions for Second/, 'menu'),
    by('sheet-gateway-test', '/gateway', 'Test the connection'),
    {
      name: 'sheet-call',
      path: '/gateway/traffic',
      open: async (page) => {
        await postRpc(host, '{"method":"getblockcount","params":[]}');
        const table = page.getByRole('grid', { name: 'Live calls' });
        await table.getByRole('button', { name: 'getblockcount' }).first().click({ timeout: OPENS_MS });
        await page.getByRole('dialog').waitFor({ timeout: OPENS_MS });
      },
    },
    by('dialog-key-password', '/gateway/keys', /^New password for/),
    by('dialog-gateway-password', '/gateway', 'Replace'),
    by('dialog-network-reset', '/sandbox', 'Reset the network'),
    {
      name: 'sandbox-reorganise',
      path: '/sandbox',
      open: async (page) => {
        await page.getByRole('button', { name: 'Reorganise from here' }).click({ timeout: OPENS_MS });
        await page.getByRole('region', { name: 'Reorganisation before it is done' }).waitFor({ timeout: OPENS_MS });
      },
    },
    by('dialog-sessions', '/sessions', 'End all others'),
    by('dialog-writer-key', '/writer/keys', /^Revoke /),
    by('dialog-run-cancel', `/runs/${openRunId}`, 'Cancel this mint'),
    approvalScene(host),
    pairingScene(host),
    by('menu-settings', '/settings', 'File and reset', 'menu'),
  ];
}

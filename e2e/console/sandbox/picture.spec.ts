import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, testWithOwnHost as test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { goTo } from '../../support/studio.ts';

/** Width of a block with its gap. */
const PITCH_PX = 76;

const blocks = (app: Page): Locator => app.getByRole('listbox', { name: 'Blocks, the newest first' });
const waiting = (app: Page): Locator => app.getByRole('listbox', { name: 'Waiting transactions' });
const handle = (app: Page): Locator => app.getByRole('slider', { name: 'End of the chain' });
const fork = (app: Page): Locator => app.getByRole('region', { name: 'Reorganisation before it is done' });
const looked = (app: Page): Locator => app.getByRole('region', { name: 'What is selected' });
const clock = (app: Page): Locator => app.getByRole('region', { name: 'Time', exact: true });
const status = async (host: RunningHost) => host.client().sandbox.status();
const height = async (host: RunningHost): Promise<number> => (await status(host)).tip.height;

/** Pays the wallet and waits until the payment is mined. @returns its txid */
async function minedPayment(host: RunningHost): Promise<string> {
  const { sandbox, wallet } = host.client();
  const { txid } = await sandbox.fund({ address: (await wallet.status()).address as string, satoshis: 20_000 });
  const holds = async () => (await sandbox.chain({ limit: 5 })).blocks.some(({ txids }) => txids.includes(txid));
  await expect.poll(holds).toBe(true);
  return txid;
}

test.beforeEach(async ({ app, host }) => {
  // Transactions removed from the chain have to stay in the mempool long enough to be checked.
  await host.client().settings.set({ key: 'sandbox.mineInterval', value: '0' });
  await goTo(app, '/sandbox');
  await expect(blocks(app)).toBeVisible();
});

test('mined blocks appear at the end of the chain', { tag: '@long' }, async ({ app, host }) => {
  const before = await height(host);
  await app.getByRole('button', { name: 'Mine 6 blocks' }).click();
  await expect(app.getByText('6 blocks are mined.')).toBeVisible();
  await expect(blocks(app).getByRole('option', { name: `Block ${before + 6}` })).toBeInViewport();
  await expect(app.getByText(`Height ${before + 6}`)).toBeVisible();
  await expect(blocks(app).locator('[data-arrived]')).toHaveCount(6);
  // A block mined elsewhere appears as well.
  await host.client().sandbox.mine({ blocks: 1 });
  await expect(blocks(app).getByRole('option', { name: `Block ${before + 7}` })).toBeInViewport();
});

test('coins are sent to an account by a button and to any address by a form, and appear in the list', {
  tag: '@long',
}, async ({ app }) => {
  const coins = app.getByRole('listbox', { name: 'Coins', exact: true });
  await expect(coins).toBeVisible();
  await app.getByRole('button', { name: 'Give 1 BSV to Main account' }).click();
  await expect(app.getByText('Sent in transaction')).toBeVisible();
  await expect(coins.getByRole('option', { name: /^Coin of 100,000,000 sat/ }).first()).toBeVisible();
  await app.getByRole('button', { name: 'More: Fund an address' }).click();
  await app.getByRole('textbox', { name: 'Amount' }).fill('777,000,000');
  await app.getByRole('button', { name: 'Send coins' }).click();
  await expect(coins.getByRole('option', { name: /^Coin of 777,000,000 sat/ })).toBeVisible();
});

test('the arrow keys select blocks of the chain, down to the first one', { tag: '@long' }, async ({ app, host }) => {
  const tip = await height(host);
  await blocks(app)
    .getByRole('option', { name: `Block ${tip}` })
    .focus();
  await app.keyboard.press('ArrowLeft');
  await app.keyboard.press('ArrowLeft');
  await expect(looked(app)).toContainText(`Block ${tip - 2}`);
  await expect(async () => {
    await app.keyboard.press('Home');
    const selected = blocks(app).getByRole('option', { selected: true });
    await expect(selected).toHaveAttribute('data-height', '0', { timeout: 1_000 });
  }).toPass();
  await looked(app).getByRole('link', { name: 'Open block' }).click();
  await expect(app.getByRole('heading', { level: 1, name: 'Block 0' })).toBeVisible();
});

test('dragging the tip back shows what a reorganisation removes, and the reorganisation is undone', async ({
  app,
  host,
}) => {
  const { tip } = await status(host);
  const box = await handle(app).boundingBox();
  if (box === null) throw new Error('the handle is not drawn');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await app.mouse.move(x, y);
  await app.mouse.down();
  await app.mouse.move(x - PITCH_PX, y, { steps: 4 });
  await expect(fork(app)).toContainText(`Block ${tip.height} falls out`);
  await app.mouse.move(x - 3 * PITCH_PX, y, { steps: 4 });
  await app.mouse.up();
  await expect(fork(app)).toContainText(`3 blocks fall out: ${tip.height - 2} to ${tip.height}`);
  await expect(blocks(app).locator('[data-falls]')).toHaveCount(3);
  expect((await status(host)).tip.hash).toBe(tip.hash);
  await fork(app).getByRole('button', { name: 'Reorganise 3 blocks' }).click();
  await expect(app.getByText('The chain was replaced by a branch of 4 blocks.')).toBeVisible();
  await expect(app.getByText(`Height ${tip.height + 1}`)).toBeVisible();
  await app.getByRole('button', { name: 'Undo' }).click();
  await expect(app.getByText(`Height ${tip.height}`)).toBeVisible();
  expect((await status(host)).tip.hash).toBe(tip.hash);
  await expect(app.getByRole('button', { name: 'Undo' })).toHaveCount(0);
});

test('a reorganisation by keyboard puts its transactions back into the mempool', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const txid = await minedPayment(host);
  await host.client().sandbox.mine({ blocks: 1 });
  const before = await height(host);
  await expect(app.getByText(`Height ${before}`)).toBeVisible();
  await handle(app).focus();
  await app.keyboard.press('ArrowLeft');
  await app.keyboard.press('ArrowLeft');
  await expect(handle(app)).toHaveAttribute('aria-valuetext', '2 blocks fall out');
  await expect(fork(app)).toContainText('1 transaction waits for a block again:');
  await expect(fork(app).getByRole('link')).toHaveAttribute('href', new RegExp(txid));
  await app.keyboard.press('Escape');
  await expect(fork(app)).toHaveCount(0);
  await app.keyboard.press('ArrowLeft');
  await app.getByRole('textbox', { name: 'Blocks to replace' }).fill('2');
  await expect(handle(app)).toHaveAttribute('aria-valuenow', '2');
  await handle(app).focus();
  await app.keyboard.press('Enter');
  await expect(app.getByText('The chain was replaced by a branch of 3 blocks.')).toBeVisible();
  const returned = waiting(app).getByRole('option', { name: `Transaction ${txid.slice(0, 4)}…${txid.slice(-4)}` });
  await returned.click();
  await expect(looked(app)).toContainText('Waiting transaction');
});

test('a waiting payment is double-spent, and the undo restores it', { tag: '@long' }, async ({ app, host }) => {
  const txid = await minedPayment(host);
  const { sandbox, node } = host.client();
  await sandbox.reorg({ depth: 1 });
  const known = async (): Promise<boolean> =>
    (await node.call({ method: 'getrawtransaction', params: [txid] })).error === null;
  await waiting(app)
    .getByRole('option', { name: `Transaction ${txid.slice(0, 4)}…${txid.slice(-4)}` })
    .click();
  await looked(app).getByRole('button', { name: 'Spend twice' }).click();
  await expect(app.getByText('The other transaction is mined, and the first one is lost.')).toBeVisible();
  await expect.poll(known).toBe(false);
  await app.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(known).toBe(true);
  await app.getByRole('textbox', { name: 'Transaction id' }).fill('not a txid');
  await expect(app.getByText('must be 64 hexadecimal digits')).toBeVisible();
  await app.getByRole('textbox', { name: 'Transaction id' }).fill('0'.repeat(64));
  const actions = app.getByRole('region', { name: 'What you can do' });
  await actions.getByRole('button', { name: 'Spend twice' }).click();
  await expect(app.getByRole('main').getByRole('alert')).toBeVisible();
  // The snapshot for the undo is removed.
  await expect.poll(async () => (await status(host)).snapshots).toEqual([]);
});

test('a snapshot is marked on its block and restored after a warning, and restoring it is undone', {
  tag: '@long',
}, async ({ app, host }) => {
  const pinned = await height(host);
  await app.getByRole('textbox', { name: 'Name of the snapshot' }).fill('before');
  await app.getByRole('button', { name: 'Pin', exact: true }).click();
  const pin = blocks(app).getByRole('option', { name: /Snapshot before/ });
  await expect(pin).toHaveAttribute('data-height', String(pinned));
  await app.getByRole('button', { name: 'Mine 6 blocks' }).click();
  await expect(app.getByText(`Height ${pinned + 6}`)).toBeVisible();
  await pin.click();
  await looked(app).getByRole('button', { name: 'Restore before' }).click();
  const dialog = app.getByRole('dialog');
  await expect(dialog).toContainText(`6 blocks above ${pinned} are lost`);
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(app.getByText('The network is as it was at before.')).toBeVisible();
  await expect(app.getByText(`Height ${pinned}`, { exact: true })).toBeVisible();
  await app.getByRole('button', { name: 'Undo' }).click();
  await expect(app.getByText(`Height ${pinned + 6}`)).toBeVisible();
  await app.getByRole('listitem').filter({ hasText: 'before' }).getByRole('button', { name: 'Delete before' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(pin).toHaveCount(0);
});

test('the clock of the sandbox is moved by its slider, stopped, set and reset', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const slider = app.getByRole('slider', { name: 'Time of the sandbox' });
  await expect(clock(app)).toContainText('the same as this machine');
  await slider.focus();
  for (const _ of ['a minute', '5 minutes', '15 minutes']) await app.keyboard.press('ArrowRight');
  const ahead = async (): Promise<number> => ((await status(host)).clock.now - Date.now()) / 86_400_000;
  await expect.poll(ahead).toBeGreaterThan(14 / 1_440);
  await expect.poll(ahead).toBeLessThan(20 / 1_440);
  await app.keyboard.press('End');
  await expect.poll(ahead).toBeGreaterThan(364);
  await expect(clock(app)).toContainText('runs on from there');
  // The clock accepts one change at a time.
  const stop = app.getByRole('switch', { name: 'Stop the clock' });
  await expect(stop).toBeEnabled();
  await stop.press('Space');
  await expect(clock(app)).toContainText('stands still');
  await app.getByLabel('Date and time of the sandbox').fill('1969-01-01T00:00');
  await expect(app.getByText('must be between 1970 and 2106')).toBeVisible();
  await expect(app.getByRole('button', { name: 'Set the clock' })).toBeDisabled();
  await app.getByLabel('Date and time of the sandbox').fill('2031-02-03T04:05');
  await app.getByRole('button', { name: 'Set the clock' }).click();
  await expect(clock(app)).toContainText('2031');
  await expect(clock(app)).toContainText('stands still');
  await app.getByRole('button', { name: 'Same as this machine' }).click();
  await expect(clock(app)).toContainText('the same as this machine');
  await expect(clock(app)).not.toContainText('2031');
});

test('the preview of a reorganisation and its undo are accessible in both colour schemes', { tag: '@long' }, async ({
  app,
}) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const only = colorScheme === 'dark' ? 'colours' : undefined;
    await app.emulateMedia({ colorScheme });
    await handle(app).focus();
    await app.keyboard.press('ArrowLeft');
    await expect(fork(app)).toBeVisible();
    await expectAccessible(app, only);
    await app.keyboard.press('Enter');
    // The bar stays while the focus is on it.
    await app.getByRole('button', { name: 'Undo' }).focus();
    await expectAccessible(app, only);
  }
});

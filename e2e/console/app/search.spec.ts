import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { addText, goTo, openPalette } from '../../support/studio.ts';

/** Opens the search, types a text and presses Enter, all by keyboard and without waiting for the list. */
async function search(app: Page, text: string): Promise<void> {
  await openPalette(app);
  await app.keyboard.insertText(text);
  await app.keyboard.press('Enter');
  await expect(app.getByRole('combobox', { name: /^Search names/ })).toHaveCount(0);
}

const at = (app: Page, path: string | RegExp) =>
  expect.poll(() => new URL(app.url()).hash.slice(1), { message: `opens ${path}` }).toMatch(path);

/** One thing of each kind. */
let made: { projectUid: string; txid: string; document: string; address: string; hash: string };

test.beforeAll(async ({ host }) => {
  const client = await host.client();
  await expect.poll(async () => (await client.wallet.status()).balance.confirmed).toBeGreaterThan(0);
  const address = (await client.wallet.status()).address as string;
  const { uid: projectUid } = await client.projects.create({ name: 'Moons of Jupiter', type: 'collection' });
  const cover = await addText(client, projectUid, 'All moons.txt');
  await addText(client, projectUid, 'Callisto.txt');
  const { id } = await client.mint.create({ itemIds: [cover], destination: address, idempotencyKey: randomUUID() });
  await expect.poll(async () => (await client.mint.get({ id })).awaitingApproval).toBe(true);
  await client.mint.approve({ id, digest: (await client.mint.get({ id })).review?.digest as string });
  await expect.poll(async () => (await client.mint.get({ id })).state, { timeout: 30_000 }).toBe('proven');
  const { txid } = await client.mint.get({ id });
  const { id: document } = await client.writer.write({
    body: '{"n":1}',
    tag: 'invoice/2026',
    wait: 'submitted',
    waitMs: 15_000,
  });
  await client.tx.label({ txid: txid as string, label: 'Evening star' });
  await client.wallet.addresses.label({ address, label: 'Rent account' });
  await client.gateway.keys.create({ name: 'Explorer bot' });
  const { result } = await client.node.call({ method: 'getblockhash', params: [101] });
  made = { projectUid, txid: txid as string, document, address, hash: result as string };
});

test('the search opens each kind of thing by keyboard alone', async ({ app }) => {
  const { projectUid, txid, document, address, hash } = made;
  await goTo(app, '/settings');
  const kinds = [
    ['101', `/explorer/block/${hash}`],
    [hash.toUpperCase(), `/explorer/block/${hash}`],
    [txid, `/tx/${txid}`],
    [`${txid}:0`, `/explorer/outpoint/${txid}_0`],
    [`${txid}_0`, `/explorer/outpoint/${txid}_0`],
    [`${txid}.0`, `/explorer/outpoint/${txid}_0`],
    [address, `/explorer/address/${address}`],
    ['rent account', `/explorer/address/${address}`],
    ['jupitre', `/projects/${projectUid}`],
    ['all moons', `/tokens/${txid}_0`],
    ['evening st', `/transactions/${txid}`],
    ['invoice', `/writer/documents/${document}`],
    ['explorer bot', '/gateway/keys'],
    ['store-locked', '/errors/store-locked'],
    ['miners', '/miners'],
    ['receive money', '/wallet/receive'],
    ['how do I back up', '/wallet/keys'],
    ['gas fee', '/miners'],
    ['getblockhash', '/gateway/console?line=getblockhash'],
  ] as const;
  // Every third outside the long form.
  for (const [text, path] of kinds.filter((_, at) => process.env.PLANCHET_LONG === '1' || at % 3 === 0)) {
    await search(app, text);
    await at(app, path);
  }
});

test('the search opens a draft in its project', async ({ app }) => {
  await search(app, 'callisto');
  await expect(app.getByRole('heading', { name: 'Moons of Jupiter', level: 1 })).toBeVisible();
  await expect(app.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Callisto');
});

test('the search finds settings by key, name and meaning, and opens them at their row', async ({ app }) => {
  for (const text of ['writerDailySpend', 'writerdailyspend']) {
    await search(app, text);
    await at(app, '/settings?find=writerDailySpend');
    await goTo(app, '/');
  }
});

test('the search runs a command', async ({ app, host }) => {
  const client = await host.client();
  const height = async () => Number((await client.node.call({ method: 'getblockcount', params: [] })).result);
  const before = await height();
  await search(app, 'mine a block');
  await expect.poll(height).toBeGreaterThan(before);
});

test('the search says where an unknown id was looked for', { tag: '@long' }, async ({ app }) => {
  await openPalette(app);
  await app.keyboard.insertText('ab'.repeat(32));
  await expect(app.getByText('Nothing on the network Sandbox has this id')).toBeVisible();
  await expect(app.getByText(/Looked for .*blocks.*transactions of the node.*documents/)).toBeVisible();
  await checkView(app, 'search-unknown');
});

test('the search lists recent pages first, moves by arrow keys, and restores the focus', { tag: '@long' }, async ({
  app,
}) => {
  await search(app, 'jupiter');
  await at(app, /^\/projects\//);
  const link = app.getByRole('link', { name: 'Wallet', exact: true });
  await link.focus();
  await openPalette(app);
  const last = app.getByRole('group', { name: 'Last opened' });
  await expect(last.getByRole('option').first()).toContainText('Moons of Jupiter');
  await expect(app.getByRole('option', { selected: true })).toContainText('Moons of Jupiter');
  await checkView(app, 'search-recent');
  await app.keyboard.press('ArrowUp');
  await expect(app.getByRole('option', { selected: true })).toHaveText(
    (await app.getByRole('option').last().textContent()) as string,
  );
  await app.keyboard.press('Escape');
  await expect(link).toBeFocused();
  await openPalette(app);
  await app.getByRole('button', { name: 'Clear recent' }).click();
  await expect(last).toHaveCount(0);
});

test('words for a task find its page, and a command of the node opens in the console', async ({ app }) => {
  await openPalette(app);
  await app.keyboard.insertText('undo');
  await expect(app.getByRole('option', { selected: true })).toContainText('Undo a change of a project');
  await checkView(app, 'search-wish');
  await app.keyboard.press('Escape');
  await openPalette(app);
  await app.keyboard.insertText('confirmations');
  await expect(app.getByRole('option', { selected: true })).toContainText('Transactions that wait for a block');
  await checkView(app, 'search-documents');
  await app.keyboard.press('Escape');
  await search(app, 'getblockhash');
  await at(app, '/gateway/console?line=getblockhash');
  await expect(app.getByRole('textbox', { name: 'Command line' })).toHaveValue('getblockhash');
});

test('the search is accessible with results', async ({ app }) => {
  await openPalette(app);
  await app.keyboard.insertText('moon');
  await expect(app.getByRole('option', { name: /Moons of Jupiter/ }).first()).toBeVisible();
  await checkView(app, 'search-results');
});

test('the search box does not move as the time since the last block grows', { tag: '@long' }, async ({ app, host }) => {
  const place = () => app.getByRole('button', { name: /^Search/ }).boundingBox();
  await expect(app.getByText(/^Block \d/).first()).toBeVisible();
  const before = await place();
  await (await host.client()).sandbox.mine({ blocks: 900 });
  await expect(app.getByText(/^Block [1-9],\d{3}/).first()).toBeVisible();
  expect(await place()).toEqual(before);
});

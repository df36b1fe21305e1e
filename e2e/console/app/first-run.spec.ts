import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect } from '../../support/fixtures.ts';
import { clicksOf, testOnFreshProfile as test } from '../../support/fresh-profile.ts';
import { openHost } from '../../support/open.ts';
import { goTo, runCommand } from '../../support/studio.ts';

const MAX_FIRST_TOKEN_MS = 60_000;

const question = (app: Page) => app.getByRole('heading', { name: 'What do you want to do first?', level: 1 });

test('Create: three clicks, and the first token is mined within a minute', async ({ app, host }) => {
  await expect(question(app)).toBeVisible();
  const started = performance.now();
  await app.getByRole('link', { name: /^Create/ }).click();
  await app.getByRole('button', { name: 'Copper moon' }).click();
  await app.getByRole('button', { name: 'Approve and mint' }).click();
  await expect(app.getByText(/^Mined in block \d+$/)).toBeVisible({ timeout: MAX_FIRST_TOKEN_MS });
  expect(performance.now() - started).toBeLessThan(MAX_FIRST_TOKEN_MS);
  expect(await clicksOf(app)).toBe(3);
  const picture = app.getByRole('main').locator('iframe, img').first();
  await expect(picture).toBeVisible();
  await expect(app.getByText('Its Merkle proof was checked')).toBeVisible();
  await checkView(app, 'welcome-created');
  await app.getByRole('link', { name: 'Show the proof' }).click();
  await expect(app.getByRole('heading', { name: 'Merkle proof' })).toBeVisible();
  const { tokens } = await host.client().app.snapshot();
  expect(tokens).toMatchObject([{ name: 'Copper moon' }]);
  // The question is asked once.
  await openHost(app, host);
  await expect(app.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect(question(app)).toHaveCount(0);
});

test('Create: the first review takes another name and picture, and leaving removes its draft', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = host.client();
  const waiting = async () => (await client.mint.list({})).jobs.filter((job) => job.awaitingApproval).length;
  await app.getByRole('link', { name: /^Create/ }).click();
  await app.getByRole('button', { name: 'Copper moon' }).click();
  const approve = app.getByRole('button', { name: 'Approve and mint' });
  await expect(approve).toBeEnabled();
  await app.getByRole('textbox', { name: 'Name' }).fill('Blue moon');
  await expect(approve).toBeDisabled();
  await app.getByRole('button', { name: 'Use this name' }).click();
  await expect(app.getByRole('button', { name: 'Use this name' })).toHaveCount(0);
  await expect(approve).toBeEnabled();
  const choice = app.waitForEvent('filechooser');
  await app.getByRole('button', { name: 'Another picture' }).click();
  await (await choice).setFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('other words') });
  await expect(app.getByRole('main').getByText('other words')).toBeVisible();
  await expect(approve).toBeEnabled();
  await checkView(app, 'welcome-review');
  const [project] = await client.projects.list();
  const items = () => client.items.list({ projectUid: project?.uid as string });
  expect(await items()).toMatchObject([{ metadata: { name: 'Blue moon' }, file: { name: 'note.txt' } }]);
  expect(await waiting()).toBe(1);
  await app.getByRole('button', { name: 'Back to the pictures' }).click();
  await expect(app.getByRole('button', { name: 'Copper moon' })).toBeVisible();
  expect([await waiting(), (await items()).length]).toEqual([0, 0]);

  await app.getByRole('button', { name: 'Tide' }).click();
  await expect(approve).toBeEnabled();
  await app.getByRole('link', { name: 'Tokens', exact: true }).click();
  await expect.poll(waiting).toBe(0);
  await expect.poll(async () => (await items()).length).toBe(0);
  expect(await client.projects.list()).toHaveLength(1);
});

test('Create: another page shows the same review, and does not cancel one that is open elsewhere', {
  tag: '@long',
}, async ({ app, host }) => {
  const client = host.client();
  const waiting = async () => (await client.mint.list({})).jobs.filter((job) => job.awaitingApproval).length;
  const approveIn = (page: Page) => page.getByRole('button', { name: 'Approve and mint' });
  await app.getByRole('link', { name: /^Create/ }).click();
  await app.getByRole('button', { name: 'Copper moon' }).click();
  await expect(approveIn(app)).toBeEnabled();
  const other = await app.context().newPage();
  await openHost(other, host);
  await goTo(other, '/welcome/create');
  await expect(approveIn(other)).toBeEnabled();
  await expect(other.getByRole('textbox', { name: 'Name' })).toHaveValue('Copper moon');
  expect(await waiting()).toBe(1);
  // A change in one page applies to the review in both.
  await app.getByRole('textbox', { name: 'Name' }).fill('Blue moon');
  await app.getByRole('button', { name: 'Use this name' }).click();
  await expect(other.getByRole('textbox', { name: 'Name' })).toHaveValue('Blue moon');
  await expect(approveIn(other)).toBeEnabled();
  // The first page to leave keeps the review for the other.
  await app.getByRole('link', { name: 'Tokens', exact: true }).click();
  await expect(app.getByRole('heading', { name: 'Tokens', level: 1 })).toBeVisible();
  await other.reload();
  await expect(approveIn(other)).toBeEnabled();
  await expect(other.getByRole('textbox', { name: 'Name' })).toHaveValue('Blue moon');
  expect(await waiting()).toBe(1);
  await approveIn(other).click();
  await expect(other.getByText(/^Mined in block \d+$/)).toBeVisible({ timeout: MAX_FIRST_TOKEN_MS });
  const { tokens } = await client.app.snapshot();
  expect(tokens).toMatchObject([{ name: 'Blue moon' }]);
});

test('Develop: three clicks to a curl command that works and its answer', async ({ app, host, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await app.getByRole('link', { name: /^Develop/ }).click();
  await app.getByRole('button', { name: 'Copy the command' }).click();
  await app.getByRole('button', { name: 'Run it here' }).click();
  const answer = JSON.parse(await app.getByTestId('answer').innerText()) as { result: number };
  expect(await clicksOf(app)).toBe(3);
  const copied = await app.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await app.getByTestId('command').innerText());
  const { stdout } = await promisify(execFile)('sh', ['-c', `${copied} --silent`]);
  const { result, error } = JSON.parse(stdout) as { result: number; error: unknown };
  expect(error).toBeNull();
  expect(result).toBeGreaterThanOrEqual(answer.result);
  expect((await host.client().app.info()).firstStart).toBe(false);
});

test('the first start is skipped, opened again from the palette, and completed by keyboard', { tag: '@long' }, async ({
  app,
  host,
}) => {
  await expect(question(app)).toBeVisible();
  await app.getByRole('button', { name: 'Skip', exact: true }).focus();
  await app.keyboard.press('Enter');
  await expect(app.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect.poll(async () => (await host.client().app.info()).firstStart).toBe(false);
  await runCommand(app, 'First steps');
  await expect(question(app)).toBeVisible();
  await app.getByRole('link', { name: /^Create/ }).focus();
  await app.keyboard.press('Enter');
  const tile = app.getByRole('button', { name: 'Tide' });
  await expect(tile).toBeEnabled();
  await tile.focus();
  await app.keyboard.press('Enter');
  const approve = app.getByRole('button', { name: 'Approve and mint' });
  await expect(approve).toBeEnabled();
  await approve.focus();
  await app.keyboard.press('Enter');
  await expect(app.getByText(/^Mined in block \d+$/)).toBeVisible({ timeout: MAX_FIRST_TOKEN_MS });
});

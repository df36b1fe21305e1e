import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { createHttpClient } from '../../../src/main/console/http-client.ts';
import { lockOwner } from '../../../src/main/infrastructure/data-folder.ts';
import { expect, expectAccessible, test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { goTo } from '../../support/studio.ts';

function clientOf(host: RunningHost) {
  return createHttpClient({ url: host.ready.console, bearer: lockOwner(host.ready.dataDir)?.token ?? '' });
}

test('a document is written from the form to its proof, and its body is rendered as text', async ({ app, host }) => {
  await goTo(app, '/writer');
  await app.getByRole('link', { name: 'Write a document' }).click();
  const body = '{"note":"<img src=x onerror=document.title=1>","n":7}';
  await app.getByRole('textbox', { name: 'JSON' }).fill('{"note":');
  await expect(app.getByText('This is not JSON')).toBeVisible();
  await expect(app.getByRole('button', { name: 'Write to the chain' })).toBeDisabled();
  await app.getByRole('textbox', { name: 'JSON' }).fill(body);
  await app.getByRole('textbox', { name: 'Tag' }).fill('orders');
  await expect(app.getByRole('region', { name: 'Code in curl' })).toContainText(`${host.ready.writer}/api/v1/write`);
  await expect(app.getByRole('region', { name: 'Code in curl' })).toContainText('X-Tag: orders');
  await expectAccessible(app);
  await app.getByRole('button', { name: 'Write to the chain' }).click();
  await app.getByRole('link', { name: 'Open the document' }).click();
  await expect(app.getByRole('region', { name: 'Content of the body' })).toHaveText(body);
  await expect(app.getByRole('main').getByText('Proven').first()).toBeVisible();
  await app.getByRole('button', { name: 'Show proof' }).click({ timeout: 30_000 });
  await expect(app.getByRole('region', { name: 'Content of the proof' })).toContainText('"nodes"');

  await app.getByRole('link', { name: 'Back to the documents' }).click();
  await expect(app.getByRole('link', { name: /^Open document/ }).first()).toBeVisible();
  await app.getByRole('textbox', { name: 'Filter by tag' }).fill('nothing has this tag');
  await expect(app.getByText('Nothing matches.')).toBeVisible();
  await app.getByRole('textbox', { name: 'Filter by tag' }).fill('orders');
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(1);
  await app.getByRole('tab', { name: 'Queue' }).click();
  await expect(app.getByRole('link', { name: /^Proven: [1-9]/ })).toBeVisible({ timeout: 20_000 });
});

test('a registered key writes over HTTP until it is revoked, and is never shown again', { tag: '@long' }, async ({
  app,
  host,
}) => {
  await goTo(app, '/writer/keys');
  await app.getByRole('button', { name: 'Make a sandbox key' }).click();
  const field = app.getByLabel('API key', { exact: true });
  await expect(field).not.toHaveValue('');
  await expect(field).toHaveAttribute('type', 'password');
  const apiKey = await field.inputValue();
  await app.getByRole('button', { name: 'Register the key' }).click();
  await expect(app.getByText('may write now')).toBeVisible();
  await expect(field).toHaveValue('');
  await expect(app.locator('body')).not.toContainText(apiKey);
  await expectAccessible(app);
  expect(await post(host.ready.writer, apiKey)).toBe(202);

  // Other tests register keys too, so the newest is first once the list contains them all.
  const active = (await clientOf(host).writer.keys.list()).filter(({ revokedAt }) => revokedAt === null);
  const [newest] = active.sort((one, other) => other.createdAt - one.createdAt);
  const revoke = app.getByRole('button', { name: /^Revoke / });
  await expect(revoke).toHaveCount(active.length);
  await expect(revoke.first()).toHaveAccessibleName(`Revoke ${newest?.label}`);
  await revoke.first().click();
  await app.getByRole('button', { name: 'Revoke the key' }).click();
  await expect(app.getByText('Revoked', { exact: true })).toBeVisible();
  await expect.poll(() => post(host.ready.writer, apiKey)).toBe(401);
});

test('an address with a state lists the documents in that state', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/writer/documents?state=dead');
  const state = app.getByRole('combobox', { name: 'Filter by state' });
  await expect(state).toHaveValue('Given up');
  await goTo(app, '/writer/documents?state=proven');
  await expect(state).toHaveValue('Proven');
  await app.reload();
  await expect(state).toHaveValue('Proven');
});

test('the list of given-up documents says that it is empty', { tag: '@long' }, async ({ app }) => {
  await goTo(app, '/writer/dead');
  await expect(app.getByRole('heading', { name: 'Nothing was given up' })).toBeVisible();
  await expectAccessible(app);
});

test('a given-up document shows its reason and is written once its cause is gone', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const { settings } = clientOf(host);
  await settings.set({ key: 'maxFeeSatoshis', value: 1 });
  const tag = `dead-${Date.now()}`;
  const answers = await postLines(host.ready.writer, host.ready.sandboxApiKey, tag, 2);
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  await goTo(app, '/writer/dead');
  await expect(app.getByText(/maxFeeSatoshis/).first()).toBeVisible({ timeout: 20_000 });
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(2, { timeout: 20_000 });
  await expectAccessible(app);
  await picture(app, 'dead-letters');
  await app.getByRole('button', { name: 'Retry all' }).click();
  // The daily limit still applies, so they are given up again.
  await expect(app.getByText('2 documents are being retried.')).toBeVisible();
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(2, { timeout: 20_000 });

  await settings.set({ key: 'maxFeeSatoshis', value: 100_000 });
  await app
    .getByRole('checkbox', { name: /^Select row/ })
    .first()
    .check();
  await expect(app.getByText('1 selected')).toBeVisible();
  await app.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(app.getByText('1 document is being retried.')).toBeVisible();
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(1, { timeout: 20_000 });
  await app.getByRole('button', { name: 'Retry all' }).click();
  await expect(app.getByRole('heading', { name: 'Nothing was given up' })).toBeVisible({ timeout: 20_000 });
  await goTo(app, '/writer/documents');
  await app.getByRole('combobox', { name: 'Filter by state' }).click();
  await app.getByRole('option', { name: 'Proven' }).click();
  await app.getByRole('textbox', { name: 'Filter by tag' }).fill(tag);
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(2, { timeout: 30_000 });
});

test('a long list has pages, and the charts count what was written by hour and tag', { tag: '@long' }, async ({
  app,
  host,
}) => {
  const answers = await postLines(host.ready.writer, host.ready.sandboxApiKey, 'many', 70);
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(70);
  await goTo(app, '/writer/documents');
  await app.getByRole('textbox', { name: 'Filter by tag' }).fill('many');
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(50);
  const top = app.getByRole('link', { name: /^Open document/ }).first();
  const newest = (await top.getAttribute('href')) as string;
  await app.getByRole('combobox', { name: 'Order' }).click();
  await app.getByRole('option', { name: 'Oldest first' }).click();
  await expect(top).not.toHaveAttribute('href', newest);
  // The filter is applied a moment after typing; without it, the oldest documents have other tags.
  await expect(app.getByRole('row').filter({ hasText: 'many' })).toHaveCount(50);
  const oldest = (await top.getAttribute('href')) as string;
  await app.getByRole('button', { name: 'Next' }).click();
  await expect(app.getByText('Page 2')).toBeVisible();
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(20);
  await expect(app.getByRole('button', { name: 'Next' })).toBeDisabled();
  await app.getByRole('button', { name: 'Previous' }).click();
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(50);
  await expect(top).toHaveAttribute('href', oldest);
  await picture(app, 'documents');

  await goTo(app, '/writer');
  const chart = app.getByRole('img', { name: /^Documents per hour/ });
  await expect(chart).toBeVisible();
  const { width, height } = (await chart.boundingBox()) ?? { width: 0, height: 0 };
  await chart.hover({ position: { x: width - 8, y: height / 2 } });
  await expect(chart).toContainText(/many\s*70/);
  await expect(app.getByRole('img', { name: /^Bytes per hour/ })).toBeVisible();
  await expect(app.getByRole('listitem').filter({ hasText: /^many$/ })).toBeVisible();
  await picture(app, 'queue');
});

test('the snippet for JavaScript writes the document it shows', { tag: '@long' }, async ({ app, host }) => {
  await goTo(app, '/writer/try');
  await app.getByRole('textbox', { name: 'JSON' }).fill(`{"it's":"a \\"test\\""}`);
  await app.getByRole('textbox', { name: 'Tag' }).fill('from-a-program');
  for (const language of ['curl', 'Python', 'C#', 'JavaScript']) {
    await app.getByRole('radiogroup', { name: 'Language' }).getByText(language, { exact: true }).click();
    const code = app.getByRole('region', { name: `Code in ${language}` });
    await expect(code).toContainText(`${host.ready.writer}/api/v1/write`);
    await expect(code).not.toContainText(host.ready.sandboxApiKey);
  }
  await picture(app, 'try-it');
  const code = await app.getByRole('region', { name: 'Code in JavaScript' }).innerText();
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    env: { ...process.env, PLANCHET_API_KEY: host.ready.sandboxApiKey, FORCE_COLOR: '0' },
  });
  const [, txid] = /txid: '([0-9a-f]{64})'/.exec(stdout) ?? [];
  expect(stdout).toMatch(/^201 /);
  await goTo(app, `/writer/documents/${txid}`);
  await expect(app.getByRole('region', { name: 'Content of the body' })).toHaveText(`{"it's":"a \\"test\\""}`);
  await picture(app, 'document');
});

/** Writes lines in one batch, as a program does. */
async function postLines(base: string, apiKey: string, tag: string, count: number): Promise<{ status: number }[]> {
  const response = await fetch(`${base}/api/v1/write/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/x-ndjson', 'x-tag': tag },
    body: Array.from({ length: count }, (_, n) => `{"line":${n}}\n`).join(''),
  });
  const text = await response.text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { status: number });
}

/** Screenshots of the view in both schemes, if a folder for them is set. */
async function picture(app: Page, name: string): Promise<void> {
  const folder = process.env.PLANCHET_PICTURES;
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await app.emulateMedia({ colorScheme });
    for (const [width, height] of [
      [1280, 800],
      [1024, 640],
    ] as const) {
      await app.setViewportSize({ width, height });
      await app.screenshot({ path: `${folder}/writer-${name}-${width}-${colorScheme}.png`, animations: 'disabled' });
    }
  }
  await app.setViewportSize({ width: 1280, height: 800 });
  await app.emulateMedia({ colorScheme: 'light' });
}

async function post(base: string, apiKey: string): Promise<number> {
  const response = await fetch(`${base}/api/v1/write?wait=accepted`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-tag': 'http' },
    body: '{"from":"a program"}',
  });
  await response.arrayBuffer();
  return response.status;
}

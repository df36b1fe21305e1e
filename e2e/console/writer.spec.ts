import { expect, expectAccessible, test } from '../support/fixtures.ts';
import { goTo } from '../support/studio.ts';

test('a document goes from the form to its proof, and its body stays text', async ({ app, host }) => {
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
  await expectAccessible(app);

  await app.getByRole('link', { name: 'Back to the documents' }).click();
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(1);
  await app.getByRole('textbox', { name: 'Filter by tag' }).fill('nothing has this tag');
  await expect(app.getByText('Nothing matches.')).toBeVisible();
  await app.getByRole('textbox', { name: 'Filter by tag' }).fill('orders');
  await expect(app.getByRole('link', { name: /^Open document/ })).toHaveCount(1);
  await expectAccessible(app);
  await app.getByRole('tab', { name: 'Queue' }).click();
  await expect(app.getByRole('link', { name: /^Proven: 1/ })).toBeVisible({ timeout: 20_000 });
  await expectAccessible(app);
});

test('a registered key writes over HTTP until it is revoked, and is shown nowhere', async ({ app, host }) => {
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

  await app
    .getByRole('button', { name: /^Revoke / })
    .last()
    .click();
  await app.getByRole('button', { name: 'Revoke the key' }).click();
  await expect(app.getByText('Revoked', { exact: true })).toBeVisible();
  await expect.poll(() => post(host.ready.writer, apiKey)).toBe(401);
});

test('dead letters say that there are none', async ({ app }) => {
  await goTo(app, '/writer/dead');
  await expect(app.getByRole('heading', { name: 'No dead letters' })).toBeVisible();
  await expectAccessible(app);
});

async function post(base: string, apiKey: string): Promise<number> {
  const response = await fetch(`${base}/api/v1/write?wait=accepted`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-tag': 'http' },
    body: '{"from":"a program"}',
  });
  await response.arrayBuffer();
  return response.status;
}

import { expect, expectAccessible, test } from '../support/fixtures.ts';
import { goTo } from '../support/studio.ts';

test('blocks are mined and coins are handed out', async ({ app }) => {
  await goTo(app, '/sandbox');
  const state = app.getByRole('region', { name: 'State of the network' });
  await expect(state).toBeVisible();
  const height = async (): Promise<number> =>
    Number((await state.locator('dd').first().locator('.num').innerText()).replaceAll(',', ''));
  const before = await height();
  await app.getByRole('textbox', { name: 'Blocks', exact: true }).fill('3');
  await app.getByRole('button', { name: 'Mine 3 blocks' }).click();
  await expect(app.getByText('3 blocks are mined.')).toBeVisible();
  await expect.poll(height).toBeGreaterThanOrEqual(before + 3);
  await app.getByRole('button', { name: 'Send coins' }).click();
  await expect(app.getByText('Sent in transaction')).toBeVisible();
});

test('a fault is seen while it is on, and meets those who call', async ({ app, host }) => {
  await goTo(app, '/sandbox');
  const line = app.locator('[data-fault="http-error"]');
  await line.getByRole('switch').click({ force: true });
  await expect(app.getByText('1 fault is on')).toBeVisible();
  const answer = await fetch(`${host.ready.mapi}/mapi/feeQuote`);
  expect(answer.status).toBe(503);
  await app.getByRole('button', { name: 'Turn all off' }).click();
  await expect(app.getByText('1 fault is on')).toHaveCount(0);
  await expect(line.getByRole('switch')).not.toBeChecked();
});

test('a snapshot is taken and the network comes back to it', async ({ app }) => {
  await goTo(app, '/sandbox');
  await app.getByRole('textbox', { name: 'Name of the snapshot' }).fill('before');
  await app.getByRole('button', { name: 'Take a snapshot' }).click();
  await app.getByRole('button', { name: 'Revert to before' }).click();
  await expect(app.getByRole('dialog')).toContainText('are lost');
  await app.getByRole('button', { name: 'Revert', exact: true }).last().click();
  await expect(app.getByRole('dialog')).toHaveCount(0);
  await expect(app.getByRole('main').getByRole('alert')).toHaveCount(0);
});

test('the sandbox view is accessible in both schemes', async ({ app }) => {
  await goTo(app, '/sandbox');
  await expect(app.getByRole('region', { name: 'Faults' })).toBeVisible();
  for (const scheme of ['light', 'dark'] as const) {
    await app.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await expectAccessible(app);
  }
});

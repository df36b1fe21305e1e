import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { approveAndWait, buildMint, createProject, goTo } from '../../support/studio.ts';

// One of the tests leaves a mint waiting, and with it the reserved money, so the wallet is not shared with another file.

test('a file becomes a mined and proven token by clicking', { tag: '@long' }, async ({ app }) => {
  await createProject(app, 'Copper Moons', ['copper-moon.png']);
  await expect(app.getByText('Copper moon').first()).toBeVisible();
  await buildMint(app);
  await expect(app.getByText(/You mint 1 token to your own wallet/)).toBeVisible();
  await approveAndWait(app);

  await app.getByRole('link', { name: 'Open the transaction' }).click();
  await expect(app.getByText('Proven', { exact: true }).first()).toBeVisible();
  await expect(app.getByText('image/png').first()).toBeVisible();

  await goTo(app, '/');
  await expect(app.getByText('Copper moon').first()).toBeVisible();
});

test('sample art can be minted without a file of one’s own', { tag: '@long' }, async ({ app }) => {
  await createProject(app, 'First steps', []);
  await app.getByRole('button', { name: 'Try it with sample art' }).click();
  for (const name of ['Copper moon', 'Tide', 'Haiku']) await expect(app.getByText(name).first()).toBeVisible();
  await expect(app.getByRole('link', { name: 'Mint all 3 drafts' })).toBeVisible();
  await buildMint(app);
  await expect(app.getByText(/You mint 3 tokens to your own wallet/)).toBeVisible();
});

test('several files become one transaction, in the order they are listed', { tag: '@long' }, async ({ app }) => {
  await createProject(app, 'In order', ['haiku.txt', 'tide.svg', 'copper-moon.png']);
  for (const name of ['Haiku', 'Tide', 'Copper moon']) await expect(app.getByText(name).first()).toBeVisible();
  await app.getByRole('link', { name: /^Mint (all|\d)/ }).click();
  const listed = await app.getByText(/^(Haiku|Tide|Copper moon)$/).allInnerTexts();
  await app.getByRole('button', { name: 'Continue' }).click();
  await app.getByRole('button', { name: 'Check before minting' }).click();
  await approveAndWait(app);
  const minted = await app
    .getByRole('region', { name: 'Result' })
    .getByText(/^(Haiku|Tide|Copper moon)$/)
    .allInnerTexts();
  expect(minted).toEqual(listed);
});

test('a mint can be cancelled at the review, and its item is a draft again', { tag: '@long' }, async ({ app }) => {
  await createProject(app, 'Second thoughts', ['haiku.txt']);
  await buildMint(app);
  await app.getByRole('button', { name: 'Cancel this mint' }).click();
  await expect(app.getByText('This mint was cancelled')).toBeVisible();
  await app.getByRole('link', { name: 'Back to the project' }).first().click();
  await expect(app.getByText('Draft', { exact: true })).toBeVisible();
});

test('files that cannot be minted say why and what to do', { tag: '@long' }, async ({ app }) => {
  await createProject(app, 'Odd files', [
    { name: 'empty.png', mimeType: 'image/png', buffer: Buffer.alloc(0) },
    { name: 'huge.png', mimeType: 'image/png', buffer: Buffer.alloc(4_000_001, 1) },
    { name: 'mystery.zzz', mimeType: '', buffer: Buffer.from([0, 1, 2, 3, 255]) },
  ]);
  await expect(app.getByText('Files that were not added')).toBeVisible();
  for (const name of ['empty.png', 'huge.png', 'mystery.zzz']) await expect(app.getByText(name).first()).toBeVisible();
});

test('an address of the wrong network is refused while it is typed', { tag: '@long' }, async ({ app }) => {
  await createProject(app, 'Wrong way', ['tide.svg']);
  await app.getByRole('link', { name: /^Mint (all|\d)/ }).click();
  await app.getByRole('button', { name: 'Continue' }).click();
  await app.getByText('Another address').click();
  await app.getByRole('textbox', { name: 'Address' }).fill('1BoatSLRHtKNngkdXEeobR76b53LETtpyT');
  await expect(app.getByText(/main network/i).first()).toBeVisible();
  await expect(app.getByRole('button', { name: 'Check before minting' })).toBeDisabled();
});

test('a mint waits while the token service answers 503, shows when it retries, and continues on its own', {
  tag: '@long',
}, async ({ app, host }) => {
  const { faults } = host.client().sandbox;
  await createProject(app, 'Patience', ['haiku.txt']);
  await app.getByRole('link', { name: /^Mint (all|\d)/ }).click();
  await app.getByRole('button', { name: 'Continue' }).click();
  await expect(app.getByRole('button', { name: 'Check before minting' })).toBeEnabled();
  await faults.set({ name: 'http-error', value: 503, area: 'token' });
  try {
    await app.getByRole('button', { name: 'Check before minting' }).click();
    const main = app.getByRole('main');
    await expect(main.getByText(/next try in/)).toBeVisible();
    await expect(main.getByText(/failed with status 503/)).toBeVisible();
    await expect(main.getByText('Waiting to retry').first()).toBeVisible();
    await expect(main.getByRole('button', { name: 'Cancel this mint' })).toBeEnabled();
    await checkView(app, 'mint-retrying');
    await goTo(app, '/jobs');
    await expect(main.getByText('Retrying').first()).toBeVisible();
    await app.goBack();
  } finally {
    await faults.clear({});
  }
  await expect(app.getByRole('button', { name: /^Approve and mint/ })).toBeEnabled({ timeout: 30_000 });
});

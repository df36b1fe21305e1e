import { PrivateKey } from '@bsv/sdk';
import type { Page } from '@playwright/test';
import { signEnvelope } from '../../../src/chain/index.ts';
import { createHttpClient } from '../../../src/main/console/http-client.ts';
import { lockOwner } from '../../../src/main/infrastructure/data-folder.ts';
import { AlteringProxy } from '../../../src/main/test-support/altering-proxy.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { buildMint, createProject, goTo } from '../../support/studio.ts';

const otherSigner = PrivateKey.fromRandom();
const otherKey = otherSigner.toPublicKey().toString();

/** Signs every answer with another key, or with none. */
const signedBy =
  (key: PrivateKey | undefined): AlteringProxy['alter'] =>
  (answer) => {
    const minerId = key?.toPublicKey().toString();
    return signEnvelope(JSON.stringify({ ...JSON.parse(String(answer.payload)), minerId }), key);
  };

async function toFunding(app: Page, project: string): Promise<void> {
  await createProject(app, project, ['haiku.txt']);
  await app.getByRole('link', { name: /^Mint (all|\d)/ }).click();
  await app.getByRole('button', { name: 'Continue' }).click();
}

test('a quote signed with another key is refused in a mint until a person accepts the key', {
  tag: '@long',
}, async ({ app, host }) => {
  const owner = lockOwner(host.ready.dataDir);
  const client = createHttpClient({ url: host.ready.console, bearer: owner?.token as string });
  const proxy = await AlteringProxy.open(host.ready.mapi);
  const { address } = await client.wallet.status();
  try {
    await client.settings.set({ key: 'mapiUrl', value: proxy.url });
    await createProject(app, 'Known key', ['haiku.txt']);
    await buildMint(app);
    await expect(app.getByText(/http:\/\/127\.0\.0\.1/)).toHaveCount(0);
    await app.getByRole('button', { name: 'Show every field' }).click();
    await expect(app.getByText('Signed with', { exact: true })).toBeVisible();
    await expect(app.getByText(/^known since/)).toBeVisible();
    await app.getByRole('button', { name: 'Cancel this mint' }).click();
    await expect(app.getByText('This mint was cancelled')).toBeVisible();

    // The quote is requested again after another merchant API was used.
    const [item] = await client.items.list({ projectUid: (await client.projects.list())[0]?.uid as string });
    await client.settings.set({ key: 'mapiUrl', value: host.ready.mapi });
    await client.mint.estimate({ itemIds: [item?.id as string], destination: address as string });
    proxy.alter = signedBy(otherSigner);
    await client.settings.set({ key: 'mapiUrl', value: proxy.url });
    await toFunding(app, 'Another key');
    const refusal = app.getByRole('alert').filter({ hasText: 'signed with another key' });
    await expect(refusal.getByText(otherKey, { exact: true })).toBeVisible();
    await expect(app.getByRole('button', { name: 'Check before minting' })).toBeDisabled();
    await checkView(app, 'merchant-key-changed');
    await refusal.getByRole('button', { name: 'Accept this key…' }).click();
    const question = app.getByRole('dialog', { name: 'Accept another key?' });
    await expect(question.getByText(otherKey, { exact: true })).toBeVisible();
    await checkView(app, 'merchant-key-question');
    await question.getByRole('button', { name: 'Accept from now on' }).click();
    await app.getByRole('button', { name: 'Check before minting' }).click();
    await app.getByRole('button', { name: 'Show every field' }).click();
    await expect(app.getByText(otherKey)).toBeVisible();
    expect(await client.merchant.keys()).toContainEqual(
      expect.objectContaining({
        endpoint: proxy.url,
        changes: [expect.objectContaining({ to: otherKey, reason: 'accepted' })],
      }),
    );
    await app.getByRole('button', { name: 'Cancel this mint' }).click();
    await expect(app.getByText('This mint was cancelled')).toBeVisible();
  } finally {
    await client.settings.set({ key: 'mapiUrl', value: '' });
    await proxy.close();
  }
});

test('a review says that a quote is not signed', { tag: '@long' }, async ({ app, host }) => {
  const owner = lockOwner(host.ready.dataDir);
  const client = createHttpClient({ url: host.ready.console, bearer: owner?.token as string });
  const proxy = await AlteringProxy.open(host.ready.mapi);
  proxy.alter = signedBy(undefined);
  try {
    await client.settings.set({ key: 'mapiUrl', value: proxy.url });
    await createProject(app, 'Unsigned quote', ['haiku.txt']);
    await buildMint(app);
    await expect(app.getByText('The miner’s fee quote is not signed')).toBeVisible();
    await checkView(app, 'review-unsigned');
    await app.getByRole('button', { name: 'Cancel this mint' }).click();
    await expect(app.getByText('This mint was cancelled')).toBeVisible();
    await goTo(app, '/settings');
    await expect(app.getByText('Highest fee rate')).toBeVisible();
  } finally {
    await client.settings.set({ key: 'mapiUrl', value: '' });
    await proxy.close();
  }
});

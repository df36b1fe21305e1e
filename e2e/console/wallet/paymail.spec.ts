import { randomUUID } from 'node:crypto';
import { PrivateKey } from '@bsv/sdk';
import { encodeAddress, hash160, p2pkhScript, toHex } from '../../../src/chain/index.ts';
import { PaymailServer } from '../../../src/main/test-support/paymail-server.ts';
import { checkView } from '../../support/check-view.ts';
import { expect, test } from '../../support/fixtures.ts';
import { goTo } from '../../support/studio.ts';

const keyHash = hash160(Uint8Array.from(new PrivateKey(4_242).toPublicKey().encode(true) as number[]));

test('a payment to a paymail address uses the outputs of its host, and the review names the host', async ({ app }) => {
  const server = await PaymailServer.open();
  try {
    server.outputs = (satoshis) => [{ script: toHex(p2pkhScript(keyHash)), satoshis }];
    const alice = `alice@${server.domain}`;
    await goTo(app, '/wallet/send');
    const address = app.getByLabel('Address 1', { exact: true });
    await address.fill('alice@');
    await expect(app.getByText('alice@ is no paymail address.')).toBeVisible();
    await address.fill(alice);
    await expect(app.getByText('Its host is asked for outputs')).toBeVisible();
    await app.getByLabel('Amount 1', { exact: true }).fill('50000');
    await checkView(app, 'paymail-form');
    await app.getByRole('button', { name: 'Review' }).click();
    await expect(app.getByText(`The host of ${alice} chose output 0.`).first()).toBeVisible();
    await expect(app.getByText(encodeAddress(keyHash, 'test').slice(0, 6)).first()).toBeVisible();
    await expect(app.getByText(`You send 50,000 sat to ${alice}.`)).toBeVisible();
    await checkView(app, 'paymail-review');
    server.refusal = [503, { message: 'we are asleep' }];
    await app.getByRole('button', { name: /Approve and send/ }).click();
    await expect(app.getByText(`The host of ${alice} has not been handed the payment yet.`)).toBeVisible();
    await checkView(app, 'paymail-untold');
  } finally {
    await server.close();
  }
});

test('a changed identity key of a paymail address stops a payment until a person accepts it', async ({ app, host }) => {
  const server = await PaymailServer.open();
  try {
    const client = host.client();
    const [before = '', now = ''] = [7, 8].map((n) => new PrivateKey(n).toPublicKey().encode(true, 'hex') as string);
    const mira = `mira@${server.domain}`;
    server.outputs = (satoshis) => [{ script: toHex(p2pkhScript(keyHash)), satoshis }];
    server.keys.mira = now;
    await client.wallet.contacts.acceptKey({ address: mira, key: before });
    const request = { to: [{ address: mira, satoshis: 5_000 }] };
    const { id } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await goTo(app, `/wallet/payments/${id}`);
    const approve = app.getByRole('button', { name: /Approve and send/ });
    await expect(app.getByText(`names the identity key ${now}; it was ${before} before`).first()).toBeVisible();
    await expect(approve).toBeDisabled();
    await checkView(app, 'paymail-key');
    await app.getByRole('button', { name: 'Accept the new key and prepare it again' }).click();
    await expect(approve).toBeEnabled();
    await checkView(app, 'paymail-key-accepted');
  } finally {
    await server.close();
  }
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromHex, txidOf } from '../../../chain/index.ts';
import { type PaymailReceiver, walletSendRequestSchema } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { PaymailServer } from '../../test-support/paymail-server.ts';
import { Paymails } from './paymails.ts';

const rawTx = fromHex('01000000000000000000');
const other = '00'.repeat(32);
const chainData = { until: () => chainData } as unknown as ChainData;

let server: PaymailServer;
let paymails: Paymails;
let receiver: PaymailReceiver;
beforeEach(async () => {
  server = await PaymailServer.open();
  paymails = new Paymails({ network: 'sandbox', outbound: () => undefined, chainData });
  const { domain } = server;
  receiver = {
    ...{ paymail: `alice@${domain}`, satoshis: 5, first: 0, count: 1, reference: 'r', form: 'raw' },
    url: `http://${domain}/api/receive/alice@${domain}`,
  };
});
afterEach(async () => {
  await paymails.close();
  await server.close();
});

it.each([
  ['by its status', 409, { message: 'transaction already exists' }],
  ['by its id', 400, { txid: txidOf(rawTx), message: 'transaction already recorded' }],
] as const)('a paymail host that says %s that it has a payment already was told of it', async (_, status, answer) => {
  server.refusal = [status, answer];
  await expect(paymails.tell(receiver, rawTx, new AbortController().signal)).resolves.toBeUndefined();
});

it.each([
  [400, { message: 'no such reference' }],
  [422, { txid: other, message: 'another one' }],
  [503, {}],
])('a paymail host that answers %i to a payment was not told of it', async (status, answer) => {
  server.refusal = [status, answer];
  await expect(paymails.tell(receiver, rawTx, new AbortController().signal)).rejects.toMatchObject({
    id: 'wallet.paymail-unreachable',
  });
});

/** What a host chooses for an amount: so many outputs. */
const outputsOf = (count: number) => (satoshis: number) =>
  Array.from({ length: count }, () => ({ script: `76a914${'11'.repeat(20)}88ac`, satoshis: satoshis / count }));
const times = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ address: `name${n}@${server.domain}`, satoshis: 1_000 }));

it('a payment to as many paymail addresses as it may have receivers can be stored and read again', async () => {
  server.outputs = outputsOf(1);
  const { paymails: found } = walletSendRequestSchema.parse(await paymails.resolve({ to: times(60) }));
  expect(found).toHaveLength(60);
});

it('a payment whose hosts choose more outputs than it may have receivers is refused', async () => {
  server.outputs = outputsOf(100);
  const { to } = walletSendRequestSchema.parse(await paymails.resolve({ to: times(5) }));
  expect(to).toHaveLength(500);
  await expect(paymails.resolve({ to: times(6) })).rejects.toMatchObject({ id: 'wallet.paymail-unreachable' });
});

it.each([
  ['too long', `https://example.com/${'a'.repeat(2_048)}`],
  ['not that of a public host', 'https://192.168.0.1/receive'],
])('a host is not paid where the address that it wants to be handed the payment at is %s', async (_, url) => {
  server.outputs = outputsOf(1);
  server.listed = { '5f1323cddf31': url };
  await expect(paymails.resolve({ to: times(1) })).rejects.toMatchObject({ id: 'wallet.paymail-address' });
  expect(server.asked.some((path) => path.includes('destination'))).toBe(false);
});

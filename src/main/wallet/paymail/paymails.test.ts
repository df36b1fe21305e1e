import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromHex, txidOf } from '../../../chain/index.ts';
import type { PaymailReceiver } from '../../../contract/index.ts';
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

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SandboxFault } from '../../contract/index.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const hosts = oneHost();
let client: TestClient;
beforeEach(async () => {
  ({ client } = await hosts.open({ scope: 'core' }));
  await walletFilled(client);
}, 60_000);

type Fault = Pick<SandboxFault, 'name' | 'value' | 'times' | 'area'>;

/** Faults that end by themselves, or that a person ends. */
const faults: Fault[] = [
  { name: 'latency', value: 300, times: 5, area: 'all' },
  { name: 'http-error', value: 500, times: 1, area: 'mapi' },
  { name: 'http-error', value: 503, times: 3, area: 'rpc' },
  { name: 'drop-connection', value: 0, times: 1, area: 'mapi' },
  { name: 'drop-connection', value: 0, times: 3, area: 'rpc' },
  { name: 'callbacks-lost', value: 0, times: null, area: 'all' },
  { name: 'wrong-signature', value: 0, times: 1, area: 'mapi' },
];

/** @returns the txid of a payment that was approved while the fault was on */
async function paidDuring(fault: Fault): Promise<string> {
  const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
  const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
  await client.sandbox.faults.set(fault);
  await client.wallet.send.approve({ id, digest: review.digest });
  return until(async () => (await client.wallet.send.get({ id })).txid ?? false) as Promise<string>;
}

describe('a transaction sent while the sandbox fails', () => {
  it.each(faults)('with $name ($value, $area) is proven in the end', async (fault) => {
    const txid = await paidDuring(fault);
    await until(async () => (await client.tx.get({ txid })).state === 'proven');
    const { proof, block } = await client.tx.get({ txid });
    expect(proof?.blockHash).toBe(block?.hash);
  });

  it('with a full mempool has failed, for that reason', async () => {
    const txid = await paidDuring({ name: 'mempool-full', value: 0, times: null, area: 'all' });
    const failed = await until(async () => {
      const transaction = await client.tx.get({ txid });
      return transaction.reason !== null && transaction;
    });
    // The wallet let go of its coins, so it must not be sent again by itself.
    expect(failed).toMatchObject({ state: 'failed', reason: { code: 'no-room', advice: expect.stringMatching(/\S/) } });
    await client.sandbox.faults.clear({});
  });
});

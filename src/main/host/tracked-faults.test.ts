import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SandboxFault } from '../../contract/index.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const hosts = oneHost();
let client: TestClient;
beforeEach(async () => {
  ({ client } = await hosts.open({ scope: 'core' }));
  await walletFilled(client);
});

type Fault = Pick<SandboxFault, 'name' | 'value' | 'times' | 'area'>;

const long = process.env.PLANCHET_LONG !== undefined;

/** Faults that end by themselves, or that a person ends. */
const allFaults: Fault[] = [
  { name: 'latency', value: 300, times: 5, area: 'all' },
  { name: 'http-error', value: 500, times: 1, area: 'mapi' },
  { name: 'http-error', value: 503, times: 3, area: 'rpc' },
  { name: 'drop-connection', value: 0, times: 1, area: 'mapi' },
  { name: 'drop-connection', value: 0, times: 3, area: 'rpc' },
  { name: 'callbacks-lost', value: 0, times: null, area: 'all' },
  { name: 'wrong-signature', value: 0, times: 1, area: 'mapi' },
  { name: 'quote-expired', value: 0, times: 3, area: 'mapi' },
];
/** Every fourth outside the long run. */
const faults = allFaults.filter((_, at) => long || at % 4 === 0);

/** Errors of ARC by their status, with the reason and the state that they lead to. Outside the long run every fourth is met. */
const arcErrors = {
  400: ['malformed', 'failed'],
  422: ['malformed', 'failed'],
  460: ['missing-inputs', 'failed'],
  461: ['script-failed', 'failed'],
  462: ['missing-inputs', 'failed'],
  463: ['malformed', 'failed'],
  464: ['malformed', 'failed'],
  465: ['fee-too-low', 'failed'],
  466: ['double-spend', 'failed'],
  467: ['missing-inputs', 'failed'],
  468: ['proof-invalid', 'failed'],
  469: ['proof-invalid', 'failed'],
  471: ['frozen', 'failed'],
  472: ['frozen', 'failed'],
  473: ['fee-too-low', 'failed'],
  474: ['too-large', 'failed'],
  475: ['missing-inputs', 'failed'],
  409: ['miner-failure', 'queued'],
  401: ['unauthorized', 'queued'],
  404: ['upstream-error', 'queued'],
  429: ['upstream-error', 'queued'],
  500: ['upstream-error', 'queued'],
  503: ['upstream-error', 'queued'],
} as const;

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

  it('with any error of ARC has the state and the reason that fit, and a proof once the sandbox works', async () => {
    const own = new OwnCoins();
    const ended: Record<string, readonly [string | undefined, string]> = {};
    const sent: string[] = [];
    // its policy is read once, so that the fault meets the submission
    const first = own.spend([await own.funded(client, 10_000)], [9_000]);
    await client.tx.submit({ source: { text: first.hex }, minerIds: ['sandbox-arc'] });
    const met = Object.entries(arcErrors).filter((_, at) => long || at % 4 === 0);
    for (const [status] of met) {
      const { txid, hex } = own.spend([await own.funded(client, 10_000)], [9_000]);
      await client.sandbox.faults.set({ name: 'http-error', value: Number(status), times: 1, area: 'arc' });
      const [result] = await client.tx.submit({ source: { text: hex }, minerIds: ['sandbox-arc'], force: true });
      const { state, reason } = await client.tx.get({ txid });
      ended[status] = [reason?.code, state];
      expect(result?.advice, status).toMatch(/\S/);
      expect(reason?.advice, status).toBe(result?.advice);
      sent.push(txid);
    }
    expect(ended).toEqual(Object.fromEntries(met));
    await client.tx.retry({ txids: sent });
    for (const txid of sent) await until(async () => (await client.tx.get({ txid })).state === 'proven');
  });
});

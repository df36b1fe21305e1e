import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { displayToHash, fromHex, hashPair, hashToDisplay, parseHeader } from '../../chain/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const hosts = oneHost();
let client: TestClient;
beforeEach(async () => {
  ({ client } = await hosts.open({ scope: 'core' }));
  await walletFilled(client);
});

/** @returns the txid of a payment that the miner accepted */
async function paid(): Promise<string> {
  const request = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
  const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
  await client.wallet.send.approve({ id, digest: review.digest });
  return until(async () => (await client.wallet.send.get({ id })).txid ?? false) as Promise<string>;
}

describe('the merchant services of a host', () => {
  it('list what a service submitted, with its origin and the answer of the miner', async () => {
    const txid = await paid();
    await until(async () =>
      (await client.tx.list({})).transactions.some((tx) => tx.txid === txid && tx.state !== 'queued'),
    );
    const page = await client.tx.list({ origins: ['wallet'], search: txid.slice(0, 10) });
    expect(page.transactions).toMatchObject([{ txid, origin: 'wallet', label: '', reason: null, doubleSpentBy: null }]);
    const detail = await client.tx.get({ txid });
    expect(detail.rawTx).toMatch(/^0[12]000000/);
    expect(detail.events.slice(0, 2)).toMatchObject([
      { kind: 'state', state: 'queued' },
      { kind: 'answer', state: 'submitted', answer: { minerId: 'default', status: 'success', accepted: true } },
    ]);
    expect((await client.tx.label({ txid, label: 'rent 100%' })).label).toBe('rent 100%');
    expect((await client.tx.list({ search: '100%' })).transactions).toHaveLength(1);
    expect((await client.tx.list({ search: '100_' })).transactions).toHaveLength(0);
  });

  it('tell views of each new state of a transaction', async () => {
    const told: string[] = [];
    const stop = new AbortController();
    const events = await client.events.subscribe(undefined, { signal: stop.signal });
    const listening = (async () => {
      for await (const event of events)
        if (event.type === 'transaction') told.push(...event.transactions.map(({ txid, state }) => `${txid} ${state}`));
    })();
    const txid = await paid();
    await until(async () => told.some((line) => line.startsWith(txid) && !line.endsWith('queued')));
    stop.abort();
    await listening.catch(() => undefined);
  });

  it('follow a payment to its proof', async () => {
    const txid = await paid();
    await until(async () => (await client.tx.get({ txid })).state === 'proven');
    const { proof, block, confirmations } = await client.tx.get({ txid });
    expect(proof).toMatchObject({ height: block?.height, blockHash: block?.hash });
    const { path = [], merkleRoot, index } = proof ?? {};
    expect(path[0]?.hash).toBe(txid);
    expect(index).toBeGreaterThan(0);
    expect(parseHeader(fromHex(proof?.header ?? '')).merkleRoot).toBe(merkleRoot);
    const { hash, sibling, siblingSide } = path.at(-1) as (typeof path)[number];
    const [left, right] = siblingSide === 'left' ? [sibling, hash] : [hash, sibling];
    expect(hashToDisplay(hashPair(displayToHash(left), displayToHash(right)))).toBe(merkleRoot);
    expect(confirmations).toBeGreaterThan(0);
  });

  it('say where a transaction was not submitted from here', async () => {
    const failure = await client.tx.get({ txid: 'ab'.repeat(32) }).then(
      () => undefined,
      (error: unknown) => failureOf(error),
    );
    expect(failure).toMatchObject({ code: 'not-found' });
  });

  it('store the headers of the chain up to its tip', async () => {
    const status = await until(async () => {
      const found = await client.headers.status();
      const { result } = await client.node.call({ method: 'getbestblockhash', params: [] });
      return found.tip?.hash === result && found;
    });
    expect(status).toMatchObject({ chain: 'regtest', target: null, failure: null });
    expect(status.bytes).toBe(80 * ((status.tip?.height ?? 0) + 1));
  });

  it('list the miners of the sandbox, one of each kind', async () => {
    expect(await client.miners.list()).toMatchObject([
      { id: 'default', kind: 'mapi', builtIn: true, enabled: true },
      { id: 'sandbox-arc', kind: 'arc', builtIn: true, enabled: true },
    ]);
  });
});

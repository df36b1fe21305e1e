import { randomUUID } from 'node:crypto';
import { Beef } from '@bsv/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Subscriber } from 'zeromq';
import type { SandboxFault } from '../../contract/index.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';
import { publicSourcesAt } from '../test-support/public-sources-at.ts';

let network: TestHost;
let installation: TestHost;

/** The public services of another installation's sandbox. */
function servicesOf({ host }: TestHost): string {
  return publicSourcesAt(host.info().endpoints.sandbox as string, ['whatsonchain', 'bananablocks', 'arcade']);
}

beforeAll(async () => {
  network = await openTestHost({
    dataDir: newDataDir(),
    overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
  });
  installation = await openTestHost({
    dataDir: newDataDir(),
    overrides: { chainData: 'public', publicSources: servicesOf(network), 'sandbox.mineOnArrival': '' },
  });
});
afterAll(async () => {
  await closeTestHost(installation);
  await closeTestHost(network);
});

describe('an installation without a node', () => {
  it('has verified headers, two operators agreeing on the tip', async () => {
    const { height } = (await network.client.sandbox.status()).tip;
    expect(await until(async () => (await installation.client.explorer.height({})) === height)).toBe(true);
  });

  it('sees a payment by two operators, in the mempool and in its block', async () => {
    const { address } = await installation.client.wallet.addresses.next({ label: '' });
    await network.client.sandbox.fund({ address, satoshis: 120_000 });
    await until(async () => (await installation.client.wallet.status()).balance.unconfirmed === 120_000);
    const [waiting] = await installation.client.wallet.coins.list();
    const outpoint = waiting?.outpoint as string;
    await expect(installation.client.wallet.coins.beef({ outpoint })).rejects.toMatchObject({
      data: { id: 'wallet.coin-not-mined' },
    });
    await network.client.sandbox.mine({ blocks: 1 });
    await until(async () => (await installation.client.wallet.status()).balance.confirmed === 120_000);
  });

  it('hands a coin out with its transaction and its path, which the SDK checks against the headers', async () => {
    const [coin] = await installation.client.wallet.coins.list();
    const { outpoint, height } = coin as { outpoint: string; height: number };
    const blob = await installation.client.wallet.coins.beef({ outpoint });
    const beef = Beef.fromBinary([...new Uint8Array(await blob.arrayBuffer())]);
    const headers = new Map<number, string>();
    const tracker = {
      isValidRootForHeight: async (root: string, at: number) => {
        headers.set(at, root);
        const { tip } = await network.client.sandbox.status();
        const block = await installation.client.explorer.block({ hash: tip.hash, search: '', from: 0 });
        return block.merkleRoot === root && block.height === at;
      },
      currentHeight: async () => height,
    };
    expect(await beef.verify(tracker)).toBe(true);
    expect([...headers.keys()]).toEqual([height]);
    expect(beef.findTxid(outpoint.slice(0, 64))?.tx?.outputs[Number(outpoint.slice(65))]?.satoshis).toBe(120_000);
    await expect(installation.client.wallet.coins.beef({ outpoint: `${'ab'.repeat(32)}_0` })).rejects.toMatchObject({
      data: { id: 'wallet.coin-missing' },
    });
  });

  it('shows a block with its transactions, and says what nobody lists', async () => {
    const { hash } = (await network.client.sandbox.status()).tip;
    const block = await installation.client.explorer.block({ hash, search: '', from: 0 });
    const { transactions } = block;
    expect(block).toMatchObject({ hash, confirmations: 1, found: transactions });
    expect(block.rows).toHaveLength(transactions as number);
    await expect(installation.client.explorer.mempool({})).rejects.toMatchObject({
      data: { id: 'chain.mempool-not-listed' },
    });
  });

  it('answers programs as a node, and tells them of new blocks', async () => {
    const { endpoints } = installation.host.info();
    const subscriber = new Subscriber({ linger: 0, receiveTimeout: 1_000 });
    subscriber.connect(endpoints.zmq as string);
    subscriber.subscribe('hashblock');
    try {
      // a block that comes before the subscription is told to nobody
      const [topic, hash] = (await until(async () => {
        await network.client.sandbox.mine({ blocks: 1 });
        return subscriber.receive().catch(() => undefined);
      })) as [Buffer, Buffer];
      expect(topic.toString()).toBe('hashblock');
      const { height } = await installation.client.explorer.block({ hash: hash.toString('hex'), search: '', from: 0 });
      const { result } = await installation.client.node.call({ method: 'getblockhash', params: [height] });
      expect(result).toBe(hash.toString('hex'));
    } finally {
      subscriber.close();
    }
  });

  it('pays over a miner of that network, and sees its payment in a block', async () => {
    const { client } = installation;
    for (const { id, builtIn } of await client.miners.list())
      if (builtIn) await client.miners.update({ id, enabled: false });
    const url = `${network.host.info().endpoints.sandbox}/arc/v1`;
    await client.miners.add({ name: 'ARC', kind: 'arc', url, apiKey: network.host.sandboxApiKey() as string });
    const { address } = await network.client.wallet.addresses.next({ label: '' });
    const request = { to: [{ address, satoshis: 50_000 }], label: '' };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await client.wallet.send.approve({ id, digest: review.digest });
    await until(async () => (await network.client.sandbox.status()).mempool.transactions === 1);
    await network.client.sandbox.mine({ blocks: 1 });
    await until(async () => (await client.wallet.send.get({ id })).state === 'mined');
    // what comes back, less the fee
    await until(async () => (await client.wallet.status()).balance.unconfirmed === 0);
    expect((await client.wallet.status()).balance.confirmed).toBe(70_000 - review.fee);
  });

  it('pays over Arcade, which tells of the block and shows the path that proves it', async () => {
    const { client } = installation;
    for (const { id } of await client.miners.list()) await client.miners.update({ id, enabled: false });
    await client.miners.add({
      name: 'Arcade',
      kind: 'arcade',
      url: `${network.host.info().endpoints.sandbox}/arcade`,
    });
    const { address } = await network.client.wallet.addresses.next({ label: '' });
    const request = { to: [{ address, satoshis: 10_000 }], label: '' };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await client.wallet.send.approve({ id, digest: review.digest });
    await until(async () => (await network.client.sandbox.status()).mempool.transactions === 1);
    // whoever else may be asked for a proof fails
    for (const area of ['woc', 'bananablocks'] as const)
      await network.client.sandbox.faults.set({ name: 'http-error', value: 503, times: null, area });
    const txid = (await client.wallet.send.get({ id })).txid as string;
    await network.client.sandbox.mine({ blocks: 1 });
    await until(async () => (await client.tx.get({ txid })).state === 'proven');
    expect((await client.tx.get({ txid })).proof).not.toBeNull();
    // it is told after the header, which may be enough to ask for the path
    await until(async () => {
      const { events } = await client.tx.get({ txid });
      return events.some(({ answer }) => answer?.status === 'MINED');
    });
    await network.client.sandbox.faults.clear({});
  });

  it.each(['arc', 'arcade'] as const)(
    'goes on with a payment that a miner (%s) calls rejected though a block holds it, and frees none of its coins',
    async (area) => {
      const { client } = installation;
      const fault = (name: SandboxFault['name'], at: SandboxFault['area'], value = 0) =>
        network.client.sandbox.faults.set({ name, area: at, value, times: null });
      for (const { id, name } of await client.miners.list())
        await client.miners.update({ id, enabled: name.toLowerCase() === area });
      await until(async () => (await client.wallet.status()).balance.unconfirmed === 0);
      const before = (await client.wallet.status()).balance.confirmed;
      const { address } = await network.client.wallet.addresses.next({ label: '' });
      const request = { to: [{ address, satoshis: 1_000 }], label: '' };
      const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
      await client.wallet.send.approve({ id, digest: review.digest });
      await until(async () => (await network.client.sandbox.status()).mempool.transactions === 1);
      const txid = (await client.wallet.send.get({ id })).txid as string;
      // nobody tells the truth while the miner lies
      for (const other of ['woc', 'bananablocks'] as const) await fault('http-error', other, 503);
      await fault('rejected-mined', 'all');
      await network.client.sandbox.mine({ blocks: 1 });
      await until(async () => {
        const { events } = await client.tx.get({ txid });
        return events.some(({ answer }) => answer?.status === 'REJECTED');
      });
      expect((await client.tx.get({ txid })).state).not.toBe('failed');
      const spent = review.inputs.map((input) => `${input.txid}_${input.vout}`);
      const spendable = (await client.wallet.coins.list()).filter(({ state }) => state === 'spendable');
      expect(spendable.map(({ outpoint }) => outpoint).filter((outpoint) => spent.includes(outpoint))).toEqual([]);
      await network.client.sandbox.faults.clear({});
      await until(async () => (await client.tx.get({ txid })).state === 'proven');
      await until(async () => (await client.wallet.send.get({ id })).state === 'mined');
      await until(async () => (await client.wallet.status()).balance.confirmed === before - 1_000 - review.fee);
    },
  );
});

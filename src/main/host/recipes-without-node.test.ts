import BitcoinCore from 'bitcoin-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Subscriber } from 'zeromq';
import { openJoinedHost } from '../test-support/hosts/joined-host.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';

const own = new OwnCoins();
let network: TestHost;
let installation: TestHost;
/** A client of a node that was not written for Planchet. */
let node: BitcoinCore;

beforeAll(async () => {
  network = await openTestHost({
    dataDir: newDataDir(),
    overrides: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
  });
  const services = network.host.info().endpoints.sandbox as string;
  installation = await openJoinedHost(network);
  const { client, host } = installation;
  for (const { id } of await client.miners.list()) await client.miners.update({ id, enabled: false });
  const apiKey = network.host.sandboxApiKey() as string;
  await client.miners.add({ name: 'ARC', kind: 'arc', url: `${services}/arc/v1`, apiKey });
  const { password } = await client.gateway.revealPassword();
  node = new BitcoinCore({ host: host.info().endpoints.rpc as string, username: 'planchet', password });
});
afterAll(async () => {
  await closeTestHost(installation);
  await closeTestHost(network);
});

/** Mines a block, and waits until the headers here have it. */
async function mine(): Promise<number> {
  await network.client.sandbox.mine({ blocks: 1 });
  const { height } = (await network.client.sandbox.status()).tip;
  await until(async () => (await node.command('getblockcount')) === height);
  return height;
}

interface Told {
  readonly topic: string;
  readonly body: Buffer;
  readonly number: number;
}

/** What a subscriber is told, from the first block that it hears of. */
class Listener {
  readonly told: Told[] = [];
  readonly #subscriber = new Subscriber({ linger: 0 });
  readonly #heard: Promise<void>;

  constructor(address: string, topics: readonly string[]) {
    this.#subscriber.connect(address);
    this.#subscriber.subscribe(...topics);
    this.#heard = this.#listen();
  }

  of(topic: string): Told[] {
    return this.told.filter((one) => one.topic === topic);
  }

  async close(): Promise<void> {
    this.#subscriber.close();
    await this.#heard;
  }

  async #listen(): Promise<void> {
    for await (const [topic, body, number] of this.#subscriber as AsyncIterable<Buffer[]>)
      this.told.push({ topic: String(topic), body: body as Buffer, number: (number as Buffer).readUInt32LE() });
  }
}

describe('without a node', () => {
  it('a program asks as bitcoin-cli does, and sends', async () => {
    const coin = await own.funded(network.client, 10_000);
    const height = await mine();
    const hash = await node.command('getblockhash', height);
    expect(await node.command('getbestblockhash')).toBe(hash);
    expect(await node.command('getblockheader', hash)).toMatchObject({ hash, height, confirmations: 1 });
    expect(await node.command('getrawtransaction', coin.txid, true)).toMatchObject({ blockhash: hash });
    expect(await node.command('gettxout', coin.txid, coin.vout)).toMatchObject({ value: 0.0001, confirmations: 1 });
    expect(await node.command('getmerkleproof2', '', coin.txid)).toMatchObject({ target: hash });
    // no setting is needed: there is no node that could send
    const { hex, txid } = own.spend([coin], [9_900]);
    expect(await node.command('sendrawtransaction', hex)).toBe(txid);
    expect(await node.command('gettxout', coin.txid, coin.vout)).toBeNull();
    expect(await node.command('getmempoolentry', txid)).toMatchObject({ fee: 0.000001, time: expect.any(Number) });
    await mine();
    expect(await node.command('gettxoutproof', [txid])).toMatch(/^[0-9a-f]{160}/);
  });

  it('a payment server waits for a payment to its address', { tags: 'long' }, async () => {
    const { address } = await network.client.wallet.addresses.next({ label: 'the shop' });
    await installation.client.settings.set({ key: 'zmqAddresses', value: address });
    const subscriber = new Subscriber({ linger: 0, receiveTimeout: 1_000 });
    subscriber.connect(installation.host.info().endpoints.zmq as string);
    subscriber.subscribe('hashtx');
    try {
      // what came before the subscription is told to nobody; blocks tell of others too
      const paid = await until(async () => {
        await network.client.sandbox.fund({ address, satoshis: 5_000 });
        const [, body] = ((await subscriber.receive().catch(() => undefined)) ?? []) as Buffer[];
        if (body === undefined) return undefined;
        const { vout } = (await node.command('getrawtransaction', body.toString('hex'), true)) as {
          vout: { value: number; scriptPubKey: { addresses?: string[] } }[];
        };
        return vout.find(({ scriptPubKey }) => scriptPubKey.addresses?.includes(address));
      });
      expect(paid.value).toBe(0.00005);
    } finally {
      subscriber.close();
      await installation.client.settings.set({ key: 'zmqAddresses', value: '' });
    }
  });

  it('a subscriber is told of blocks and of what leaves the mempool in the order and with the numbers of a node', async () => {
    const topics = ['hashtx', 'hashblock', 'rawblock', 'removedfrommempoolblock'];
    const listener = new Listener(installation.host.info().endpoints.zmq as string, topics);
    try {
      await until(async () => {
        await mine();
        return listener.of('rawblock').length > 0;
      });
      const sent = own.spend([await own.funded(network.client, 10_000)], [9_900]);
      await node.command('sendrawtransaction', sent.hex);
      const height = await mine();
      // Transactions of other tests may leave the mempool before.
      const removed = `{"reason":"included-in-block","txid":"${sent.txid}"}`;
      await until(async () => listener.of('removedfrommempoolblock').some(({ body }) => body.toString() === removed));

      const hash = (await node.command('getblockhash', height)) as string;
      const isThis = ({ body }: Told) => body.subarray(0, 80).equals(header);
      const header = Buffer.from((await node.command('getblockheader', hash, false)) as string, 'hex');
      await until(async () => listener.of('rawblock').some(isThis));
      const { result: raw } = await network.client.node.call({ method: 'getblock', params: [hash, 0] });
      expect(listener.of('rawblock').find(isThis)?.body.toString('hex')).toBe(raw);
      const { tx } = (await node.command('getblock', hash, 1)) as { tx: string[] };
      const end = listener.told.findIndex((one) => one.topic === 'rawblock' && isThis(one));
      const before = listener.told
        .slice(0, end)
        .filter(({ topic }) => !topic.endsWith('block') || topic === 'hashblock');
      expect(before.slice(-tx.length - 1).map(({ topic, body }) => [topic, body.toString('hex')])).toEqual([
        ...tx.map((txid) => ['hashtx', txid]),
        ['hashblock', hash],
      ]);

      for (const topic of topics) {
        const numbers = listener.of(topic).map(({ number }) => number);
        expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] as number) + index));
      }
      const { topics: counted } = await installation.client.zmq.counts();
      for (const topic of topics)
        expect(counted.find((one) => one.topic === topic)?.messages).toBe(
          (listener.of(topic).at(-1)?.number ?? -1) + 1,
        );
    } finally {
      await listener.close();
    }
  });

  it('a subscriber is told of a payment whose coin another transaction took, as soon as its block is known', async () => {
    const topics = ['hashblock', 'removedfrommempoolblock', 'discardedfrommempool'];
    const listener = new Listener(installation.host.info().endpoints.zmq as string, topics);
    try {
      await until(async () => {
        await mine();
        return listener.told.length > 0;
      });
      const lost = own.spend([await own.funded(network.client, 10_000)], [9_900]);
      await mine();
      await node.command('sendrawtransaction', lost.hex);
      await until(async () => (await installation.client.tx.get({ txid: lost.txid })).state === 'seen');
      const { txid: rival } = await network.client.sandbox.doubleSpend({ txid: lost.txid, mined: true });
      const discarded = await until(async () => listener.of('discardedfrommempool')[0]);
      expect(await installation.client.tx.get({ txid: lost.txid })).toMatchObject({
        state: 'double-spent',
        doubleSpentBy: rival,
      });
      const { hash } = (await network.client.sandbox.status()).tip;
      const hex = (await node.command('getrawtransaction', rival)) as string;
      const collidedWith = { txid: rival, size: hex.length / 2, hex };
      expect(discarded.body.toString()).toBe(
        JSON.stringify({ txid: lost.txid, reason: 'collision-in-block-tx', collidedWith, blockhash: hash }),
      );
      const { topics: counted } = await installation.client.zmq.counts();
      expect(counted.find(({ topic }) => topic === 'discardedfrommempool')?.messages).toBe(discarded.number + 1);
      expect(listener.of('discardedfrommempool')).toHaveLength(1);
      const told = listener.of('removedfrommempoolblock').map(({ body }) => body.toString());
      expect(told.filter((text) => text.includes(lost.txid))).toEqual([]);
    } finally {
      await listener.close();
    }
  });

  it('the back end of a block explorer shows blocks and follows them back', async () => {
    const height = await mine();
    let hash = (await node.command('getblockhash', height)) as string;
    for (let at = height; at > height - 3; at--) {
      const block = (await node.command('getblock', hash, 2)) as {
        height: number;
        num_tx: number;
        size: number;
        tx: { txid: string; size: number }[];
        previousblockhash: string;
      };
      expect([block.height, block.tx.length]).toEqual([at, block.num_tx]);
      // a header, a count of one byte, and the transactions
      expect(block.size).toBe(81 + block.tx.reduce((sum, { size }) => sum + size, 0));
      hash = block.previousblockhash;
    }
  });

  it('an indexer is told that it needs a node, and what to set', async () => {
    for (const call of [['getrawnonfinalmempool'], ['gettxoutsetinfo'], ['getrawmempool', true]] as const)
      await expect(node.command(...(call as [string]))).rejects.toMatchObject({
        code: -1,
        message: expect.stringMatching(/needs a node: .* Set bitcoinRpcUrl/),
      });
    const [explained] = (await installation.client.gateway.commands()).filter(({ name }) => name === 'gettxoutsetinfo');
    expect(explained?.withoutNode).toBe('none');
    expect((await installation.client.gateway.status()).source).toBe('public');
  });
});

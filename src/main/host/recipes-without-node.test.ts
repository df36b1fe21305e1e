import BitcoinCore from 'bitcoin-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Subscriber } from 'zeromq';
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
  installation = await openTestHost({
    dataDir: newDataDir(),
    overrides: { network: 'private', chainData: 'auto', joinUrl: services },
    passphrase: async () => 'one long passphrase',
  });
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

  it('a payment server waits for a payment to its address', async () => {
    const { address } = await network.client.wallet.addresses.next({ label: 'the shop' });
    await installation.client.settings.set({ key: 'zmqAddresses', value: address });
    const subscriber = new Subscriber({ linger: 0, receiveTimeout: 15_000 });
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
    for (const call of [['getrawmempool'], ['gettxoutsetinfo'], ['getblockstats', 1]] as const)
      await expect(node.command(...(call as [string]))).rejects.toMatchObject({
        code: -1,
        message: expect.stringMatching(/needs a node: .* Set bitcoinRpcUrl/),
      });
    const [explained] = (await installation.client.gateway.commands()).filter(({ name }) => name === 'getrawmempool');
    expect(explained?.withoutNode).toBe('none');
    expect((await installation.client.gateway.status()).source).toBe('public');
  });
});

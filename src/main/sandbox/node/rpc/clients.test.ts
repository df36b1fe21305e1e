import BitcoinCore from 'bitcoin-core';
import BitcoindRpc from 'bitcoind-rpc';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeAddress, hash160, serializeTx, toHex, txidOf } from '../../../../chain/index.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode, walletKey } from '../test-support/open-node.ts';
import { coinOf, spend } from '../test-support/spend.ts';
import { createNodeRpc } from './dispatcher.ts';
import { registerNodeRpc } from './server.ts';

const COIN = 5_000_000_000;
const otherAddress = encodeAddress(hash160(Uint8Array.from(otherKey.toPublicKey().toDER() as number[])), 'test');
const credentials = { username: 'user', password: 'p:ss wörd' };

let opened: TestNode;
let app: FastifyInstance;
let port: number;
beforeAll(async () => {
  opened = await openTestNode();
  const rpc = createNodeRpc(opened.node);
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await app.register(registerNodeRpc, { prefix: '/rpc', rpc, ...credentials });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as { port: number }).port;
});
afterAll(async () => {
  await app.close();
  await opened.remove();
});

async function payment(index: number): Promise<{ hex: string; txid: string }> {
  const tx = spend([await coinOf(opened.node, walletKey, index)], walletKey, [
    { satoshis: COIN - 1_000, script: lockingScriptOf(otherKey) },
  ]);
  return { hex: toHex(serializeTx(tx)), txid: txidOf(tx) };
}

/** Commands the client makes at run time, which its types do not know. */
interface Commands {
  getRawMempool(): Promise<string[]>;
  getBestBlockHash(): Promise<string>;
  getBlockCount(): Promise<number>;
  getBlock(hash: string): Promise<{ tx: [string, string] }>;
  getTxOut(txid: string, vout: number): Promise<unknown>;
  getBlockchainInfo(): Promise<unknown>;
  getTxOutProof(txids: string[]): Promise<string>;
  verifyTxOutProof(proof: string): Promise<string[]>;
}

describe('the client bitcoin-core 5.0.0', () => {
  const connect = (options = {}) =>
    new BitcoinCore({
      host: `http://127.0.0.1:${port}/rpc`,
      ...credentials,
      ...options,
    }) as unknown as InstanceType<typeof BitcoinCore> & Commands;

  it('sends, mines and reads', async () => {
    const client = connect();
    const { hex, txid } = await payment(0);
    expect(await client.command('sendrawtransaction', hex)).toBe(txid);
    expect(await client.getRawMempool()).toEqual([txid]);
    const [hash] = await client.command('generatetoaddress', 1, otherAddress);
    expect(await client.getBestBlockHash()).toBe(hash);
    expect(await client.getBlockCount()).toBe(121);
    expect(await client.getBlock(hash)).toMatchObject({ hash, height: 121, tx: [expect.any(String), txid] });
    expect(await client.command('getrawtransaction', txid, true)).toMatchObject({ txid, confirmations: 1 });
    expect(await client.getTxOut(txid, 0)).toMatchObject({ confirmations: 1, coinbase: false });
    expect(await client.getBlockchainInfo()).toMatchObject({ chain: 'regtest', blocks: 121 });
    const proof = await client.getTxOutProof([txid]);
    expect(await client.verifyTxOutProof(proof)).toEqual([txid]);
  });

  it('sends batches and named parameters', async () => {
    const client = connect({ version: '0.16.0' });
    const hash = await client.command('getblockhash', { height: 3 });
    const batch = await client.command([
      { method: 'getblockhash', parameters: [3] },
      { method: 'getblockhash', parameters: [5_000] },
      { method: 'getblockcount', parameters: [] },
    ]);
    expect(batch).toEqual([hash, expect.objectContaining({ code: -8, message: 'Block height out of range' }), 121]);
  });

  it('sees the node’s own errors', async () => {
    const client = connect();
    await expect(client.getBlock('ab'.repeat(32))).rejects.toMatchObject({ code: -5, message: 'Block not found' });
    await expect(client.command('nonsense')).rejects.toMatchObject({ code: -32601, message: 'Method not found' });
    await expect(client.command('sendrawtransaction', 'zz')).rejects.toMatchObject({ code: -22 });
    await expect(connect({ password: 'wrong' }).getBlockCount()).rejects.toMatchObject({ code: 401 });
  });

  it('reads over REST', async () => {
    const client = connect();
    const hash = await client.getBestBlockHash();
    expect(await client.getBlockByHash(hash)).toMatchObject({ hash });
    const [, txid] = (await client.getBlock(hash)).tx;
    expect(await client.getTransactionByHash(txid)).toMatchObject({ txid });
    expect(Buffer.isBuffer(await client.getBlockByHash(hash, { extension: 'bin' }))).toBe(true);
    expect(await client.getBlockHeadersByHash(hash, 1)).toMatchObject([{ hash }]);
    expect(await client.getBlockchainInformation()).toMatchObject({ chain: 'regtest' });
    expect(await client.getUnspentTransactionOutputs([{ id: txid, index: 0 }])).toMatchObject({ bitmap: '1' });
    expect(await client.getMemoryPoolInformation()).toMatchObject({ size: 0 });
    await expect(client.getTransactionByHash('nothing')).rejects.toMatchObject({ code: 400 });
  });
});

describe('the client bitcoind-rpc 0.9.1', () => {
  const connect = () => {
    BitcoindRpc.config = { logger: 'none' };
    const client = new BitcoindRpc({
      protocol: 'http',
      host: '127.0.0.1',
      port,
      user: credentials.username,
      pass: credentials.password,
    });
    client.httpOptions = { path: '/rpc' };
    return client;
  };

  function call(method: string, ...params: unknown[]): Promise<{ error: unknown; result: unknown }> {
    const client = connect();
    const run = client[method] as (...args: unknown[]) => void;
    return new Promise((resolve) => {
      run.call(client, ...params, (error: unknown, answer: { result: unknown } | undefined) =>
        resolve({ error, result: answer?.result }),
      );
    });
  }

  it('sends, mines and reads', async () => {
    const { hex, txid } = await payment(0);
    expect(await call('sendRawTransaction', hex)).toEqual({ error: null, result: txid });
    const { result } = await call('generateToAddress', 1, otherAddress);
    const [hash] = result as string[];
    expect(await call('getBestBlockHash')).toEqual({ error: null, result: hash });
    expect((await call('getBlock', hash)).result).toMatchObject({ hash, tx: [expect.any(String), txid] });
    expect((await call('getRawTransaction', txid, 1)).result).toMatchObject({ txid, confirmations: 1 });
    expect((await call('getTxOut', txid, 0, true)).result).toMatchObject({ confirmations: 1 });
    expect((await call('getMemPoolInfo')).result).toMatchObject({ size: 0 });
  });

  it('sends batches', async () => {
    const client = connect();
    const answers = await new Promise<unknown>((resolve, reject) => {
      client.batch(
        () => {
          client.getBlockCount();
          client.getBlockHash(1);
        },
        (error: unknown, all: unknown) => (error ? reject(error as Error) : resolve(all)),
      );
    });
    expect(answers).toMatchObject([
      { result: opened.node.tip().height },
      { result: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  it('sees the node’s own errors', async () => {
    expect(await call('getBlockHash', 5_000)).toMatchObject({
      error: { code: -8, message: 'Block height out of range' },
    });
    expect(await call('sendRawTransaction', 'zz')).toMatchObject({ error: { code: -22 } });
  });
});

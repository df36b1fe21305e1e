import { registerHooks } from 'node:module';
import { type Beef, Transaction } from '@bsv/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  fromHex,
  hash160,
  p2pkhScript,
  parseTx,
  readInscription,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  toHex,
  txidOf,
} from '../../../../chain/index.ts';
import { coinOf, spend } from '../../test-support/merchant.ts';
import {
  CONTENT,
  otherKey,
  publicKeyOf,
  TestSandbox,
  walletAddress,
  walletKey,
} from '../../test-support/open-sandbox.ts';

/** The parts that are tried of the client, whose own types name files in a way that is not read here. */
interface OneSat {
  readonly chaintracks: {
    currentHeight(): Promise<number>;
    isValidRootForHeight(root: string, height: number): Promise<boolean>;
    getHeaders(height: number, count: number): Promise<string>;
  };
  readonly txo: {
    getSpend(outpoint: string): Promise<string | null>;
    get(outpoint: string, options?: object): Promise<{ outpoint: string; satoshis?: number; spend?: string }>;
    getBatch(outpoints: readonly string[], options?: object): Promise<(object | null)[]>;
    getByTxid(txid: string, options?: object): Promise<{ satoshis?: number }[]>;
    getSpends(outpoints: readonly string[]): Promise<(string | null)[]>;
  };
  readonly ordfs: {
    getMetadata(outpoint: string, seq?: number): Promise<Metadata>;
    bulkMetadata(outpoints: readonly string[]): Promise<Record<string, Metadata | null>>;
    getContent(
      outpoint: string,
      options?: { seq?: number; map?: boolean },
    ): Promise<{ data: Uint8Array; headers: Record<string, unknown> }>;
  };
  readonly overlay: {
    listTopicManagers(): Promise<object>;
    listLookupServiceProviders(): Promise<object>;
    submit(beef: Uint8Array, topics: readonly string[]): Promise<object>;
  };
  readonly bsv21: {
    getBalance(id: string, lock: string, address: string): Promise<object>;
    getUnspentMulti(id: string, lock: string, addresses: readonly string[]): Promise<object[]>;
    lookupTokens(ids: readonly string[]): Promise<object[]>;
    getTokenDetails(id: string): Promise<object>;
  };
  readonly owner: {
    getBalance(owner: string): Promise<{ balance: number; count: number }>;
    getTxos(
      owner: string,
      options?: Record<string, unknown>,
    ): AsyncIterable<{ type: string; data?: { outpoint: string; satoshis?: number; spend?: string } }>;
    sync(owners: readonly string[]): AsyncIterable<{ outpoint: string; spendTxid?: string }>;
  };
  readonly arcade: {
    submitTransactionHex(hex: string): Promise<{ txid: string; txStatus: string }>;
    getPolicy(): Promise<{ policy: { miningFee: object } }>;
  };
  getRawTx(txid: string): Promise<{ rawTx?: number[]; error?: Error }>;
  getMerklePath(txid: string): Promise<{ merklePath?: { blockHeight: number; computeRoot(txid: string): string } }>;
  getBeefForTxid(txid: string): Promise<Beef>;
  getStatusForTxids(txids: readonly string[]): Promise<{ results: { status: string; depth?: number }[] }>;
  isUtxo(output: { txid: string; vout: number }): Promise<boolean>;
  close(): void;
}

interface Metadata {
  readonly outpoint: string;
  readonly origin: string;
  readonly sequence: number;
  readonly contentType: string;
  readonly contentLength: number;
  readonly map?: Record<string, string>;
}

/** Its modules name each other without endings, which Node does not read by itself. */
const endings = registerHooks({
  resolve(name, context, next) {
    if (!name.startsWith('.') || !context.parentURL?.includes('/node_modules/@1sat/')) return next(name, context);
    for (const ending of ['.js', '/index.js']) {
      try {
        return next(name + ending, context);
      } catch {
        // the other one
      }
    }
    return next(name, context);
  },
});

let sandbox: TestSandbox;
let services: OneSat;
/** Mined, and two that wait, one spending from the other. */
let chain: [mined: Uint8Array, waiting: Uint8Array, next: Uint8Array];

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  const { node } = sandbox.service;
  const mined = spend(await sandbox.coin());
  await node.submit(mined);
  await sandbox.service.mine({ blocks: 1 });
  const waiting = spend(coinOf(mined));
  const next = spend(coinOf(waiting));
  for (const raw of [waiting, next]) expect(await node.submit(raw)).toMatchObject({ ok: true });
  chain = [mined, waiting, next];
  const { OneSatServices } = await import('@1sat/client' as string);
  services = new OneSatServices('test', sandbox.root);
});
beforeEach(() => {
  // it tells of each call
  for (const way of ['log', 'error'] as const) vi.spyOn(console, way).mockImplementation(() => undefined);
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  endings.deregister();
  await sandbox.remove();
});

describe('@1sat/client', () => {
  it('tracks the chain', async () => {
    const { height } = sandbox.service.node.tip();
    expect(await services.chaintracks.currentHeight()).toBe(height);
    const { merkleRoot } = (await sandbox.send('GET', `/arcade/chaintracks/v2/header/height/${height}`)).body;
    expect(await services.chaintracks.isValidRootForHeight(merkleRoot, height)).toBe(true);
    expect(await services.chaintracks.isValidRootForHeight(merkleRoot, height - 1)).toBe(false);
    expect(await services.chaintracks.getHeaders(height - 1, 2)).toHaveLength(320);
  });

  it('reads transactions, Merkle paths and BEEF, from unconfirmed transactions to their mined ancestors', async () => {
    const [mined, waiting, next] = chain;
    const { rawTx } = await services.getRawTx(txidOf(mined));
    expect(toHex(Uint8Array.from(rawTx ?? []))).toBe(toHex(mined));
    expect((await services.getRawTx('ab'.repeat(32))).error).toBeDefined();
    const { merklePath } = await services.getMerklePath(txidOf(mined));
    const { height } = sandbox.service.node.tip();
    expect(merklePath?.blockHeight).toBe(height);
    const beef = await services.getBeefForTxid(txidOf(next));
    expect(beef.txs.map(({ txid }) => txid)).toEqual([mined, waiting, next].map(txidOf));
    const tracker = {
      isValidRootForHeight: async (root: string, at: number) => services.chaintracks.isValidRootForHeight(root, at),
      currentHeight: async () => height,
    };
    expect(await beef.verify(tracker)).toBe(true);
    const { results } = await services.getStatusForTxids([txidOf(mined), txidOf(next), 'ab'.repeat(32)]);
    expect(results.map(({ status }) => status)).toEqual(['mined', 'known', 'unknown']);
  });

  it('reads what spends outputs, and the outputs of an owner', async () => {
    const [mined, waiting, next] = chain.map(txidOf) as [string, string, string];
    expect(await services.txo.getSpend(`${mined}_0`)).toBe(waiting);
    expect(await services.txo.getSpends([`${waiting}_0`, `${next}.0`])).toEqual([next, null]);
    const rows: { outpoint: string; spendTxid?: string }[] = [];
    for await (const row of services.owner.sync([walletAddress])) rows.push(row);
    expect(rows).toContainEqual(expect.objectContaining({ outpoint: `${mined}.0`, spendTxid: waiting }));
  });

  it('reads the outputs of a transaction and of an owner, and the balance of the owner', async () => {
    const [mined, waiting, next] = chain.map(txidOf) as [string, string, string];
    const told = { sats: true, spend: true, block: true };
    const height = sandbox.service.node.tip().height;
    expect(await services.txo.get(`${mined}_0`, told)).toMatchObject({
      outpoint: `${mined}.0`,
      spend: waiting,
      score: height,
      blockHeight: height,
    });
    expect(await services.txo.get(`${mined}_0`)).toEqual({ outpoint: `${mined}.0`, score: height });
    await expect(services.txo.get(`${mined}_9`)).rejects.toThrow();
    expect(await services.txo.getBatch([`${next}.0`, `${mined}_9`])).toEqual([
      { outpoint: `${next}.0`, score: height + 1 },
      null,
    ]);
    const outputs = await services.txo.getByTxid(next, { sats: true });
    expect(outputs).toHaveLength(parseTx(chain[2]).outputs.length);
    expect(await services.isUtxo({ txid: mined, vout: 0 })).toBe(false);
    expect(await services.isUtxo({ txid: next, vout: 0 })).toBe(true);
    const rows = async (options: object) => {
      const read: { outpoint: string; satoshis?: number; spend?: string }[] = [];
      let isDone = false;
      for await (const { type, data } of services.owner.getTxos(walletAddress, { ...told, ...options })) {
        if (type === 'txo' && data !== undefined) read.push(data);
        isDone ||= type === 'done';
      }
      expect(isDone).toBe(true);
      return read;
    };
    const unspent = await rows({ unspent: true });
    expect(unspent.map(({ outpoint }) => outpoint)).toContain(`${next}.0`);
    expect(unspent.map(({ outpoint }) => outpoint)).not.toContain(`${mined}.0`);
    expect(await rows({})).toContainEqual(expect.objectContaining({ outpoint: `${mined}.0`, spend: waiting }));
    expect(await rows({ limit: 1, rev: true })).toHaveLength(1);
    expect(await services.owner.getBalance(walletAddress)).toEqual({
      balance: unspent.reduce((sum, { satoshis = 0 }) => sum + satoshis, 0),
      count: unspent.length,
    });
  });

  it('reads inscriptions, with their origin and their present output', async () => {
    const { tx, transactionUid } = await sandbox.prepareMint();
    const { txId } = (await sandbox.submit(transactionUid, tx)).body.data;
    const script = parseTx(fromHex(tx)).outputs[0]?.script as Uint8Array;
    const coin = await sandbox.coin();
    const first = { txid: txId as string, vout: 0, satoshis: satoshis(1), lockingScript: script };
    const paid = {
      ...coin,
      satoshis: satoshis(coin.satoshis),
      lockingScript: p2pkhScript(hash160(publicKeyOf(walletKey))),
    };
    const inputs = [first, paid].map(({ txid, vout }) => ({
      txid,
      vout,
      script: new Uint8Array(),
      sequence: 0xffffffff,
    }));
    const outputs = [{ satoshis: satoshis(1), script: p2pkhScript(hash160(publicKeyOf(otherKey))) }];
    const moved = signP2pkhInputs({ version: 1, inputs, outputs, lockTime: 0 }, [first, paid], walletKey);
    expect(await sandbox.service.node.submit(serializeTx(moved))).toMatchObject({ ok: true });
    const now = { txid: txidOf(moved), vout: 0 };
    const inscribed = { contentType: 'text/plain;charset=utf-8', contentLength: CONTENT.length };
    const origin = `${txId}.0`;
    expect(await services.ordfs.getMetadata(`${txId}_0`)).toMatchObject({
      outpoint: origin,
      origin,
      sequence: 0,
      ...inscribed,
    });
    const last = { outpoint: `${now.txid}.0`, origin, sequence: 1, ...inscribed };
    expect(await services.ordfs.getMetadata(`${txId}_0`, -1)).toMatchObject(last);
    expect(await services.ordfs.getMetadata(`${now.txid}_0`, 1)).toMatchObject(last);
    expect(await services.ordfs.getMetadata(`${now.txid}_0`, -2)).toMatchObject({ outpoint: origin, sequence: 0 });
    // nothing is inscribed in the output itself
    expect(await services.ordfs.bulkMetadata([`${now.txid}_0`, `${now.txid}_0:-1`])).toMatchObject({
      [`${now.txid}_0`]: null,
      [`${now.txid}_0:-1`]: last,
    });
    await expect(services.ordfs.getMetadata(`${'ab'.repeat(32)}_0`)).rejects.toThrow();
    await expect(services.ordfs.getMetadata(`${txId}_0`, 2)).rejects.toThrow();
    const { data, headers } = await services.ordfs.getContent(`${now.txid}_0`, { seq: -1, map: true });
    expect(Buffer.from(data)).toEqual(CONTENT);
    expect(headers).toMatchObject({ origin, sequence: 1, outpoint: last.outpoint, cacheControl: 'no-store' });
    expect(headers.map).toEqual(readInscription(script)?.map);
  });

  it('finds no BSV-21 tokens and no overlay topics, as at an index without them', async () => {
    const id = `${txidOf(chain[0])}_0`;
    expect(await services.bsv21.getBalance(id, 'p2pkh', walletAddress)).toEqual({ balance: 0, utxoCount: 0 });
    expect(await services.bsv21.getUnspentMulti(id, 'p2pkh', [walletAddress])).toEqual([]);
    expect(await services.bsv21.lookupTokens([id])).toEqual([]);
    await expect(services.bsv21.getTokenDetails(id)).rejects.toThrow('Token not found');
    expect(await services.overlay.listTopicManagers()).toEqual({});
    expect(await services.overlay.listLookupServiceProviders()).toEqual({});
    await expect(services.overlay.submit(chain[0], ['tm_any'])).rejects.toThrow('unknown-topic');
  });

  it('broadcasts over Arcade', async () => {
    const raw = spend(await sandbox.coin());
    const tx = Transaction.fromHex(toHex(raw));
    expect(await services.arcade.submitTransactionHex(tx.toHex())).toMatchObject({ txid: txidOf(raw) });
    expect((await services.getStatusForTxids([txidOf(raw)])).results[0]?.status).toBe('known');
    expect((await services.arcade.getPolicy()).policy.miningFee).toBeDefined();
  });
});

import { MerklePath } from '@bsv/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseHeader, toHex, txidOf } from '../../../chain/index.ts';
import { rawBlock } from '../node/storage/block-bytes.ts';
import { type Coin, coinOf, extendedOf, output, payment, spend } from '../test-support/merchant.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.open();
});
afterEach(() => sandbox.remove());

const FEE = 200;

const statusOf = async (txid: string) => (await sandbox.arc('GET', `/tx/${txid}`)).body;
describe('ARC of the sandbox', () => {
  it('reports its policy and health', async () => {
    expect(await sandbox.arc('GET', '/policy')).toMatchObject({
      status: 200,
      body: {
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        policy: {
          maxscriptsizepolicy: 10_000_000,
          maxtxsigopscountspolicy: expect.any(Number),
          maxtxsizepolicy: 10_000_000,
          miningFee: { satoshis: 500, bytes: 1000 },
          standardFormatSupported: true,
        },
      },
    });
    expect(await sandbox.arc('GET', '/health')).toMatchObject({
      status: 200,
      body: { healthy: true, version: expect.any(String), reason: null },
    });
  });

  it('accepts a transaction in every form, and answers with the same status', async () => {
    const forms: ((raw: Uint8Array, coin: Coin) => unknown)[] = [
      (raw) => ({ rawTx: toHex(raw) }),
      (raw) => toHex(raw),
      (raw) => raw,
      (raw, coin) => ({ rawTx: toHex(extendedOf(raw, [output(coin.satoshis)])) }),
      (raw, coin) => extendedOf(raw, [output(coin.satoshis)]),
    ];
    for (const form of forms) {
      const coin = await sandbox.coin();
      const raw = spend(coin);
      const answer = await sandbox.arc('POST', '/tx', form(raw, coin));
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.body).toEqual({
        timestamp: expect.any(String),
        txid: txidOf(raw),
        txStatus: 'SEEN_ON_NETWORK',
        blockHash: '',
        blockHeight: 0,
        merklePath: '',
        extraInfo: '',
        competingTxs: null,
        status: 200,
        title: 'OK',
      });
      expect(await statusOf(txidOf(raw))).toEqual(answer.body);
      expect((await sandbox.arc('POST', '/tx', form(raw, coin))).body).toEqual(answer.body);
      expect(sandbox.service.node.mempool.has(txidOf(raw))).toBe(true);
    }
  });

  it('accepts many transactions at once, in each form and any order, and answers for each in order', async () => {
    const forms: ((raws: Uint8Array[]) => unknown)[] = [
      (raws) => raws.map((raw) => ({ rawTx: toHex(raw) })),
      (raws) => raws.map(toHex).join('\n'),
      (raws) => Buffer.concat(raws),
    ];
    for (const form of forms) {
      const parent = spend(await sandbox.coin());
      const child = spend(coinOf(parent));
      const tooCheap = spend(await sandbox.coin(), 1);
      const answer = await sandbox.arc('POST', '/txs', form([child, tooCheap, parent]));
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject([
        { txid: txidOf(child), txStatus: 'SEEN_ON_NETWORK' },
        { txid: txidOf(tooCheap), status: 465, title: 'Fee too low' },
        { txid: txidOf(parent), txStatus: 'SEEN_ON_NETWORK' },
      ]);
    }
  });

  it('proves a mined transaction by a Merkle path that leads to the header, and follows it through a reorganisation', async () => {
    const raw = spend(await sandbox.coin());
    const txid = txidOf(raw);
    await sandbox.arc('POST', '/tx', raw);
    const {
      hashes: [hash],
    } = (await sandbox.service.mine({ blocks: 1 })) as { hashes: [string] };
    await expect.poll(() => statusOf(txid)).toMatchObject({ txStatus: 'MINED', blockHash: hash, blockHeight: 121 });
    const { merklePath } = await statusOf(txid);
    const path = MerklePath.fromHex(merklePath);
    const header = parseHeader(((await rawBlock(sandbox.service.node.db, hash)) as Uint8Array).subarray(0, 80));
    expect([path.blockHeight, path.computeRoot(txid)]).toEqual([121, header.merkleRoot]);

    await sandbox.service.reorg({ depth: 1 });
    await expect.poll(() => statusOf(txid)).toMatchObject({ txStatus: 'MINED_IN_STALE_BLOCK', merklePath: '' });
    const {
      hashes: [later],
    } = await sandbox.service.mine({ blocks: 1 });
    await expect.poll(() => statusOf(txid)).toMatchObject({ txStatus: 'MINED', blockHash: later });
    await sandbox.restart();
    expect(await statusOf(txid)).toMatchObject({ txStatus: 'MINED', blockHash: later });
  });

  it('reports both sides of a double-spend, and which one was mined', async () => {
    const coin = await sandbox.coin();
    const [first, second] = [spend(coin, FEE), spend(coin, FEE + 1)];
    await sandbox.arc('POST', '/tx', first);
    const attempted = (rival: Uint8Array) => ({ txStatus: 'DOUBLE_SPEND_ATTEMPTED', competingTxs: [txidOf(rival)] });
    expect((await sandbox.arc('POST', '/tx', second)).body).toMatchObject(attempted(first));
    await expect.poll(() => statusOf(txidOf(first))).toMatchObject(attempted(second));
    await sandbox.service.mine({ blocks: 1 });
    await expect
      .poll(() => statusOf(txidOf(first)))
      .toMatchObject({ txStatus: 'MINED', competingTxs: [txidOf(second)] });
    await expect
      .poll(() => statusOf(txidOf(second)))
      .toMatchObject({
        txStatus: 'REJECTED',
        extraInfo: `double spend: ${txidOf(first)} was mined`,
      });
  });

  it('rejects a transaction whose coin another one spends in a block', async () => {
    const raw = spend(await sandbox.coin());
    await sandbox.arc('POST', '/tx', raw);
    const { txid } = await sandbox.service.doubleSpend({ txid: txidOf(raw), mined: true });
    await expect.poll(() => statusOf(txidOf(raw))).toMatchObject({ txStatus: 'REJECTED', competingTxs: [txid] });
  });

  it('holds an extended transaction whose parent is not known yet', async () => {
    const parent = spend(await sandbox.coin());
    const child = spend(coinOf(parent));
    const answer = await sandbox.arc('POST', '/tx', extendedOf(child, [output(coinOf(parent).satoshis)]));
    expect(answer).toMatchObject({ status: 200, body: { txStatus: 'SEEN_IN_ORPHAN_MEMPOOL' } });
    await sandbox.arc('POST', '/tx', parent);
    await expect.poll(() => statusOf(txidOf(child))).toMatchObject({ txStatus: 'SEEN_ON_NETWORK' });
  });

  it('accepts a transaction that waits for its lock time', async () => {
    const coin = await sandbox.coin();
    const inputs = [{ txid: coin.txid, vout: 0, script: new Uint8Array(), sequence: 1 }];
    const raw = payment([coin], [output(coin.satoshis - FEE)], { inputs, lockTime: 125 });
    expect((await sandbox.arc('POST', '/tx', raw)).body).toMatchObject({ txStatus: 'ACCEPTED_BY_NETWORK' });
    await sandbox.service.mine({ blocks: 6 });
    await expect.poll(() => statusOf(txidOf(raw))).toMatchObject({ txStatus: 'MINED' });
  });
});

describe('faults at ARC', () => {
  it('occur as at the other APIs, with an error document of ARC', async () => {
    await sandbox.service.faults.set({ name: 'http-error', value: 471, times: 1, area: 'arc' });
    const raw = spend(await sandbox.coin());
    expect(await sandbox.mapi('GET', '/feeQuote')).toMatchObject({ status: 200 });
    expect(await sandbox.arc('POST', '/tx', raw)).toMatchObject({
      status: 471,
      body: { status: 471, title: 'Input Frozen' },
    });
    await sandbox.service.faults.set({ name: 'drop-connection', value: 0, times: 1, area: 'arc' });
    await expect(sandbox.arc('POST', '/tx', raw)).rejects.toThrow();
    await sandbox.service.faults.set({ name: 'mempool-full', value: 0, times: 1, area: 'all' });
    expect((await sandbox.arc('POST', '/tx', raw)).body).toMatchObject({
      txStatus: 'REJECTED',
      extraInfo: 'evicted: mempool full',
    });
    expect((await sandbox.arc('POST', '/tx', raw)).body).toMatchObject({ txStatus: 'SEEN_ON_NETWORK', extraInfo: '' });
  });
});

describe('a submission to ARC that waits for a status', () => {
  it('is answered when the status is reached', async () => {
    const raw = spend(await sandbox.coin());
    const waiting = sandbox.arc('POST', '/tx', raw, { 'x-waitfor': 'MINED', 'x-maxtimeout': '30' });
    await expect.poll(() => sandbox.service.node.mempool.has(txidOf(raw))).toBe(true);
    await sandbox.service.mine({ blocks: 1 });
    expect((await waiting).body).toMatchObject({ txStatus: 'MINED', merklePath: expect.stringMatching(/^[0-9a-f]+$/) });
  });

  it('is answered when the time is over', async () => {
    const raw = spend(await sandbox.coin());
    const waiting = sandbox.arc('POST', '/tx', raw, { 'x-waitfor': 'MINED', 'x-maxtimeout': '7' });
    await expect.poll(() => sandbox.clock.next).toBe(7_000);
    sandbox.clock.advance(7_000);
    expect((await waiting).body).toMatchObject({ txStatus: 'SEEN_ON_NETWORK' });
  });
});

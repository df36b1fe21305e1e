import { MerklePath } from '@bsv/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  parseHeader,
  parseTx,
  type Satoshis,
  satoshis,
  serializeExtended,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  type TxOutput,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { rawBlock } from '../node/storage/block-bytes.ts';
import { ownScript, spend } from '../test-support/merchant.ts';
import { TestSandbox, walletKey } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.open();
});
afterEach(() => sandbox.remove());

type Coin = { txid: string; vout: number; satoshis: number };
const FEE = 200;

const output = (amount: number, script: Uint8Array = ownScript): TxOutput => ({ satoshis: satoshis(amount), script });
const outputOf = (coin: Coin): TxOutput => output(coin.satoshis);

/** A signed transaction of the wallet. @param change of what is signed */
function payment(coins: readonly Coin[], outputs: readonly TxOutput[], change: Partial<Tx> = {}): Uint8Array {
  const inputs = coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }));
  const spent = coins.map((coin) => ({ ...coin, satoshis: coin.satoshis as Satoshis, lockingScript: ownScript }));
  return serializeTx(signP2pkhInputs({ version: 1, inputs, outputs, lockTime: 0, ...change }, spent, walletKey));
}

const extendedOf = (raw: Uint8Array, spent: readonly TxOutput[]) => serializeExtended({ tx: parseTx(raw), spent });
const coinOf = (raw: Uint8Array, vout = 0): Coin => ({
  txid: txidOf(raw),
  vout,
  satoshis: parseTx(raw).outputs[vout]?.satoshis ?? 0,
});
const statusOf = async (txid: string) => (await sandbox.arc('GET', `/tx/${txid}`)).body;
/** A coin nobody has heard of. */
const unknownCoin = { txid: 'ab'.repeat(32), vout: 0, satoshis: 5_000 };

describe('ARC of the sandbox', () => {
  it('tells its policy and health', async () => {
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

  it('takes a transaction in every form, and answers with the same status', async () => {
    const forms: ((raw: Uint8Array, coin: Coin) => unknown)[] = [
      (raw) => ({ rawTx: toHex(raw) }),
      (raw) => toHex(raw),
      (raw) => raw,
      (raw, coin) => ({ rawTx: toHex(extendedOf(raw, [outputOf(coin)])) }),
      (raw, coin) => extendedOf(raw, [outputOf(coin)]),
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

  it('takes many at once, in each form and any order, and answers for each in order', async () => {
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
    const [hash] = (await sandbox.service.mine(1)) as [string];
    await expect.poll(() => statusOf(txid)).toMatchObject({ txStatus: 'MINED', blockHash: hash, blockHeight: 121 });
    const { merklePath } = await statusOf(txid);
    const path = MerklePath.fromHex(merklePath);
    const header = parseHeader(((await rawBlock(sandbox.service.node.db, hash)) as Uint8Array).subarray(0, 80));
    expect([path.blockHeight, path.computeRoot(txid)]).toEqual([121, header.merkleRoot]);

    await sandbox.service.reorg(1);
    await expect.poll(() => statusOf(txid)).toMatchObject({ txStatus: 'MINED_IN_STALE_BLOCK', merklePath: '' });
    const [later] = await sandbox.service.mine(1);
    await expect.poll(() => statusOf(txid)).toMatchObject({ txStatus: 'MINED', blockHash: later });
    await sandbox.restart();
    expect(await statusOf(txid)).toMatchObject({ txStatus: 'MINED', blockHash: later });
  });

  it('tells both sides of a double spend, and which of them won', async () => {
    const coin = await sandbox.coin();
    const [first, second] = [spend(coin, FEE), spend(coin, FEE + 1)];
    await sandbox.arc('POST', '/tx', first);
    const attempted = (rival: Uint8Array) => ({ txStatus: 'DOUBLE_SPEND_ATTEMPTED', competingTxs: [txidOf(rival)] });
    expect((await sandbox.arc('POST', '/tx', second)).body).toMatchObject(attempted(first));
    await expect.poll(() => statusOf(txidOf(first))).toMatchObject(attempted(second));
    await sandbox.service.mine(1);
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

  it('keeps an extended transaction whose parent is not known yet', async () => {
    const parent = spend(await sandbox.coin());
    const child = spend(coinOf(parent));
    const answer = await sandbox.arc('POST', '/tx', extendedOf(child, [outputOf(coinOf(parent))]));
    expect(answer).toMatchObject({ status: 200, body: { txStatus: 'SEEN_IN_ORPHAN_MEMPOOL' } });
    await sandbox.arc('POST', '/tx', parent);
    await expect.poll(() => statusOf(txidOf(child))).toMatchObject({ txStatus: 'SEEN_ON_NETWORK' });
  });

  it('accepts a transaction that waits for its lock time', async () => {
    const coin = await sandbox.coin();
    const inputs = [{ txid: coin.txid, vout: 0, script: new Uint8Array(), sequence: 1 }];
    const raw = payment([coin], [output(coin.satoshis - FEE)], { inputs, lockTime: 125 });
    expect((await sandbox.arc('POST', '/tx', raw)).body).toMatchObject({ txStatus: 'ACCEPTED_BY_NETWORK' });
    await sandbox.service.mine(6);
    await expect.poll(() => statusOf(txidOf(raw))).toMatchObject({ txStatus: 'MINED' });
  });
});

/** What each error of a transaction is provoked by. */
const causes: [number, string, () => Promise<unknown>][] = [
  [400, 'no hex', async () => ({ rawTx: 'xyz' })],
  [400, 'not a transaction', async () => ({ rawTx: '0100' })],
  [400, 'no rawTx', async () => ({})],
  [400, 'an empty text', async () => ' '],
  [460, 'an unknown parent', async () => spend(unknownCoin)],
  [
    461,
    'a signature that is not valid',
    async () => {
      const tx = parseTx(spend(await sandbox.coin()));
      return serializeTx({ ...tx, outputs: [output(1_000)] });
    },
  ],
  [
    461,
    'an unknown parent, with a signature that is not valid',
    async () => extendedOf(spend(unknownCoin), [output(9_999)]),
  ],
  [
    462,
    'no inputs',
    async () => serializeTx({ version: 1, inputs: [], outputs: [output(1), output(2), output(3)], lockTime: 0 }),
  ],
  [462, 'an output that the parent does not have', async () => spend(await sandbox.coin(), FEE, 7)],
  [463, 'less than 61 bytes', async () => serializeTx({ version: 1, inputs: [], outputs: [output(1)], lockTime: 0 })],
  [
    463,
    'an unlocking script that does more than push data',
    async () => {
      const tx = parseTx(spend(await sandbox.coin()));
      return serializeTx({
        ...tx,
        inputs: tx.inputs.map((input) => ({ ...input, script: Uint8Array.of(0x51, 0x76) })),
      });
    },
  ],
  [464, 'no outputs', async () => payment([await sandbox.coin()], [])],
  [
    464,
    'a data output with a value',
    async () => payment([await sandbox.coin()], [output(1, Uint8Array.of(0, 0x6a, 1, 1))]),
  ],
  [
    464,
    'more money than exists',
    async () => {
      const raw = spend(await sandbox.coin());
      // amount, script with its length, lock time
      return raw.fill(0x7f, raw.length - 38, raw.length - 30);
    },
  ],
  [465, 'a fee below the mining fee', async () => spend(await sandbox.coin(), 60)],
  [
    465,
    'an unknown parent, with a fee that is too low',
    async () => extendedOf(spend(unknownCoin, 1), [output(5_000)]),
  ],
  [465, 'more output than input', async () => spend(await sandbox.coin(), -1)],
  [
    466,
    'an input that is spent in a block',
    async () => {
      const coin = await sandbox.coin();
      await sandbox.arc('POST', '/tx', spend(coin));
      await sandbox.service.mine(1);
      return spend(coin, FEE + 1);
    },
  ],
  [474, 'more than ten million bytes', async () => Buffer.alloc(10_000_001, 2)],
  [
    409,
    'a version that nobody knows',
    async () => {
      const coin = await sandbox.coin();
      return payment([coin], [output(coin.satoshis - FEE)], { version: 3 });
    },
  ],
];

describe('an error of ARC', () => {
  it.each(causes)('is %i for %s', async (status, _, cause) => {
    const answer = await sandbox.arc('POST', '/tx', await cause());
    expect(answer.body).toEqual({
      type: `https://bitcoin-sv.github.io/arc/#/errors?id=_${status}`,
      title: expect.any(String),
      status,
      detail: expect.any(String),
      instance: null,
      txid: status === 400 || status === 474 ? null : expect.anything(),
      extraInfo: expect.stringMatching(/./),
    });
    expect(answer.status).toBe(status);
  });

  it('is 466 for one of two that spend the same coin in one request', async () => {
    const coin = await sandbox.coin();
    const { body } = await sandbox.arc('POST', '/txs', Buffer.concat([spend(coin, FEE), spend(coin, FEE + 1)]));
    expect(body).toMatchObject([{ txStatus: 'DOUBLE_SPEND_ATTEMPTED' }, { status: 466 }]);
  });

  it('is 473 for a transaction that does not pay for its ancestors, where that is asked', async () => {
    const coin = await sandbox.coin();
    const parent = spend(coin, 60);
    const skip = { 'x-skipfeevalidation': 'true' };
    expect((await sandbox.arc('POST', '/tx', parent, skip)).body).toMatchObject({ txStatus: 'SEEN_ON_NETWORK' });
    const asked = { 'x-cumulativefeevalidation': 'true' };
    expect(await sandbox.arc('POST', '/tx', spend(coinOf(parent), 100), asked)).toMatchObject({ status: 473 });
    expect(await sandbox.arc('POST', '/tx', spend(coinOf(parent), 200), asked)).toMatchObject({
      status: 200,
      body: { txStatus: 'SEEN_ON_NETWORK' },
    });
  });

  it.each([
    [471, 'policy'],
    [472, 'consensus'],
  ] as const)(
    'is %i for a transaction that spends an output on the %s list of frozen outputs',
    async (status, list) => {
      const coin = await sandbox.coin();
      const raw = spend(coin);
      const { txid, vout } = coin;
      expect(await sandbox.admin('POST', '/freeze', { txid, vout, list })).toMatchObject({ status: 200 });
      const refused = { status, title: 'Input Frozen', txid: txidOf(raw), extraInfo: 'bad-txns-inputs-frozen' };
      expect(await sandbox.arc('POST', '/tx', raw)).toMatchObject({ status, body: refused });
      // The list outlives a restart, and holds for those that validate less and for the other API of the miner.
      await sandbox.restart();
      expect(await sandbox.arc('POST', '/tx', extendedOf(raw, [outputOf(coin)]))).toMatchObject({ status });
      const skip = { 'x-skiptxvalidation': 'true' };
      expect((await sandbox.arc('POST', '/tx', raw, skip)).body).toMatchObject({
        txStatus: 'REJECTED',
        extraInfo: 'bad-txns-inputs-frozen',
      });
      const { body } = await sandbox.mapi('POST', '/tx', { rawTx: toHex(raw) });
      expect(body.payload).toContain('bad-txns-inputs-frozen');
      await sandbox.admin('POST', '/freeze', { txid, vout, list: null });
      expect((await sandbox.arc('POST', '/tx', raw)).body).toMatchObject({ txStatus: 'SEEN_ON_NETWORK' });
    },
  );

  it('is 404 for a transaction that was not submitted here, and 400 for no txid', async () => {
    const txid = 'cd'.repeat(32);
    expect(await sandbox.arc('GET', `/tx/${txid}`)).toMatchObject({ status: 404, body: { status: 404, txid } });
    expect(await sandbox.arc('GET', '/tx/abc')).toMatchObject({ status: 400, body: { status: 400 } });
  });

  it('is 401 without a key, which may be written in three ways', async () => {
    const key = sandbox.service.apiKey();
    const accepted: Record<string, string>[] = [
      { authorization: key },
      { authorization: `Bearer ${key}` },
      { 'api-key': key },
    ];
    for (const headers of accepted) {
      expect((await sandbox.send('GET', '/arc/v1/policy', undefined, headers)).status).toBe(200);
    }
    const others: Record<string, string>[] = [
      {},
      { authorization: 'Bearer none' },
      { 'api-key': 'none' },
      { apikey: key },
    ];
    for (const headers of others) {
      const refused = await sandbox.send('GET', '/arc/v1/policy', undefined, headers);
      expect(refused).toMatchObject({ status: 401, body: { status: 401, title: 'Unauthorized' } });
    }
  });

  it.each([
    ['x-waitfor', 'LATER'],
    ['x-maxtimeout', '31'],
    ['x-maxtimeout', '0'],
    ['x-callbackurl', 'ftp://127.0.0.1/'],
    ['x-skipfeevalidation', 'maybe'],
  ])('is 400 for the header %s: %s', async (name, value) => {
    const answer = await sandbox.arc('POST', '/tx', spend(await sandbox.coin()), { [name]: value });
    expect(answer).toMatchObject({ status: 400, body: { status: 400, extraInfo: expect.stringContaining(name) } });
  });

  it('becomes a rejection by the network where the validation was skipped', async () => {
    const skipping = async (raw: Uint8Array, header: string) =>
      (await sandbox.arc('POST', '/tx', raw, { [header]: 'true' })).body;
    expect(await skipping(spend(await sandbox.coin(), 1), 'x-skipfeevalidation')).toMatchObject({
      txStatus: 'REJECTED',
      extraInfo: 'mempool min fee not met',
    });
    const tx = parseTx(spend(await sandbox.coin()));
    const forged = serializeTx({ ...tx, outputs: [output(1_000)] });
    expect(await skipping(forged, 'x-skipscriptvalidation')).toMatchObject({
      txStatus: 'REJECTED',
      extraInfo: expect.stringContaining('script-verify-flag'),
    });
    expect(await skipping(payment([await sandbox.coin()], []), 'x-skiptxvalidation')).toMatchObject({
      txStatus: 'REJECTED',
    });
  });
});

describe('faults', () => {
  it('play on ARC as elsewhere, with an error document of ARC', async () => {
    sandbox.service.setFault({ name: 'http-error', value: 471, times: 1, area: 'arc' });
    const raw = spend(await sandbox.coin());
    expect(await sandbox.mapi('GET', '/feeQuote')).toMatchObject({ status: 200 });
    expect(await sandbox.arc('POST', '/tx', raw)).toMatchObject({
      status: 471,
      body: { status: 471, title: 'Input Frozen' },
    });
    sandbox.service.setFault({ name: 'drop-connection', value: 0, times: 1, area: 'arc' });
    await expect(sandbox.arc('POST', '/tx', raw)).rejects.toThrow();
    sandbox.service.setFault({ name: 'mempool-full', value: 0, times: 1, area: 'all' });
    expect((await sandbox.arc('POST', '/tx', raw)).body).toMatchObject({
      txStatus: 'REJECTED',
      extraInfo: 'evicted: mempool full',
    });
    expect((await sandbox.arc('POST', '/tx', raw)).body).toMatchObject({ txStatus: 'SEEN_ON_NETWORK', extraInfo: '' });
  });
});

describe('waiting for a status', () => {
  it('lasts until it is reached', async () => {
    const raw = spend(await sandbox.coin());
    const waiting = sandbox.arc('POST', '/tx', raw, { 'x-waitfor': 'MINED', 'x-maxtimeout': '30' });
    await expect.poll(() => sandbox.service.node.mempool.has(txidOf(raw))).toBe(true);
    await sandbox.service.mine(1);
    expect((await waiting).body).toMatchObject({ txStatus: 'MINED', merklePath: expect.stringMatching(/^[0-9a-f]+$/) });
  });

  it('ends when the time is over', async () => {
    const raw = spend(await sandbox.coin());
    const waiting = sandbox.arc('POST', '/tx', raw, { 'x-waitfor': 'MINED', 'x-maxtimeout': '7' });
    await expect.poll(() => sandbox.clock.next).toBe(7_000);
    sandbox.clock.advance(7_000);
    expect((await waiting).body).toMatchObject({ txStatus: 'SEEN_ON_NETWORK' });
  });
});

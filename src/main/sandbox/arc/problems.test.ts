import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTx, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { coinOf, extendedOf, output, payment, spend } from '../test-support/merchant.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.open();
});
afterEach(() => sandbox.remove());

const FEE = 200;
/** A coin nobody has heard of. */
const unknownCoin = { txid: 'ab'.repeat(32), vout: 0, satoshis: 5_000 };

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
      await sandbox.service.mine({ blocks: 1 });
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

  it('is 473 for a transaction that does not pay for its ancestors, if the client asks for that check', async () => {
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
      expect(await sandbox.arc('POST', '/tx', extendedOf(raw, [output(coin.satoshis)]))).toMatchObject({ status });
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

  it('is 401 without an API key, which three headers may carry', async () => {
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

  it('becomes a rejection by the network if the validation was skipped', async () => {
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

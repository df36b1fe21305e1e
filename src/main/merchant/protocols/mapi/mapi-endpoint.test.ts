import type { AddressInfo } from 'node:net';
import { PrivateKey } from '@bsv/sdk';
import Fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signEnvelope, txidOf } from '../../../../chain/index.ts';
import type { Store } from '../../../ports/store.ts';
import { openStore } from '../../../store/store.ts';
import { MapiEndpoint, type MapiEndpointOptions } from './mapi-endpoint.ts';
import { MerchantKeys } from './merchant-keys.ts';
import { type MerchantTables, merchantMigrations } from './tables.ts';

const key = new PrivateKey(11);
const NOW = Date.parse('2026-11-22T08:00:00Z');
const transactions = [1, 2].map((n) => {
  const rawTx = Uint8Array.from([1, 0, 0, 0, 0, 0, n, 0, 0, 0]);
  return { txid: txidOf(rawTx), rawTx };
});
const [first, second] = transactions as [(typeof transactions)[0], (typeof transactions)[0]];

let reply: (url: string) => unknown;
let asked: { url: string; type: string | undefined; body: unknown }[];
let server: FastifyInstance;
let store: Store<MerchantTables>;
let endpoint: MapiEndpoint;
let options: MapiEndpointOptions;

beforeEach(async () => {
  asked = [];
  server = Fastify({ forceCloseConnections: true, bodyLimit: 40_000_000 });
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.all('/*', async (request, response) => {
    const { url, headers, body } = request;
    asked.push({ url, type: headers['content-type'], body });
    const answer = reply(url);
    return typeof answer === 'number' ? response.code(answer).send() : signEnvelope(JSON.stringify(answer), key);
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  store = await openStore<MerchantTables>({ file: ':memory:', migrations: merchantMigrations });
  const clock = { now: () => NOW, after: () => () => undefined };
  const logger = pino({ level: 'silent' });
  const keys = await MerchantKeys.open({ network: 'sandbox', store, pinned: () => undefined, clock, logger });
  options = {
    miner: { id: 'm', name: 'Miner', kind: 'mapi' },
    url: () => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    apiKey: () => undefined,
    keys,
    clock,
  };
  endpoint = new MapiEndpoint(options);
});
afterEach(async () => {
  await server.close();
  await store.close();
});

const success = (txid: string) => ({ txid, returnResult: 'success', resultDescription: '' });

describe('the client of the merchant API', () => {
  it('sends raw bytes, with the options in the query under their canonical names', async () => {
    reply = () => success(first.txid);
    const callback = { url: 'http://127.0.0.1:1/x', token: 'Bearer t', encryption: 'libsodium sealed_box QQ==' };
    const [verdict] = await endpoint.submit([first], { callback, merkleProof: true, dsCheck: true });
    expect(verdict).toMatchObject({ txid: first.txid, status: 'accepted', signature: 'valid', failure: null });
    const { url, type, body } = asked[0] as (typeof asked)[0];
    const query = new URL(url, 'http://x').searchParams;
    expect(Object.fromEntries(query)).toEqual({
      callbackUrl: callback.url,
      callbackToken: callback.token,
      callbackEncryption: callback.encryption,
      merkleProof: 'true',
      merkleFormat: 'TSC',
      dsCheck: 'true',
    });
    expect(type).toBe('application/octet-stream');
    expect(Uint8Array.from(body as Buffer)).toEqual(first.rawTx);
  });

  it('sends JSON once the miner has refused raw bytes', async () => {
    reply = () => (asked.at(-1)?.type === 'application/octet-stream' ? 415 : success(first.txid));
    await endpoint.submit([first]);
    await endpoint.submit([first]);
    expect(asked.map(({ type }) => type)).toEqual(['application/octet-stream', 'application/json', 'application/json']);
  });

  it('gives the verdicts of a batch in the order of the transactions, whatever the order of the miner', async () => {
    const conflict = { txid: 'ab'.repeat(32), size: 10, hex: '00ff' };
    const failed = { txid: second.txid, returnResult: 'failure', resultDescription: 'txn-mempool-conflict' };
    reply = () => ({ txs: [{ ...failed, conflictedWith: [conflict] }, success(first.txid)] });
    expect(await endpoint.submit(transactions)).toMatchObject([
      { txid: first.txid, status: 'accepted' },
      {
        txid: second.txid,
        status: 'rejected',
        reason: { code: 'double-spend', text: 'txn-mempool-conflict', retriedByItself: false },
        conflicts: [{ txid: conflict.txid, rawTx: Uint8Array.from([0, 255]) }],
      },
    ]);
    reply = () => ({ txs: [success(first.txid)] });
    expect((await endpoint.submit(transactions))[1]).toMatchObject({
      status: 'unclear',
      failure: { code: 'upstream-error' },
    });
  });

  it('sends what is too large for one request in several, in order, and in smaller ones once the miner refused the size', async () => {
    const many = Array.from({ length: 6 }, (_, n) => {
      const rawTx = Uint8Array.from([1, 0, 0, 0, 0, 0, n, ...new Uint8Array(5_000_000)]);
      return { txid: txidOf(rawTx), rawTx };
    });
    const sizes: number[] = [];
    reply = (url) => {
      const sent = asked.at(-1)?.body as Buffer;
      sizes.push(Math.round(sent.length / 5_000_000));
      if (sent.length > 12_000_000) return 413;
      if (url === '/tx') return success(txidOf(new Uint8Array(sent)));
      const parts = many.filter(({ rawTx }) => sent.includes(Buffer.from(rawTx.subarray(0, 8))));
      return { txs: parts.map(({ txid }) => success(txid)) };
    };
    const verdicts = await endpoint.submit(many);
    expect(verdicts.map(({ txid, status }) => [txid, status])).toEqual(many.map(({ txid }) => [txid, 'accepted']));
    expect(sizes).toEqual([5, 2, 2, 2]);
    sizes.length = 0;
    await endpoint.submit(many.slice(0, 2));
    expect(sizes).toEqual([2]);
  });

  it('sends more at a time again once the miner takes what it refused as too large', async () => {
    const many = Array.from({ length: 8 }, (_, n) => {
      const rawTx = Uint8Array.from([1, 0, 0, 0, 0, 0, n, ...new Uint8Array(1_000)]);
      return { txid: txidOf(rawTx), rawTx };
    });
    let limit = 2_500;
    const sizes: number[] = [];
    reply = (url) => {
      const sent = asked.at(-1)?.body as Buffer;
      sizes.push(Math.floor(sent.length / 1_000));
      if (sent.length > limit) return 413;
      return url === '/tx' ? success(txidOf(new Uint8Array(sent))) : { txs: many.map(({ txid }) => success(txid)) };
    };
    const submit = async () => {
      sizes.length = 0;
      const verdicts = await endpoint.submit(many);
      expect(verdicts.map(({ txid }) => txid)).toEqual(many.map(({ txid }) => txid));
      return [...sizes];
    };
    expect((await submit())[0]).toBe(8);
    limit = 100_000;
    let sent = await submit();
    expect(sent.length).toBeGreaterThan(2);
    for (let fewer = await submit(); fewer.length < sent.length; fewer = await submit()) sent = fewer;
    expect(sent).toEqual([8]);
  });

  it('leaves open what a later request of several did not answer', { tags: 'long' }, async () => {
    const many = Array.from({ length: 7 }, (_, n) => {
      const rawTx = Uint8Array.from([1, 0, 0, 0, 0, 0, n, ...new Uint8Array(5_000_000)]);
      return { txid: txidOf(rawTx), rawTx };
    });
    reply = () => (asked.length > 1 ? 503 : { txs: many.map(({ txid }) => success(txid)) });
    const verdicts = await endpoint.submit(many);
    expect(verdicts.map(({ status }) => status)).toEqual([...Array(5).fill('accepted'), 'unclear', 'unclear']);
    expect(verdicts.at(-1)?.failure).toMatchObject({ id: 'merchant.failed' });
  });

  it('gives a result without an id to the one transaction that has none, and to neither where there are two', async () => {
    const unread = { txid: null, returnResult: 'failure', resultDescription: 'Can not parse transaction' };
    reply = () => ({ txs: [unread, success(second.txid)] });
    expect(await endpoint.submit(transactions)).toMatchObject([
      { status: 'rejected', reason: { text: 'Can not parse transaction' } },
      { status: 'accepted' },
    ]);
    reply = () => ({ txs: [unread, { ...unread, resultDescription: 'Missing inputs' }] });
    expect((await endpoint.submit(transactions)).map(({ status }) => status)).toEqual(['unclear', 'unclear']);
  });

  it('takes an empty result as unclear, and leaves out conflicts that cannot be read', async () => {
    reply = () => ({ txid: first.txid, returnResult: '', resultDescription: '' });
    expect(await endpoint.submit([first])).toMatchObject([{ status: 'unclear', failure: { code: 'upstream-error' } }]);
    expect(await endpoint.status(first.txid)).toMatchObject({ status: 'unclear' });
    reply = () => ({
      ...success(first.txid),
      resultDescription: 'Already known',
      warnings: [],
      failureRetryable: false,
    });
    expect(await endpoint.submit([first])).toMatchObject([{ status: 'accepted', failure: null }]);
    const conflicts = [{ txid: 'no txid' }, { txid: 'ab'.repeat(32), size: 1 }, null];
    const failed = { txid: first.txid, returnResult: 'failure', resultDescription: '18 txn-double-spend-detected' };
    reply = () => ({ ...failed, conflictedWith: conflicts });
    expect((await endpoint.submit([first]))[0]?.conflicts).toEqual([{ txid: 'ab'.repeat(32), rawTx: null }]);
  });

  it('reads the states of outputs', async () => {
    const spent = { error: 'spent', collidedWith: { txid: 'ab'.repeat(32), size: 1, hex: '00' } };
    const unspent = { scriptPubKey: '76A9', value: 0.07, isStandard: true, confirmations: 0 };
    reply = () => ({ returnResult: 'success', txouts: [unspent, { error: 'missing' }, spent] });
    const outpoints = [0, 1, 2].map((vout) => ({ txid: first.txid, vout }));
    expect(await endpoint.outputs(outpoints)).toEqual([
      { state: 'unspent', satoshis: 7_000_000, script: Uint8Array.of(0x76, 0xa9) },
      { state: 'missing' },
      { state: 'spent', by: 'ab'.repeat(32) },
    ]);
    expect(asked[0]).toMatchObject({
      type: 'application/json',
      body: outpoints.map(({ txid, vout }) => ({ txid, n: vout })),
    });
    reply = () => ({ returnResult: 'success', txouts: [unspent] });
    await expect(endpoint.outputs(outpoints)).rejects.toMatchObject({ id: 'merchant.no-result' });
  });

  it('keeps a quote for a day at most, and refuses one whose expiry time is malformed or past', async () => {
    const fees = [{ feeType: 'standard', miningFee: { satoshis: 1, bytes: 1000 } }];
    reply = () => ({ timestamp: '2026-11-22T08:00:00.1234567Z', expiryTime: '9999-01-01T00:00:00Z', fees });
    expect((await endpoint.quote()).expiresAt).toBe(NOW + 86_400_000);
    for (const expiryTime of ['2026-11-22T08:00:00Z', '2026-02-30T00:00:00Z', 'tomorrow', '']) {
      reply = () => ({ timestamp: '2026-11-22T08:00:00Z', expiryTime, fees });
      await expect(new MapiEndpoint(options).quote(), expiryTime).rejects.toMatchObject({ code: 'upstream-error' });
    }
  });

  it('reads fee quotes of miners that have no policies, and keeps policies of those that do', async () => {
    const fee = { miningFee: { satoshis: 500, bytes: 1000 }, relayFee: { satoshis: 250, bytes: 1000 } };
    const quote = {
      apiVersion: '1.5.0',
      timestamp: '2026-11-22T08:00:00Z',
      expiryTime: '2026-11-22T08:00:00.001Z',
      currentHighestBlockHash: '12'.repeat(32),
      currentHighestBlockHeight: 7,
      fees: [{ feeType: 'standard', ...fee }],
    };
    reply = (url) => (url === '/policyQuote' ? 404 : quote);
    expect(await endpoint.quote()).toMatchObject({
      standard: fee.miningFee,
      policies: {},
      relay: { data: fee.relayFee },
    });
    expect(asked.map(({ url }) => url)).toEqual(['/policyQuote', '/feeQuote']);
    const policies = { maxtxsizepolicy: 99, skipscriptflags: ['MINIMALDATA'], odd: { nested: 1 }, nothing: null };
    const other = new MapiEndpoint(options);
    reply = () => ({ ...quote, policies });
    expect(await other.quote()).toMatchObject({
      apiVersion: '1.5.0',
      policies: { maxtxsizepolicy: 99, skipscriptflags: ['MINIMALDATA'] },
      highestBlock: { hash: '12'.repeat(32), height: 7 },
    });
  });

  it('reads the status of a transaction', async () => {
    reply = () => ({ ...success(first.txid), blockHash: '12'.repeat(32), blockHeight: 7 });
    expect(await endpoint.status(first.txid)).toMatchObject({ status: 'mined', block: { height: 7 } });
    reply = () => success(first.txid);
    expect(await endpoint.status(first.txid)).toMatchObject({ status: 'seen', block: null });
    reply = () => ({ returnResult: 'failure', resultDescription: 'No such mempool or blockchain transaction.' });
    expect(await endpoint.status(first.txid)).toMatchObject({ status: 'unknown', failure: null });
    reply = () => ({ returnResult: 'failure', resultDescription: 'Mixed results' });
    expect(await endpoint.status(first.txid)).toMatchObject({ status: 'unclear', failure: { code: 'upstream-error' } });
  });
});

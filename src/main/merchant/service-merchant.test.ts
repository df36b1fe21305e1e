import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PrivateKey } from '@bsv/sdk';
import Fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fromHex, p2pkhScript, satoshis, serializeTx, signEnvelope, toHex, txidOf } from '../../chain/index.ts';
import { settingsSchema } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { openStore } from '../store/store.ts';
import { MapiEndpoint } from './protocols/mapi/mapi-endpoint.ts';
import { MerchantKeys } from './protocols/mapi/merchant-keys.ts';
import { type MerchantTables, merchantMigrations } from './protocols/mapi/tables.ts';
import type { ServiceMerchant } from './service-merchant.ts';
import { minersOf, serviceMerchant } from './test-support/miners.ts';

const minerKey = new PrivateKey(11);
const minerId = toHex(Uint8Array.from(minerKey.toPublicKey().toDER() as number[]));
const rawTx = serializeTx({
  version: 1,
  inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(107), sequence: 0xffffffff }],
  outputs: [{ satoshis: satoshis(1), script: p2pkhScript(new Uint8Array(20)) }],
  lockTime: 0,
});
const txid = txidOf(rawTx);
const NOW = Date.parse('2026-11-21T08:00:00Z');

/** What the miner answers next, and what it was asked. */
let reply: () => unknown;
let asked: { method: string; url: string; authorization: string | undefined; body: unknown }[];
let server: FastifyInstance;
let now: number;
let apiKey: string | undefined;
let logged: string[];
let store: Store<MerchantTables>;
let keys: MerchantKeys;
let settings = settingsSchema.parse({});

const signed = (payload: unknown): unknown => signEnvelope(JSON.stringify(payload), minerKey);
const quote = (changes: object = {}) => ({
  apiVersion: '1.2.0',
  timestamp: '2026-11-21T08:00:00.0000000Z',
  expiryTime: '2026-11-21T08:10:00.1234567Z',
  minerId,
  currentHighestBlockHash: '00'.repeat(32),
  currentHighestBlockHeight: 5,
  fees: [
    { feeType: 'standard', miningFee: { satoshis: 500, bytes: 1000 }, relayFee: { satoshis: 250, bytes: 1000 } },
    { feeType: 'data', miningFee: { satoshis: 400, bytes: 1000 }, relayFee: { satoshis: 200, bytes: 1000 } },
  ],
  ...changes,
});
const submitted = (changes: object = {}) => ({
  apiVersion: '1.2.0',
  txid,
  returnResult: 'success',
  resultDescription: '',
  minerId,
  txSecondMempoolExpiry: 0,
  ...changes,
});
const refused = (resultDescription: string, more: object = {}) =>
  submitted({ returnResult: 'failure', resultDescription, ...more });

beforeEach(async () => {
  asked = [];
  logged = [];
  now = NOW;
  store = await openStore<MerchantTables>({ file: ':memory:', migrations: merchantMigrations });
  keys = await openKeys();
  apiKey = 'sandbox_key-1';
  server = Fastify({ forceCloseConnections: true });
  server.all('/mapi/*', async (incoming, outgoing) => {
    const { method, url, headers, body } = incoming;
    asked.push({ method, url, authorization: headers.authorization, body });
    const answer = reply();
    if (answer instanceof Response)
      return outgoing
        .code(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .type('application/json')
        .send(await answer.text());
    return answer;
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await server.close();
  await store.close();
  settings = settingsSchema.parse({});
});

const clock: Clock = { now: () => now, after: () => () => undefined };
const serverUrl = (): string => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/mapi`;

const openKeys = (): Promise<MerchantKeys> =>
  MerchantKeys.open({
    network: 'sandbox',
    store,
    pinned: () => settings.mapiPublicKey,
    clock,
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });

function client(options: { mapiUrl?: string; timeoutMs?: number } = {}): ServiceMerchant {
  const miner = new MapiEndpoint({
    miner: { id: 'test', name: 'Test', kind: 'mapi' },
    url: () => options.mapiUrl ?? serverUrl(),
    apiKey: () => (apiKey === undefined ? undefined : new TextEncoder().encode(apiKey)),
    clock,
    keys,
    timeoutMs: options.timeoutMs ?? 5_000,
  });
  return serviceMerchant(minersOf(miner), { current: () => settings });
}

describe('feeQuote', () => {
  it('reads the mining fees, sends the key, and asks again only when the quote has expired', async () => {
    reply = () => signed(quote());
    const merchant = client();
    const expected = {
      standard: { satoshis: 500, bytes: 1000 },
      data: { satoshis: 400, bytes: 1000 },
      expiresAt: Date.parse('2026-11-21T08:10:00.123Z'),
      policy: { maxTxBytes: undefined, maxScriptBytes: undefined, maxSigops: undefined, maxAncestors: undefined },
      source: { endpoint: serverUrl(), publicKey: minerId, since: NOW, pinned: false },
    };
    expect(await Promise.all([merchant.feeQuote(), merchant.feeQuote()])).toEqual([expected, expected]);
    now += 599_000;
    expect(await merchant.feeQuote()).toEqual(expected);
    expect(asked).toEqual([
      { method: 'GET', url: '/mapi/policyQuote', authorization: 'Bearer sandbox_key-1', body: undefined },
    ]);
    now += 2_000;
    reply = () => signed(quote({ expiryTime: '2026-11-21T08:20:00Z', fees: [quote().fees[0]] }));
    expect(await merchant.feeQuote()).toMatchObject({ data: { satoshis: 500, bytes: 1000 } });
    expect(asked).toHaveLength(2);
  });

  it('asks again after a failure', async () => {
    const merchant = client();
    reply = () => new Response('', { status: 404 });
    await expect(merchant.feeQuote()).rejects.toMatchObject({
      code: 'upstream-error',
      message: expect.stringContaining('404'),
    });
    reply = () => signed(quote());
    expect(await merchant.feeQuote()).toMatchObject({ standard: { satoshis: 500 } });
  });

  it('reports how long a busy miner asks to wait', async () => {
    reply = () => new Response('', { status: 503, headers: { 'retry-after': '12' } });
    await expect(client().feeQuote()).rejects.toMatchObject({
      code: 'upstream-error',
      detail: { status: 503, retryAfterMs: 12_000 },
    });
  });

  it('refuses a payload that was changed after it was signed, in any of its bytes', async () => {
    const envelope = signEnvelope(JSON.stringify(quote()), minerKey);
    for (const at of [1, 30, envelope.payload.indexOf('500'), envelope.payload.length - 2]) {
      const payload = `${envelope.payload.slice(0, at)}9${envelope.payload.slice(at + 1)}`;
      reply = () => ({ ...envelope, payload });
      await expect(client().feeQuote()).rejects.toMatchObject({
        code: 'upstream-error',
        message: expect.stringContaining('signature'),
      });
    }
    reply = () => ({ ...envelope, signature: null });
    await expect(client().feeQuote()).rejects.toMatchObject({ message: expect.stringContaining('signature') });
    reply = () => signEnvelope(JSON.stringify(quote()), new PrivateKey(12));
    await expect(client().feeQuote()).rejects.toMatchObject({ message: expect.stringContaining('signed by another') });
  });

  it('takes an unsigned quote and says so once in the log', async () => {
    reply = () => signEnvelope(JSON.stringify(quote({ minerId: undefined, expiryTime: '2026-11-21T08:00:01Z' })));
    const merchant = client();
    await merchant.feeQuote();
    now += 2_000;
    await merchant.feeQuote();
    expect(asked).toHaveLength(2);
    expect(logged.filter((line) => line.includes('does not sign'))).toHaveLength(1);
  });

  it('refuses a quote that had expired when it was made, whatever this machine takes for the time', async () => {
    reply = () => signed(quote({ expiryTime: '2026-11-21T07:59:59Z' }));
    await expect(client().feeQuote()).rejects.toMatchObject({
      code: 'upstream-error',
      message: expect.stringContaining('already expired'),
    });
    reply = () => signed(quote({ timestamp: '2020-01-01T00:00:00Z', expiryTime: '2020-01-01T00:10:00Z' }));
    expect(await client().feeQuote()).toMatchObject({ expiresAt: now + 600_000 });
  });

  it('refuses answers that are no quote', async () => {
    const bad: unknown[] = [
      'text',
      {},
      { payload: 5 },
      signed('a text'),
      signed(quote({ fees: [] })),
      signed(quote({ fees: 'free' })),
      signed(quote({ expiryTime: 'soon' })),
      signed(quote({ fees: [{ feeType: 'standard', miningFee: { satoshis: 0.5, bytes: 1 } }] })),
      signed(quote({ fees: [{ feeType: 'standard', miningFee: { satoshis: -1, bytes: 1 } }] })),
      signed(quote({ fees: [{ feeType: 'standard', miningFee: { satoshis: 1, bytes: 0 } }] })),
    ];
    for (const answer of bad) {
      reply = () => answer;
      await expect(client().feeQuote()).rejects.toMatchObject({ code: 'upstream-error', hint: expect.any(String) });
    }
  });
});

describe('ServiceMerchant.submit', () => {
  it('sends the transaction as JSON and gives its id', async () => {
    reply = () => signed(submitted());
    expect(await client().submit(rawTx)).toEqual({ txid });
    expect(asked).toEqual([
      { method: 'POST', url: '/mapi/tx', authorization: 'Bearer sandbox_key-1', body: { rawTx: toHex(rawTx) } },
    ]);
  });

  it.each([
    'Transaction already in the mempool',
    'Transaction already known',
    'Already known',
    'Transaction already mined into block',
    '257 txn-already-known',
  ])('counts "%s" as done', async (text) => {
    reply = () => signed(refused(text, { txid: '' }));
    expect(await client().submit(rawTx)).toEqual({ txid });
  });

  it.each([
    'Missing inputs',
    'Missing inputs - invalid output index',
    'tx rejected: double spent',
    'Not enough fees',
    '258 txn-mempool-conflict',
    'Can not parse transaction',
    'evicted',
  ])('passes on "%s" as the reason of a refusal', async (text) => {
    reply = () => signed(refused(text, { conflictedWith: [{ txid: 'ef'.repeat(32), size: 200 }] }));
    await expect(client().submit(rawTx)).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining(text),
      hint: expect.any(String),
      detail: { reason: text },
    });
  });

  it('distinguishes a failure of the miner from a refusal of the transaction', async () => {
    const failures = [
      refused('Error while submitting transactions to the node'),
      refused('Mempool error, retry again later. (details: 1 x)'),
      refused('anything', { failureRetryable: true }),
      refused('Transaction already submitted with different parameters.'),
    ];
    for (const failure of failures) {
      reply = () => signed(failure);
      await expect(client().submit(rawTx)).rejects.toMatchObject({ code: 'upstream-error' });
    }
  });

  it('notices when the miner confirms another transaction', async () => {
    reply = () => signed(submitted({ txid: 'ef'.repeat(32) }));
    await expect(client().submit(rawTx)).rejects.toMatchObject({ code: 'upstream-error' });
  });
});

describe('ServiceMerchant.status', () => {
  it('distinguishes mined, waiting and unknown transactions', async () => {
    const merchant = client();
    const blockHash = '12'.repeat(32);
    reply = () => signed(submitted({ blockHash, blockHeight: 7 }));
    expect(await merchant.status(txid)).toEqual({ known: true, blockHash, blockHeight: 7 });
    expect(asked.at(-1)).toMatchObject({ method: 'GET', url: `/mapi/tx/${txid}` });
    reply = () => signed(submitted({ blockHash: '', blockHeight: -1 }));
    expect(await merchant.status(txid)).toEqual({ known: true, blockHash: null, blockHeight: null });
    reply = () => signed(submitted());
    expect(await merchant.status(txid)).toEqual({ known: true, blockHash: null, blockHeight: null });
    reply = () => signed(refused('No such mempool or blockchain transaction.'));
    expect(await merchant.status(txid)).toEqual({ known: false, reason: 'No such mempool or blockchain transaction.' });
  });

  it('is no answer while the nodes of the miner do not agree', async () => {
    reply = () => signed(refused('Mixed results'));
    await expect(client().status(txid)).rejects.toMatchObject({
      code: 'upstream-error',
      detail: { refusal: 'mixed-results' },
    });
  });
});

describe('a merchant API that does not serve', () => {
  it('is named in the error, and the key is in no message', async () => {
    reply = () => new Response('"Incorrectly formatted token"', { status: 401 });
    await expect(client().submit(rawTx)).rejects.toMatchObject({ code: 'unauthorized' });
    reply = () => new Response('', { status: 403 });
    await expect(client().feeQuote()).rejects.toMatchObject({ code: 'unauthorized' });
    apiKey = undefined;
    await expect(client().feeQuote()).rejects.toMatchObject({ code: 'api-key-missing' });
    expect(asked.at(-1)?.authorization).toBeUndefined();
    apiKey = 'two\r\nlines';
    await expect(client().feeQuote()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(asked).toHaveLength(3);
    apiKey = 'secret_0123456789';
    reply = () =>
      new Response(JSON.stringify({ title: 'Service unavailable', detail: 'No node answers.' }), { status: 503 });
    const failure = await client()
      .feeQuote()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'upstream-error',
      message: expect.stringMatching(/HTTP 503: Service unavailable No node answers\.$/),
    });
    expect(JSON.stringify(failure) + String(failure)).not.toContain(apiKey);
  });

  it('is given a time limit that grows with the bytes sent', async () => {
    const large = serializeTx({
      version: 1,
      inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(107), sequence: 0xffffffff }],
      outputs: [{ satoshis: satoshis(0), script: new Uint8Array(500_000) }],
      lockTime: 0,
    });
    const limit = vi.spyOn(AbortSignal, 'timeout');
    try {
      reply = () => signed(submitted({ txid: txidOf(large) }));
      await client().submit(large);
      expect(limit).toHaveBeenCalledWith(15_000);
      limit.mockClear();
      reply = () => signed(submitted());
      await client().submit(rawTx);
      expect(new Set(limit.mock.calls.flat())).toEqual(new Set([5_000]));
    } finally {
      limit.mockRestore();
    }
  });

  it('is unreachable where nothing listens, or no address is set', async () => {
    const url = serverUrl().replace('http://', 'http://user:hidden@');
    await server.close();
    const failure = await client({ mapiUrl: url })
      .feeQuote()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'upstream-unreachable',
      message: expect.stringContaining('(nothing listens there)'),
    });
    expect(String(failure)).not.toContain('hidden');
    await expect(client({ mapiUrl: '' }).feeQuote()).rejects.toMatchObject({ code: 'upstream-unreachable' });
  });

  it('is given up after the time limit, before and within its answer', async () => {
    const slow = createServer((incoming, outgoing) => {
      if (incoming.url?.includes('Quote')) outgoing.write('{"payload":"');
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const merchant = client({ mapiUrl: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`, timeoutMs: 100 });
    try {
      await expect(merchant.feeQuote()).rejects.toMatchObject({ code: 'upstream-timeout' });
      await expect(merchant.submit(fromHex(toHex(rawTx)))).rejects.toMatchObject({ code: 'upstream-timeout' });
    } finally {
      slow.closeAllConnections();
      slow.close();
    }
  });
});

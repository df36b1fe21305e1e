import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { ArcEndpoint } from './arc-endpoint.ts';

const transactions = [1, 2].map((n) => {
  const rawTx = Uint8Array.from([1, 0, 0, 0, 0, 0, n, 0, 0, 0]);
  return { txid: txidOf(rawTx), rawTx };
});
const [first, second] = transactions as [(typeof transactions)[0], (typeof transactions)[0]];
const blockHash = '12'.repeat(32);

let reply: () => { status?: number; json: unknown };
let asked: { url: string; headers: Record<string, unknown>; body: unknown }[];
let server: FastifyInstance;
let endpoint: ArcEndpoint;
let now: number;

beforeEach(async () => {
  now = 1_000;
  asked = [];
  server = Fastify({ forceCloseConnections: true });
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.all('/*', async ({ url, headers, body }, response) => {
    asked.push({ url, headers, body });
    const { status = 200, json } = reply();
    return response.code(status).type('application/json').send(JSON.stringify(json));
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  endpoint = new ArcEndpoint({
    miner: { id: 'arc', name: 'Arc', kind: 'arc' },
    url: () => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/v1`,
    apiKey: () => new TextEncoder().encode('key'),
    clock: { now: () => now, after: () => () => undefined },
  });
});
afterEach(() => server.close());

const submitted = async (json: unknown, status?: number) => {
  reply = () => ({ json, ...(status !== undefined && { status }) });
  return (await endpoint.submit([first]))[0];
};

describe('a miner behind ARC', () => {
  it('reads the policy as a quote, and again after ten minutes', async () => {
    const policy = { maxtxsizepolicy: 9, standardFormatSupported: true, miningFee: { satoshis: 1, bytes: 1000 } };
    reply = () => ({ json: { timestamp: 'x', policy } });
    expect(await endpoint.quote()).toMatchObject({
      standard: policy.miningFee,
      data: policy.miningFee,
      policies: { maxtxsizepolicy: 9, standardFormatSupported: true },
      source: null,
    });
    await endpoint.quote();
    now += 600_001;
    await endpoint.quote();
    expect(asked.map(({ url }) => url)).toEqual(['/v1/policy', '/v1/policy']);
  });

  it('sends raw bytes with every option as a header', async () => {
    reply = () => ({ json: { txid: first.txid, txStatus: 'SEEN_ON_NETWORK' } });
    await endpoint.submit([first], {
      callback: { url: 'http://127.0.0.1/x', token: 't' },
      waitFor: 'SEEN_ON_NETWORK',
      maxTimeout: 7,
      skipFeeValidation: true,
      fullStatusUpdates: true,
      cumulativeFeeValidation: false,
    });
    const { url, headers, body } = asked[0] as (typeof asked)[0];
    expect(url).toBe('/v1/tx');
    expect(Uint8Array.from(body as Buffer)).toEqual(first.rawTx);
    expect(headers).toMatchObject({
      authorization: 'Bearer key',
      'x-callbackurl': 'http://127.0.0.1/x',
      'x-callbacktoken': 't',
      'x-waitfor': 'SEEN_ON_NETWORK',
      'x-maxtimeout': '7',
      'x-skipfeevalidation': 'true',
      'x-fullstatusupdates': 'true',
    });
    expect(headers).not.toHaveProperty('x-cumulativefeevalidation');
  });

  it.each([
    ['UNKNOWN', 'unknown'],
    ['QUEUED', 'accepted'],
    ['RECEIVED', 'accepted'],
    ['STORED', 'accepted'],
    ['ANNOUNCED_TO_NETWORK', 'accepted'],
    ['REQUESTED_BY_NETWORK', 'accepted'],
    ['SENT_TO_NETWORK', 'accepted'],
    ['ACCEPTED_BY_NETWORK', 'accepted'],
    ['SEEN_IN_ORPHAN_MEMPOOL', 'accepted'],
    ['SEEN_ON_NETWORK', 'seen'],
    ['DOUBLE_SPEND_ATTEMPTED', 'double-spend-attempted'],
    ['MINED_IN_STALE_BLOCK', 'stale'],
    ['MINED', 'mined'],
    ['A_STATUS_OF_TOMORROW', 'accepted'],
  ])('reads %s as %s', async (txStatus, status) => {
    const verdict = await submitted({
      txid: first.txid,
      txStatus,
      blockHash,
      blockHeight: 7,
      competingTxs: [second.txid],
    });
    expect(verdict).toMatchObject({ status, word: txStatus, failure: null, signature: 'none' });
    expect(verdict?.conflicts).toEqual([{ txid: second.txid, rawTx: null }]);
    expect(verdict?.block).toEqual(status === 'mined' || status === 'stale' ? { hash: blockHash, height: 7 } : null);
  });

  it.each([
    [460, 'missing-inputs'],
    [461, 'script-failed'],
    [462, 'missing-inputs'],
    [463, 'malformed'],
    [464, 'malformed'],
    [465, 'fee-too-low'],
    [466, 'double-spend'],
    [467, 'missing-inputs'],
    [468, 'proof-invalid'],
    [469, 'proof-invalid'],
    [471, 'frozen'],
    [472, 'frozen'],
    [473, 'fee-too-low'],
    [474, 'too-large'],
    [475, 'missing-inputs'],
    [422, 'malformed'],
    [400, 'malformed'],
    [409, 'other'],
  ])('reads an error %i as %s, alone and inside a batch', async (status, code) => {
    const problem = { type: 'x', title: 'It failed', status, detail: 'in detail', extraInfo: 'why', txid: first.txid };
    const expected = {
      status: 'rejected',
      reason: { code, text: 'why', retriedByItself: false },
      failure: { code: 'rejected' },
    };
    expect(await submitted(problem, status)).toMatchObject(expected);
    reply = () => ({ json: [problem, { txid: second.txid, txStatus: 'RECEIVED' }] });
    expect(await endpoint.submit(transactions)).toMatchObject([expected, { status: 'accepted' }]);
    reply = () => ({ json: { transactions: [{ txid: second.txid, txStatus: 'RECEIVED' }, problem] } });
    expect(await endpoint.submit(transactions)).toMatchObject([expected, { status: 'accepted' }]);
  });

  it('refuses what belongs to another transaction, and says where one has no answer', async () => {
    expect(await submitted({ txid: second.txid, txStatus: 'SEEN_ON_NETWORK' })).toMatchObject({ status: 'unclear' });
    reply = () => ({ json: [{ txid: first.txid, txStatus: 'MINED' }] });
    expect((await endpoint.submit(transactions))[1]).toMatchObject({
      status: 'unclear',
      failure: { code: 'upstream-error' },
    });
  });

  it('reads a rejection with its reason, and an unknown transaction', async () => {
    const verdict = await submitted({ txid: first.txid, txStatus: 'REJECTED', extraInfo: 'txn-mempool-conflict' });
    expect(verdict).toMatchObject({ status: 'rejected', reason: { code: 'double-spend' } });
    reply = () => ({ status: 404, json: { status: 404, title: 'Not found' } });
    expect(await endpoint.status(first.txid)).toMatchObject({ status: 'unknown', failure: null });
  });

  it('is not asked with a refused key, and tells a failure of the service from a refusal', async () => {
    reply = () => ({ status: 401, json: {} });
    await expect(endpoint.submit([first])).rejects.toMatchObject({ code: 'unauthorized' });
    reply = () => ({ status: 503, json: { title: 'Busy' } });
    await expect(endpoint.submit([first])).rejects.toMatchObject({ code: 'upstream-error' });
  });

  it('gives a verdict or a PlanchetError for whatever it is answered', async () => {
    const json = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          txid: fc.oneof(fc.constant(first.txid), fc.jsonValue()),
          txStatus: fc.oneof(fc.constantFrom('MINED', 'REJECTED', 'SEEN_ON_NETWORK'), fc.jsonValue()),
          status: fc.oneof(fc.integer({ min: 200, max: 600 }), fc.jsonValue()),
          merklePath: fc.oneof(fc.constant('00'), fc.jsonValue()),
          blockHash: fc.oneof(fc.constant(blockHash), fc.jsonValue()),
          blockHeight: fc.jsonValue(),
          competingTxs: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(json, fc.constantFrom(200, 200, 400, 409, 465, 503), async (value, status) => {
        reply = () => ({ json: value, status });
        const outcome = await endpoint.submit([first]).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PlanchetError);
        else expect(outcome).toMatchObject([{ txid: first.txid }]);
      }),
      { numRuns: process.env.PLANCHET_LONG ? 20_000 : 300 },
    );
  });
});

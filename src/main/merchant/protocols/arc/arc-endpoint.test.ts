import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { txidOf } from '../../../../chain/index.ts';
import { PlanchetError, phrase, type Reason } from '../../../../contract/index.ts';
import { ArcEndpoint } from './arc-endpoint.ts';
import { readArcStatus } from './verdicts.ts';

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

describe('the client of ARC', () => {
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

  it.each([402, 408, 409])('takes %i for a failure of the miner and not for a refusal', async (status) => {
    const problem = { title: 'Generic error', status, extraInfo: 'context deadline exceeded', txid: first.txid };
    const expected = { status: 'unclear', failure: { code: 'upstream-error' }, reason: { retriedByItself: true } };
    expect(await submitted(problem, status)).toMatchObject(expected);
    expect(await endpoint.status(first.txid)).toMatchObject(expected);
    expect(await submitted({ message: 'wait' }, status)).toMatchObject(expected);
    reply = () => ({ json: [problem, { txid: second.txid, txStatus: 'RECEIVED' }] });
    expect(await endpoint.submit(transactions)).toMatchObject([expected, { status: 'accepted' }]);
    // what the text says still counts
    const known = { ...problem, extraInfo: '257 txn-already-known' };
    expect(await submitted(known, status)).toMatchObject({ status: 'accepted', failure: null });
  });

  it('refuses an answer about another transaction, and reports a transaction without an answer', async () => {
    expect(await submitted({ txid: second.txid, txStatus: 'SEEN_ON_NETWORK' })).toMatchObject({ status: 'unclear' });
    reply = () => ({ json: [{ txid: first.txid, txStatus: 'MINED' }] });
    expect((await endpoint.submit(transactions))[1]).toMatchObject({
      status: 'unclear',
      failure: { code: 'upstream-error' },
    });
  });

  it('asks for callbacks in batches where several transactions are submitted, and names its run', async () => {
    const callback = { url: 'http://127.0.0.1/x', token: 't' };
    reply = () => ({ json: transactions.map(({ txid }) => ({ txid, txStatus: 'RECEIVED' })) });
    await endpoint.submit(transactions, { callback });
    await endpoint.submit(transactions);
    reply = () => ({ json: { txid: first.txid, txStatus: 'RECEIVED' } });
    await endpoint.submit([first], { callback });
    const named = (name: string) => asked.map(({ headers }) => headers[name]);
    expect(named('x-callbackbatch')).toEqual(['true', undefined, undefined]);
    const [run, ...others] = named('xdeployment-id');
    expect(run).toMatch(/^planchet-[0-9a-f]{16}$/);
    expect(others).toEqual([run, run]);
  });

  it('reads what the miner complains of', async () => {
    const answers: [unknown, Reason | null][] = [
      [{ healthy: true, version: 'v1', reason: null }, null],
      [{ healthy: false, version: 'v1', reason: 'no db connection' }, 'no db connection'],
      [{ healthy: false }, phrase('reason.none')],
      ['', null],
    ];
    for (const [json, complaint] of answers) {
      reply = () => ({ json });
      expect(await endpoint.complaint()).toEqual(complaint);
    }
    expect(asked[0]?.url).toBe('/v1/health');
  });

  it.each(['/arc', '/arc/', '/arc/v1', '/arc/v1/'])('finds the API below the address %s', async (path) => {
    const { port } = server.server.address() as AddressInfo;
    const named = new ArcEndpoint({
      miner: endpoint,
      url: () => `http://127.0.0.1:${port}${path}`,
      apiKey: () => undefined,
      clock: { now: () => now, after: () => () => undefined },
    });
    reply = () => ({ status: 404, json: {} });
    await named.status(first.txid);
    expect(asked.map(({ url }) => url)).toEqual([`/arc/v1/tx/${first.txid}`]);
  });

  it.each([
    ['bearer', { authorization: 'Bearer key' }],
    ['bare', { authorization: 'key' }],
    ['api-key', { 'api-key': 'key' }],
  ] as const)('sends its key in the style %s', async (keyStyle, headers) => {
    const { port } = server.server.address() as AddressInfo;
    const styled = new ArcEndpoint({
      miner: endpoint,
      url: () => `http://127.0.0.1:${port}`,
      apiKey: () => new TextEncoder().encode('key'),
      keyStyle,
      clock: { now: () => now, after: () => () => undefined },
    });
    reply = () => ({ status: 404, json: {} });
    await styled.status(first.txid);
    const { authorization, 'api-key': key } = (asked[0] as (typeof asked)[0]).headers;
    expect({ authorization, 'api-key': key }).toEqual({ authorization: undefined, 'api-key': undefined, ...headers });
  });

  it('reads a transaction that was dropped for lack of room as evicted, which is sent again', async () => {
    const dropped = { txid: first.txid, txStatus: 'REJECTED', extraInfo: 'evicted: mempool full' };
    expect(await submitted(dropped)).toMatchObject({
      status: 'evicted',
      reason: { code: 'no-room', retriedByItself: true },
    });
  });

  it('reads a rejection with its reason, and an unknown transaction', async () => {
    const verdict = await submitted({ txid: first.txid, txStatus: 'REJECTED', extraInfo: 'txn-mempool-conflict' });
    expect(verdict).toMatchObject({ status: 'rejected', reason: { code: 'double-spend' } });
    const known = { txid: first.txid, txStatus: 'REJECTED', extraInfo: 'txn-already-known' };
    expect(await submitted(known)).toMatchObject({ status: 'accepted', failure: null });
    reply = () => ({ status: 404, json: { status: 404, title: 'Not found' } });
    expect(await endpoint.status(first.txid)).toMatchObject({ status: 'unknown', failure: null });
  });

  it('fails with a refused key, and distinguishes a failure of the service from a refusal', async () => {
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

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'mined', ''])(
    'takes the word %j for no status, in a callback and in an answer',
    async (txStatus) => {
      expect(readArcStatus({ txid: first.txid, txStatus }, 'raw')).toBeUndefined();
      if (txStatus === '') return;
      // as every status of a later version
      expect(await submitted({ txid: first.txid, txStatus })).toMatchObject({ status: 'accepted', word: txStatus });
    },
  );

  it('gives a verdict that says no more than the status, whatever that is', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'MINED',
        'REJECTED',
        'SEEN_ON_NETWORK',
        'MINED_IN_STALE_BLOCK',
        'DOUBLE_SPEND_ATTEMPTED',
        'Mined',
        'constructor',
        '__proto__',
      ),
      fc.string(),
      fc.jsonValue(),
    );
    const status = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          txid: fc.oneof(fc.constant(first.txid), fc.string(), fc.jsonValue()),
          txStatus: word,
          status: fc.oneof(fc.constantFrom(200, 400, 465, 469, 500), fc.jsonValue()),
          extraInfo: fc.oneof(fc.constantFrom('already known', 'evicted', 'double spend'), fc.jsonValue()),
          merklePath: fc.oneof(fc.constantFrom('', '00', '0', 'xy'), fc.jsonValue()),
          blockHash: fc.oneof(fc.constant(blockHash), fc.constant(''), fc.jsonValue()),
          blockHeight: fc.oneof(fc.integer(), fc.jsonValue()),
          competingTxs: fc.oneof(fc.array(fc.constant(second.txid)), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(status, (value) => {
        const verdict = readArcStatus(value, 'raw');
        if (verdict === undefined) return;
        const said = value as Record<string, unknown>;
        expect(verdict.txid).toBe(said.txid);
        expect(['constructor', '__proto__']).not.toContain(said.txStatus);
        if (verdict.status === 'mined') expect(said.txStatus).toBe('MINED');
        if (verdict.status === 'seen') expect(said.txStatus).toBe('SEEN_ON_NETWORK');
        if (verdict.bump !== null) expect([said.txStatus, typeof said.merklePath]).toEqual(['MINED', 'string']);
        if (verdict.block !== null) expect(verdict.block).toEqual({ hash: said.blockHash, height: said.blockHeight });
        if (typeof said.status === 'number' && said.status >= 400) {
          expect(['rejected', 'unclear', 'evicted', 'accepted']).toContain(verdict.status);
        }
        expect(verdict.failure === null).toBe(!['rejected', 'unclear', 'evicted'].includes(verdict.status));
      }),
      { numRuns: process.env.PLANCHET_LONG ? 300_000 : 3_000 },
    );
  });
});

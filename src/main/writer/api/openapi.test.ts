import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../open-api/parts.ts';
import { Described } from '../../open-api/test-support/described.ts';
import { TestFundingService } from '../test-support/funding-service.ts';
import { TestHarness } from '../test-support/harness.ts';
import { API_KEY, PATIENCE_MS, type Reply, type WriterClient, WriterProcesses } from '../test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

/** The document as the writer gives it, and a check of answers against it. */
async function documentOf(client: WriterClient): Promise<OpenApiDocument> {
  const { json } = await client.send('GET', '/openapi.json', '', { authorization: '' });
  return json as unknown as OpenApiDocument;
}

interface Sent {
  part?: string;
  query?: string;
  body?: string;
  headers?: Record<string, string>;
}

/** Sends a request and holds its answer to the document. @param address as the document has it, with what stands for its parts */
async function sendDescribed(
  described: Described,
  client: WriterClient,
  method: string,
  address: string,
  { part = '', query = '', body = '', headers = {} }: Sent = {},
): Promise<Reply> {
  const path = `${address.replace(/\{\w+\}/, part)}${query}`;
  const reply = await client.send(method, path, body, headers);
  const { status, text } = reply;
  const contentType = String(reply.headers['content-type'] ?? '');
  expect(described.hold({ method, path, status, contentType, headers: reply.headers, text }), path).toBe(true);
  return reply;
}

describe('GET /openapi.json', () => {
  it('names every address and every filter', async () => {
    const client = await writers.start(new TestHarness(100_000));
    const document = await documentOf(client);
    expect(document.openapi).toBe('3.1.0');
    const addresses = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(addresses.sort()).toEqual([
      'GET /api/v1/read/{txid}',
      'GET /api/v1/usage',
      'GET /api/v1/writes',
      'GET /api/v1/writes/{id}',
      'GET /health',
      'GET /openapi.json',
      'POST /api/v1/write',
      'POST /api/v1/write/batch',
    ]);
    const namesOf = (path: string, method: string, place: string) =>
      document.paths[path]?.[method]?.parameters?.flatMap((one) => (one.in === place ? [one.name] : [])).sort();
    expect(namesOf('/api/v1/writes', 'get', 'query')).toEqual(['cursor', 'limit', 'order', 'since', 'state', 'tag']);
    expect(namesOf('/api/v1/write', 'post', 'query')).toEqual(['wait']);
    expect(namesOf('/api/v1/write', 'post', 'header')).toEqual([
      'Idempotency-Key',
      'X-FeesRequired',
      'X-Mode',
      'X-Tag',
    ]);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const { status } = await client.send(method.toUpperCase(), path.replace(/\{\w+\}/, '0'), '', {
          authorization: '',
        });
        expect(status, `${method} ${path} without a key`).toBe(security === undefined ? 401 : 200);
      }
    }
  });

  it('describes every answer: what is written, read and refused', async () => {
    const harness = new TestHarness(10_000_000);
    const service = await TestFundingService.open(harness, API_KEY);
    const client = await writers.start(harness, { settings: { writerMaxBytes: 1_000, fundingUrl: service.url } });
    try {
      const described = new Described(await documentOf(client));
      const call = (method: string, address: string, sent?: Sent) =>
        sendDescribed(described, client, method, address, sent);
      const write = (query: string, body: string, headers: Record<string, string> = {}) =>
        call('POST', '/api/v1/write', { query, body, headers });
      const keyed = { 'idempotency-key': 'one', 'x-tag': 'orders', 'x-feesrequired': 'true' };
      await write('?wait=accepted', '{}', keyed);
      const { json: submitted } = await write('', '{}', keyed);
      await write('', '{"other":1}', keyed);
      client.set({ writerWaitMined: '1s' });
      const { json: early } = await write('?wait=mined', '{}', keyed);
      expect(early).toMatchObject({ status: 202, txid: submitted.txid });
      for (const path of ['/api/v1/writes/{id}', '/api/v1/read/{txid}']) {
        await call('GET', path, { part: String(submitted.txid) });
      }
      harness.mine();
      await client.untilState(String(submitted.txid), 'proven');
      expect((await write('?wait=mined', '{}', keyed)).json).toMatchObject({ status: 201, vout: 0 });
      const whole = await call('GET', '/api/v1/writes/{id}', { part: String(submitted.txid) });
      expect(whole.json.proof).not.toBeNull();
      const encrypted = await write('', '{}', { 'x-mode': 'encrypt' });
      writers.secrets.delete('dataKey:sandbox');
      await call('GET', '/api/v1/read/{txid}', { part: String(encrypted.json.txid) });

      // A wait that ends early, with its reason, and a page that has a next one.
      const release = harness.holdQuotes();
      client.set({ writerWait: '1s' });
      const waiting = await write('', '{"waits":1}');
      expect(waiting.json).toMatchObject({ status: 202, state: 'accepted', reason: expect.any(String) });
      await call('GET', '/api/v1/writes/{id}', { part: String(waiting.json.id) });
      const page = await call('GET', '/api/v1/writes', { query: '?limit=1&order=asc' });
      expect(page.json.next).not.toBeNull();
      await call('GET', '/api/v1/writes');
      release();
      client.set({ maxFeeSatoshis: 1, writerWait: '10m' });
      await write('', '{"dies":1}');
      client.set({ maxFeeSatoshis: 1_000_000 });

      const lines = { 'content-type': 'application/x-ndjson' };
      const batch = (headers: Record<string, string>, body = '1\n{\n') =>
        call('POST', '/api/v1/write/batch', { body, headers });
      expect((await batch(lines)).text.trim().split('\n')).toHaveLength(2);
      await batch({});
      await write('', '{');
      await write('', '');
      await write('', `"${'x'.repeat(2_000)}"`);
      await write('', '1', lines);
      await write('?wait=forever', '1');
      const wrong: Record<string, string>[] = [
        { authorization: '' },
        { origin: 'https://evil.example' },
        { 'content-type': 'text/plain' },
        { 'content-encoding': 'gzip' },
        { 'x-mode': 'rot13' },
        { 'x-tag': 'x'.repeat(600) },
        { 'idempotency-key': 'a b' },
      ];
      for (const headers of wrong) await write('', '1', headers);
      await call('GET', '/api/v1/writes', { query: '?limit=x' });
      await call('GET', '/api/v1/writes/{id}', { part: 'nothing' });
      await call('GET', '/api/v1/read/{txid}', { part: 'f'.repeat(64) });
      await call('GET', '/api/v1/usage');
      await call('GET', '/health');
      await call('GET', '/health', { headers: { host: 'evil.example' } });
      await call('GET', '/openapi.json');
      client.set({ writerFunding: 'service' });
      await write('', '1');
      client.set({ writerFunding: 'wallet', writerQueueLimit: 1 });
      harness.holdQuotes();
      await expect.poll(async () => (await write('?wait=accepted', '1')).status, { timeout: PATIENCE_MS }).toBe(429);

      const statuses = (address: string) =>
        [...described.seen]
          .flatMap((one) => (one.startsWith(`${address} `) ? [Number(one.split(' ').pop())] : []))
          .sort();
      expect(statuses('POST /api/v1/write')).toEqual([201, 202, 400, 401, 403, 409, 413, 415, 429, 503]);
      expect(statuses('POST /api/v1/write/batch')).toEqual([200, 415]);
      expect(statuses('GET /api/v1/read/{txid}')).toEqual([200, 404, 422]);
    } finally {
      await service.close();
    }
  });
});

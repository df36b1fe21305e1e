import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { TestFundingService } from '../test-support/funding-service.ts';
import { TestHarness } from '../test-support/harness.ts';
import { API_KEY, type Reply, type WriterClient, WriterProcesses } from '../test-support/writer-client.ts';

const FAST = '/api/v1/write?wait=accepted';
/** Means the same, but is an address that the fast accept does not take. */
const FRAMEWORK = '/api/v1/write?wait=accepted&';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

/** Within a second of another request, a key is known without the database. */
async function afterAnother(client: WriterClient, path: string, body: string | Buffer, headers = {}): Promise<Reply> {
  await client.send('GET', '/api/v1/writes?limit=1');
  return client.send('POST', path, body, headers);
}

function comparable({ status, headers, text }: Reply): unknown {
  const { date: _date, location, ...others } = headers;
  const name = /[0-9a-f]{32}/g;
  return {
    status,
    headers: { ...others, location: String(location).replace(name, 'id') },
    text: text.replace(name, 'id'),
  };
}

async function opened(
  client: WriterClient,
  body: string,
  length: number,
  { path = FAST, apiKey = API_KEY } = {},
): Promise<Socket> {
  await client.send('GET', '/api/v1/writes?limit=1');
  const socket = connect(client.port, '127.0.0.1');
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${client.port}`,
    `authorization: Bearer ${apiKey}`,
    'content-type: application/json',
    `content-length: ${length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

describe('the fast accept', () => {
  it.each([
    ['a document', '{"n":1}', {}],
    ['a tag and a mode', '{"n":2}', { 'x-tag': 'invoice', 'x-mode': 'hash' }],
    ['no body', '', {}],
    ['no JSON', '{"n":', {}],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}],
    ['another content type', '1', { 'content-type': 'text/plain' }],
    ['no content type', '1', { 'content-type': '' }],
    ['lines', '1', { 'content-type': 'application/x-ndjson' }],
    ['a longer body', JSON.stringify('x'.repeat(70_000)), {}],
    ['an unknown mode', '1', { 'x-mode': 'plain' }],
    ['a malformed Idempotency-Key', '1', { 'idempotency-key': 'a b' }],
    ['an unknown key', '1', { authorization: 'Bearer other' }],
    ['no key', '1', { authorization: '' }],
    ['a web page', '1', { origin: 'https://example.com' }],
    ['another host', '1', { host: 'example.com' }],
    ['a body without its length', '[1]', { 'transfer-encoding': 'chunked' }],
  ])('answers as the framework does: %s', async (_name, body, headers) => {
    const client = await writers.start(new TestHarness(1_000_000), { options: { clock: systemClock } });
    const fast = await afterAnother(client, FAST, body, headers);
    expect(comparable(fast)).toEqual(comparable(await afterAnother(client, FRAMEWORK, body, headers)));
  });

  it('answers an Idempotency-Key’s second use with the first document, and refuses another', async () => {
    const client = await writers.start(new TestHarness(1_000_000), { options: { clock: systemClock } });
    const headers = { 'idempotency-key': 'order-1' };
    const [first, same] = await Promise.all([
      afterAnother(client, FAST, '1', headers),
      afterAnother(client, FAST, '1', headers),
    ]);
    expect(same.text).toBe(first.text);
    await client.untilState(String(first.json.id), 'seen');
    expect((await afterAnother(client, FAST, '1', headers)).text).toBe(first.text);
    const other = await afterAnother(client, FAST, '2', headers);
    expect(other.json).toMatchObject({ status: 409, code: 22 });
    expect(comparable(other)).toEqual(comparable(await afterAnother(client, FRAMEWORK, '2', headers)));
  });

  it('cuts off a body that does not come', async () => {
    const options = { clock: systemClock, requestTimeoutMs: 200 };
    const client = await writers.start(new TestHarness(1_000_000), { options });
    const socket = await opened(client, '{"n"', 100);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('"code":12,"error":"the body did not arrive within 200 ms"');
    await once(socket, 'close');
  });

  it.each([FAST, FRAMEWORK])('refuses a body that arrives after its key was revoked: %s', async (path) => {
    const harness = new TestHarness(1_000_000);
    const service = await TestFundingService.open(harness, 'second-key');
    try {
      const settings = { fundingUrl: service.url };
      const client = await writers.start(harness, { settings, options: { clock: systemClock } });
      const { keyId } = await client.service.view.keys.register({ apiKey: 'second-key' });
      const socket = await opened(client, '{"n"', 7, { path, apiKey: 'second-key' });
      // Answered on a connection that was opened later: the first request has been looked at by then.
      await client.send('GET', '/health');
      await client.service.view.keys.revoke({ keyId });
      socket.write(':1}');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(answer.toString()).toMatch(/^HTTP\/1.1 401 .*"code":1/s);
      expect((await client.service.view.status()).documents).toBe(0);
    } finally {
      await service.close();
    }
  });

  it('goes on where a client disconnects in the middle of a body', async () => {
    const client = await writers.start(new TestHarness(1_000_000), { options: { clock: systemClock } });
    for (let n = 0; n < 3; n++) (await opened(client, '{"n"', 100)).destroy();
    const { json } = await afterAnother(client, FAST, '{"n":7}');
    expect(json).toMatchObject({ status: 202, state: 'accepted' });
    await client.untilState(String(json.id), 'seen');
  });
});

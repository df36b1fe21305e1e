import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodeRpc } from '../ports/node.ts';
import { TestHarness } from './test-support/harness.ts';
import { API_KEY, fastClock, scriptOf, WriterProcesses, written } from './test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

describe('POST /api/v1/write', () => {
  it('writes the bytes as they came and answers 201 with the txid', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const body = ' {"b": 1.0,\n"a":"é\\u00e9"} ';
    const reply = await client.write(body, { 'x-tag': 'invoice', 'x-feesrequired': 'true' });
    const txid = [...harness.mempool.keys()].at(-1);
    expect(reply.status).toBe(201);
    expect(reply.text).toBe(`{"status":201,"txid":"${txid}"}`);
    expect(written(harness)).toEqual([scriptOf(body, 'invoice')]);
    expect(await client.untilState(String(txid), 'seen')).toMatchObject({
      status: 200,
      txid,
      tag: 'invoice',
      contentType: 'application/json',
      bytes: Buffer.byteLength(body),
      reason: null,
    });
    const read = await client.send('GET', `/api/v1/read/${txid}`);
    expect(read).toMatchObject({ status: 200, text: body });
    expect(read.headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
  });

  it('takes any JSON value', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    const bodies = ['null', '7', '"x"', '[]', '{}', `${'['.repeat(5_000)}${']'.repeat(5_000)}`];
    for (const body of bodies) expect((await client.write(body)).status).toBe(201);
    expect(written(harness)).toEqual(bodies.map((body) => scriptOf(body)));
  });

  it('spends the change of one document for the next, side by side, without losing a satoshi', async () => {
    const harness = new TestHarness(60_000);
    const client = await writers.start(harness);
    const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => client.write(`{"n":${n}}`)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 201));
    expect(new Set(written(harness)).size).toBe(30);
    const ids = replies.map(({ headers }) => String(headers.location).split('/').pop() as string);
    for (const id of ids) await client.untilState(id, 'submitted', 'seen');
    const { spentToday } = await client.service.view.status();
    const left = [...harness.coins.values()].reduce((sum, coin) => sum + coin.satoshis, 0);
    expect(left).toBe(60_000 - spentToday);
    expect(harness.reservations.size).toBe(0);
  });

  it('keeps a tag’s bytes', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    await client.write('1', { 'x-tag': Buffer.from('Käufe', 'utf8').toString('latin1') });
    expect(written(harness)).toEqual([scriptOf('1', 'Käufe')]);
  });

  const refused: [string, string | Buffer, Record<string, string>, number, number, string][] = [
    ['no key', '{}', { authorization: '' }, 401, 1, 'missing authorization'],
    ['no bearer', '{}', { authorization: API_KEY }, 401, 1, 'invalid authorization'],
    ['another key', '{}', { authorization: 'Bearer nope' }, 401, 1, 'unknown apikey'],
    ['no content type', '{}', { 'content-type': '' }, 400, 10, 'empty mimetype'],
    ['plain text', '{}', { 'content-type': 'text/plain' }, 415, 10, 'must be application/json'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 10, 'must be application/json'],
    ['compressed bytes', '{}', { 'content-encoding': 'gzip' }, 415, 10, 'no Content-Encoding'],
    ['another charset', '{}', { 'content-type': 'application/json; charset=latin1' }, 415, 10, 'must be'],
    ['no body', '', {}, 400, 11, 'empty body'],
    ['no JSON', '{"a":1', {}, 400, 12, 'not JSON'],
    ['two documents', '{} {}', {}, 400, 12, 'not JSON'],
    ['a byte-order mark', '\ufeff{}', {}, 400, 12, 'not JSON'],
    ['NaN', 'NaN', {}, 400, 12, 'not JSON'],
    ['no UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), {}, 400, 12, 'not UTF-8'],
    ['over 1 MB', `"${'x'.repeat(1_000_000)}"`, {}, 413, 12, 'at most 1000000 bytes'],
    ['a long tag', '{}', { 'x-tag': 'x'.repeat(513) }, 400, 14, 'X-Tag'],
    ['a bad idempotency key', '{}', { 'idempotency-key': 'a b' }, 400, 22, 'Idempotency-Key'],
    ['a foreign Origin', '{}', { origin: 'https://evil.example' }, 403, 1, 'Web pages'],
    ['a rebound Host', '{}', { host: 'evil.example' }, 403, 1, 'Host'],
    ['a cross-site fetch', '{}', { 'sec-fetch-site': 'cross-site' }, 403, 1, 'Web pages'],
  ];
  it.each(refused)('refuses %s', async (_what, body, headers, status, code, error) => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const reply = await client.write(body, headers);
    expect(reply.json).toEqual({ status, code, error: expect.stringContaining(error) as string });
    expect(reply.status).toBe(status);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    expect(harness.mempool.size).toBe(0);
    expect((await client.send('GET', '/api/v1/writes')).json.documents).toEqual([]);
  });

  it.each([
    ['two Host headers', '/api/v1/write', ['Host: 127.0.0.1:PORT', 'Host: evil.example']],
    [
      'two Host headers on the fast accept',
      '/api/v1/write?wait=accepted',
      ['Host: 127.0.0.1:PORT', 'host: evil.example'],
    ],
    ['the same Host twice', '/api/v1/write', ['Host: 127.0.0.1:PORT', 'Host: 127.0.0.1:PORT']],
    ['an absolute target of another host', 'http://evil.example/api/v1/write', ['Host: 127.0.0.1:PORT']],
    ['an absolute target of its own', 'http://127.0.0.1:PORT/api/v1/write', ['Host: 127.0.0.1:PORT']],
  ])('refuses %s', async (_what, target, hosts) => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    // the fast accept takes API keys that an earlier request has checked
    await client.send('GET', '/api/v1/writes?limit=1');
    const head = [
      `POST ${target} HTTP/1.1`,
      ...hosts,
      `Authorization: Bearer ${API_KEY}`,
      'Content-Type: application/json',
      'Content-Length: 2',
      'Connection: close',
    ];
    const heard = await talk(client.port, `${head.join('\r\n').replaceAll('PORT', String(client.port))}\r\n\r\n{}`);
    expect(heard).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(heard.slice(heard.indexOf('\r\n\r\n')))).toMatchObject({ status: 400, code: 12 });
    expect((await client.send('GET', '/api/v1/writes')).json.documents).toEqual([]);
  });

  it('refuses a chunked body over the limit, and cuts off a slow one', async () => {
    const harness = new TestHarness(100_000);
    const { port } = await writers.start(harness, { settings: { writerMaxBytes: 1_000 } });
    // the limit of time alone: on a loaded machine it would come before the other answers
    const impatient = await writers.start(new TestHarness(100_000), { options: { requestTimeoutMs: 400 } });
    const headOf = (to: number) =>
      `POST /api/v1/write HTTP/1.1\r\nHost: localhost:${to}\r\nAuthorization: Bearer ${API_KEY}\r\nContent-Type: application/json\r\n`;
    const head = headOf(port);
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n7d0\r\n${'1'.repeat(2_000)}\r\n0\r\n\r\n`;
    expect(await talk(port, chunked)).toMatch(/^HTTP\/1\.1 413 /);
    const slow = `${headOf(impatient.port)}Content-Length: 10\r\n\r\n{`;
    expect(await talk(impatient.port, slow)).toMatch(/^HTTP\/1\.1 408 /);
    const waiting = `${head.replace(API_KEY, 'wrong')}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 10\r\n\r\n`;
    expect(await talk(port, waiting)).toMatch(/^HTTP\/1\.1 401 /);
    expect(harness.mempool.size).toBe(0);
  });

  it('answers with an error without a stored key, without a wallet, and with a locked vault', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    harness.walletState = 'locked';
    expect((await client.write('{}')).json).toMatchObject({ status: 503, code: 13 });
    writers.secrets.clear();
    expect((await client.write('{}')).json).toMatchObject({ status: 401, code: 1 });
    const get = writers.secretStore.get;
    writers.secretStore.get = () => {
      throw new PlanchetError({ code: 'vault-locked', message: 'The vault is locked.' });
    };
    expect((await client.write('{}')).json).toMatchObject({ status: 500, code: 1 });
    writers.secretStore.get = get;
  });
});

describe('Idempotency-Key', () => {
  it('gives the same answer for the same document, also side by side, and writes it once', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const headers = { 'idempotency-key': 'order-1' };
    const replies = await Promise.all(Array.from({ length: 8 }, () => client.write('{"a":1}', headers)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    expect(written(harness)).toHaveLength(1);
  });

  it('gives the same answer however far the document has come since', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const post = (wait: string) =>
      client.send('POST', `/api/v1/write${wait}`, '{"a":1}', { 'idempotency-key': 'order-1' });
    const accepted = await post('?wait=accepted');
    const { id } = accepted.json as { id: string };
    expect(accepted).toMatchObject({ status: 202, text: `{"status":202,"id":"${id}","state":"accepted"}` });
    const submitted = await post('');
    expect(submitted.status).toBe(201);
    await client.untilState(id, 'seen');
    expect(await post('?wait=accepted')).toMatchObject({ status: 202, text: accepted.text });
    harness.mine();
    const mined = await post('?wait=mined');
    expect(mined.json).toMatchObject({ status: 201, vout: 0, blockHeight: expect.any(Number) });
    await client.untilState(id, 'proven');
    for (const [wait, { status, text }] of [
      ['?wait=accepted', accepted],
      ['', submitted],
      ['?wait=mined', mined],
    ] as const) {
      expect(await post(wait)).toMatchObject({ status, text });
    }
    expect(written(harness)).toHaveLength(1);
  });

  it('is refused with another body, tag or type, and free for another key', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const headers = { 'idempotency-key': 'order-1' };
    await client.write('{"a":1}', headers);
    for (const [body, more] of [
      ['{"a":2}', {}],
      ['{"a":1}', { 'x-tag': 't' }],
      ['{"a":1}', { 'content-type': 'application/json; charset=utf-8' }],
    ] as const) {
      expect((await client.write(body, { ...headers, ...more })).json).toMatchObject({ status: 409, code: 22 });
    }
    writers.secrets.set('apiKey:sandbox', Buffer.from('another'));
    const other = await client.write('{"a":2}', { ...headers, authorization: 'Bearer another' });
    expect(other.status).toBe(201);
    expect(written(harness)).toHaveLength(2);
  });

  it('gives the same failure again', async () => {
    const harness = new TestHarness(50);
    const client = await writers.start(harness);
    const headers = { 'idempotency-key': 'poor' };
    const first = await client.write('{}', headers);
    expect(first.json).toMatchObject({ status: 400, code: 13 });
    expect((await client.write('{}', headers)).text).toBe(first.text);
  });
});

/** Writes bytes to a port. @returns what comes back until the other side closes */
function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (piece) => {
      heard += piece.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });
}

describe('the writer service', () => {
  it('answers /health to anybody on this machine, and reads only with the key', async () => {
    const client = await writers.start(new TestHarness(100_000));
    expect((await client.send('GET', '/health', '', { authorization: '' })).json).toEqual({ status: 'ok' });
    expect((await client.send('GET', '/health', '', { host: 'evil.example' })).status).toBe(403);
    const unknown = '00'.repeat(32);
    expect((await client.send('GET', `/api/v1/read/${unknown}`, '', { authorization: '' })).status).toBe(401);
    expect((await client.send('GET', `/api/v1/writes/${unknown}`, '', { authorization: 'Bearer no' })).status).toBe(
      401,
    );
    expect((await client.send('GET', `/api/v1/read/${unknown}`)).json).toMatchObject({ status: 404, code: 20 });
    expect((await client.send('GET', `/api/v1/writes/${unknown}`)).json).toMatchObject({ status: 404, code: 20 });
    expect((await client.send('GET', '/')).json).toMatchObject({ status: 404, code: 20 });
    expect((await client.send('GET', '/api/v1/writes/%2e%2e%2fx')).json).toMatchObject({ status: 404 });
    expect((await client.send('GET', `/api/v1/writes/${'f'.repeat(5_000)}`)).json).toMatchObject({
      status: 404,
      code: 20,
    });
    const unreadable = await client.send('GET', '/api/v1/writes/%zz');
    expect(unreadable.json).toMatchObject({ status: 400, code: 12, error: expect.stringContaining('address') });
    expect(unreadable.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
  });

  it.each([
    ['GET', '/api/v1/write', 'POST'],
    ['GET', '/api/v1/write/batch', 'POST'],
    ['POST', '/api/v1/writes', 'GET'],
    ['DELETE', `/api/v1/writes/${'00'.repeat(16)}`, 'GET'],
    ['PUT', `/api/v1/read/${'00'.repeat(32)}`, 'GET'],
    ['POST', '/api/v1/usage', 'GET'],
    ['POST', '/openapi.json', 'GET'],
    ['DELETE', '/health', 'GET'],
  ])('refuses %s %s and says what is possible', async (method, path, allowed) => {
    const client = await writers.start(new TestHarness(100_000));
    const reply = await client.send(method, path);
    expect(reply.json).toEqual({ status: 405, code: 21, error: expect.stringContaining(`use ${allowed}`) as string });
    expect(reply.headers.allow).toBe(allowed);
  });

  it('says which port is taken, and refuses other machines on the sandbox', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port } = squatter.address() as { port: number };
    await expect(writers.start(new TestHarness(), { settings: { writerBind: `:${port}` } })).rejects.toMatchObject({
      code: 'port-in-use',
      hint: expect.stringContaining(`planchet settings set writerBind :${port + 1}`),
    });
    await new Promise((resolve) => squatter.close(resolve));
    await expect(writers.start(new TestHarness(), { settings: { writerBind: '0.0.0.0:0' } })).rejects.toMatchObject({
      code: 'bind-refused',
    });
  });

  it.each([
    ['does not answer', true],
    ['heeds no signal either', false],
  ])('stops while the node %s', async (_, heeds) => {
    let asked: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const node: NodeRpc = {
      call: (_method, _params, options) =>
        new Promise((_resolve, reject) => {
          asked();
          if (heeds) options?.signal?.addEventListener('abort', () => reject(new Error('cancelled')));
        }),
    };
    // Where the node heeds the signal, no timer has to run out.
    const clock: Clock = heeds ? { ...fastClock, after: () => () => {} } : fastClock;
    const { service } = await writers.start(new TestHarness(100_000), { options: { node, clock } });
    await reached;
    await expect(service.stop()).resolves.toBeUndefined();
  });
});

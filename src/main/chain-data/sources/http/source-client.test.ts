import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { phrase, type Reason, reasonText } from '../../../../contract/index.ts';
import { systemClock } from '../../../clock.ts';
import { HandClock } from '../../../gateway/test-support/hand-clock.ts';
import { version } from '../../../version.ts';
import { createSourceClient, type SourceClientOptions } from './source-client.ts';

type Answers = (request: IncomingMessage & { text: string }, response: ServerResponse) => void;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function clientOf(answer: Answers, options: Partial<SourceClientOptions> = {}) {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => answer(Object.assign(request, { text: Buffer.concat(pieces).toString() }), response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  return createSourceClient({ operator: 'bank', baseUrl, clock: systemClock, minIntervalMs: 0, ...options });
}

const json = { kind: 'json', limitBytes: 10_000, deadlineMs: 10_000 } as const;
const text = { kind: 'text', limitBytes: 10_000, deadlineMs: 10_000 } as const;
const binary = { kind: 'binary', limitBytes: 10_000, deadlineMs: 10_000 } as const;

function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array, more = {}): void {
  response.writeHead(status, { 'content-type': type, ...more }).end(body);
}

describe('the client of an operator', () => {
  it('reads JSON, text and bytes, and says who it is', async () => {
    const seen: (string | undefined)[] = [];
    const client = await clientOf(
      ({ url, headers }, response) => {
        seen.push(url, headers['user-agent'], headers['woc-api-key'] as string);
        if (url === '/v1/json') send(response, 200, 'application/json', '{"a":[1]}');
        else if (url === '/v1/text') send(response, 200, 'text/plain', 'ab\n', { etag: '"7"' });
        else send(response, 200, 'application/octet-stream', Uint8Array.of(60, 1, 255));
      },
      { headers: () => ({ 'woc-api-key': 'k' }) },
    );
    expect(await client.get('/json', json)).toMatchObject({ state: 'present', value: { a: [1] }, status: 200 });
    expect(await client.get('/text', text)).toMatchObject({ state: 'present', value: 'ab', etag: '"7"' });
    expect(await client.get('/bytes', binary)).toMatchObject({ state: 'present', value: Uint8Array.of(60, 1, 255) });
    expect(seen.slice(0, 3)).toEqual(['/v1/json', `Planchet/${version}`, 'k']);
  });

  it('sends a value as JSON, a text and bytes as they are', async () => {
    const client = await clientOf(({ method, headers, text: sent }, response) =>
      send(response, 200, 'application/json', JSON.stringify([method, headers['content-type'], sent])),
    );
    const post = async (body: unknown) => client.post('/tx', body, json);
    expect(await post({ a: 1 })).toMatchObject({ value: ['POST', 'application/json', '{"a":1}'] });
    expect(await post('ab')).toMatchObject({ value: ['POST', 'text/plain', 'ab'] });
    expect(await post(Buffer.from('x'))).toMatchObject({ value: ['POST', 'application/octet-stream', 'x'] });
  });

  it('keeps an answer apart from a refusal that says nothing', async () => {
    const client = await clientOf(({ url }, response) => {
      const [, status, type] = /\/(\d+)\/(\w+)$/.exec(url as string) as unknown as [string, string, string];
      send(response, Number(status), `text/${type}`, type === 'html' ? '<html>busy</html>' : 'Not Found');
    });
    for (const status of [400, 404, 409, 422])
      expect(await client.get(`/${status}/plain`, json)).toEqual({
        state: 'unknown',
        reason: phrase('reason.http-status', { status }),
        status,
        body: 'Not Found',
      });
    for (const path of ['/404/html', '/400/html', '/401/plain', '/403/plain', '/402/plain', '/500/plain', '/302/plain'])
      expect(await client.get(path, json)).toMatchObject({ state: 'unavailable', status: Number(path.slice(1, 4)) });
    expect(await client.get('/401/plain', json)).toMatchObject({ reason: phrase('reason.key-wanted') });
    expect(await client.get('/403/plain', json)).toMatchObject({ reason: { values: { status: 403 } } });
  });

  it.each([
    ['a page of HTML as JSON', json, 'text/html', '{"a":1}', 'a page of HTML'],
    ['a page of HTML that calls itself text', text, 'text/plain', ' <!DOCTYPE html><html>', 'a page of HTML'],
    ['a page of HTML as bytes', binary, 'application/octet-stream', '<html>', 'a page of HTML'],
    ['what is no JSON', json, 'application/json', '{"a":', 'no JSON'],
    ['nothing in place of JSON', json, 'application/json', '', 'no JSON'],
    ['JSON that is too deep', json, 'application/json', '['.repeat(99), 'its answer is larger than is taken (depth)'],
    ['too long a text', text, 'text/plain', 'a'.repeat(10_001), 'its answer is larger than is taken (bytes)'],
    ['too many bytes', binary, 'text/plain', 'a'.repeat(10_001), 'its answer is larger than is taken (bytes)'],
    [
      'too long a JSON',
      json,
      'application/json',
      `"${'a'.repeat(10_001)}"`,
      'its answer is larger than is taken (bytes)',
    ],
  ] as const)('takes %s for no answer', async (_, kind, type, body, reason) => {
    const client = await clientOf((_request, response) => send(response, 200, type, body));
    const answer = await client.get('/x', kind);
    expect(answer).toEqual({
      state: 'unavailable',
      reason: { key: expect.stringMatching(/^reason\./), values: expect.anything() },
    });
    expect(reasonText((answer as { reason: Reason }).reason)).toBe(reason);
  });

  it('counts the bytes after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    expect(bomb.length).toBeLessThan(10_000);
    const client = await clientOf((_, response) =>
      send(response, 200, 'application/octet-stream', bomb, { 'content-encoding': 'gzip' }),
    );
    expect(await client.get('/x', binary)).toMatchObject({ state: 'unavailable' });
  });

  it('takes half an answer, a closed connection and a host that is not there for no answer', async () => {
    const client = await clientOf(({ url }, response) => {
      if (url === '/v1/closed') response.destroy();
      else response.writeHead(200, { 'content-length': 200 }).write('a'.repeat(100), () => response.destroy());
    });
    expect(await client.get('/half', binary)).toMatchObject({ state: 'unavailable' });
    expect(await client.get('/closed', binary)).toMatchObject({ state: 'unavailable' });
    const nobody = createSourceClient({
      operator: 'nobody',
      baseUrl: 'http://127.0.0.1:59999',
      clock: systemClock,
      minIntervalMs: 0,
    });
    expect(await nobody.get('/x', json)).toMatchObject({
      state: 'unavailable',
      reason: phrase('reason.connection-refused'),
    });
  });

  it('ends a slow drip at the deadline, and any request with the signal', async () => {
    const clock = new HandClock();
    const asked = Promise.withResolvers<void>();
    const client = await clientOf(
      (_, response) => {
        response.writeHead(200).write('a');
        asked.resolve();
      },
      { clock },
    );
    const slow = client.get('/x', binary);
    await asked.promise;
    await clock.pass(9_999);
    expect(clock.waiting).toBe(1);
    await clock.pass(1);
    expect(await slow).toEqual({ state: 'unavailable', reason: phrase('reason.no-answer-within', { ms: 10_000 }) });
    const abort = new AbortController();
    const ended = client.get('/x', { ...binary, signal: abort.signal });
    abort.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
    expect(clock.waiting).toBe(0);
  });

  it('keeps the pace of an operator, and leaves the line with the signal', async () => {
    const clock = new HandClock();
    const at: number[] = [];
    const client = await clientOf(
      (_, response) => {
        at.push(clock.time);
        send(response, 200, 'text/plain', 'ok');
      },
      { clock, minIntervalMs: 350 },
    );
    const abort = new AbortController();
    const first = client.get('/1', text);
    const left = client.get('/2', { ...text, signal: abort.signal });
    const third = client.get('/3', text);
    await first;
    abort.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await clock.pass(349);
    expect(at).toEqual([0]);
    await clock.pass(1);
    await third;
    expect(at).toEqual([0, 350]);
  });

  it('leaves an operator alone for as long as it asks', async () => {
    const clock = new HandClock();
    let status = 429;
    let count = 0;
    const client = await clientOf(
      ({ url }, response) => {
        count += 1;
        const more = url === '/v1/named' ? { 'retry-after': '30' } : {};
        send(response, status, 'text/html', '<html><h1>429 Too Many Requests</h1></html>', more);
      },
      { clock },
    );
    const refused = {
      state: 'unavailable',
      status: 429,
      reason: phrase('reason.http-status', { status: 429 }),
      retryAfterMs: 30_000,
    };
    expect(await client.get('/named', json)).toMatchObject(refused);
    await clock.pass(29_999);
    expect(await client.get('/named', json)).toEqual({
      state: 'unavailable',
      reason: phrase('reason.left-alone'),
      retryAfterMs: 1,
    });
    expect(count).toBe(1);
    await clock.pass(1);
    expect(await client.get('/unnamed', json)).toMatchObject({ status: 429, retryAfterMs: 5_000 });
    await clock.pass(5_000);
    status = 503;
    expect(await client.get('/unnamed', json)).not.toHaveProperty('retryAfterMs');
    expect(await client.get('/named', json)).toMatchObject({ status: 503, retryAfterMs: 30_000 });
    expect(count).toBe(4);
  });

  it('asks with the tag of the last answer, which it gives again', async () => {
    const tags: (string | undefined)[] = [];
    let tag = '"1"';
    const client = await clientOf(({ headers }, response) => {
      tags.push(headers['if-none-match']);
      if (headers['if-none-match'] === tag) response.writeHead(304, { etag: tag }).end();
      else send(response, 200, 'application/json', tag.slice(1, -1), { etag: tag });
    });
    const poll = async () => client.get('/tip', { ...json, revalidate: true });
    expect(await poll()).toMatchObject({ value: 1, status: 200 });
    expect(await poll()).toMatchObject({ state: 'present', value: 1, status: 304, etag: '"1"' });
    tag = '"2"';
    expect(await poll()).toMatchObject({ value: 2, status: 200 });
    expect(await client.get('/tip', json)).toMatchObject({ value: 2, status: 200 });
    expect(tags).toEqual([undefined, '"1"', '"1"', undefined]);
  });

  it.each(['later', 'after the clock was put back'])(
    'does not keep an answer for ever whose tag never changes, %s',
    async (when) => {
      const clock = new HandClock();
      let value = 1;
      const client = await clientOf(
        ({ headers }, response) => {
          if (headers['if-none-match'] !== undefined) response.writeHead(304).end();
          else send(response, 200, 'application/json', String(value), { etag: '"always"' });
        },
        { clock },
      );
      const poll = () => client.get('/tip', { ...json, revalidate: true });
      await poll();
      value = 2;
      expect(await poll()).toMatchObject({ value: 1, status: 304 });
      clock.time += when === 'later' ? 1_800_000 : -1;
      expect(await poll()).toMatchObject({ value: 2, status: 200 });
    },
  );

  it('reads events until the stream ends, is silent, is refused or none is wanted', async () => {
    const clock = new HandClock();
    const client = await clientOf(
      ({ url, headers }, response) => {
        if (url === '/v1/refused') return send(response, 404, 'application/json', '{"error":"no stream"}');
        if (url === '/v1/page') return send(response, 200, 'text/html', '<html>');
        expect(headers.accept).toBe('text/event-stream');
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (url === '/v1/endless') return void response.write(`data: ${'a'.repeat(100_000)}`);
        response.write('event: tip\nda');
        response.write('ta: 1\n\n: keepalive\n\ndata:2\n\n');
        if (url === '/v1/ends') response.end();
      },
      { clock },
    );
    const heard: string[] = [];
    const listen = (path: string, signal = new AbortController().signal) =>
      client.events(path, { silentMs: 45_000, signal, onData: (data) => heard.push(data) });
    expect(await listen('/ends')).toEqual({ state: 'unavailable', reason: phrase('reason.stream-ended') });
    expect(heard).toEqual(['1', '2']);
    expect(await listen('/refused')).toMatchObject({ state: 'unknown', status: 404 });
    expect(await listen('/page')).toEqual({ state: 'unavailable', reason: phrase('reason.no-events') });
    expect(await listen('/endless')).toMatchObject({ reason: phrase('reason.answer-larger', { bound: 'bytes' }) });
    const silent = listen('/silent');
    await expect.poll(() => heard).toHaveLength(4);
    await clock.pass(45_000);
    expect(await silent).toEqual({ state: 'unavailable', reason: phrase('reason.silent-for', { ms: 45_000 }) });
    const abort = new AbortController();
    const ended = listen('/silent', abort.signal);
    abort.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
    expect(clock.waiting).toBe(0);
  });

  it('keeps the beginning of a long refusal', async () => {
    const client = await clientOf((_, response) => send(response, 400, 'text/plain', 'a'.repeat(100_000)));
    expect(await client.get('/x', json)).toMatchObject({ state: 'unknown', body: 'a'.repeat(4_096) });
  });
});

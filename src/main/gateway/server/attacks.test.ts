import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, type RunningGateway, type Sent, send, sendRaw, startGateway } from '../test-support/gateway.ts';
import { result, Upstream } from '../test-support/upstream.ts';

let upstream: Upstream;
let gateway: RunningGateway;
/** Limits that never apply, so that a slow machine does not cut off a request that another check must refuse. */
let hasty: RunningGateway;
const call = '{"method":"getblockcount","id":1}';

beforeAll(async () => {
  upstream = await new Upstream(result('1')).start();
  gateway = await startGateway(upstream.url, { options: { limits: { bodyBytes: 1_000_000 } } });
  hasty = await startGateway(upstream.url, { options: { limits: { headersTimeoutMs: 300, requestTimeoutMs: 600 } } });
});

afterAll(async () => {
  await gateway.stop();
  await hasty.stop();
  await upstream.stop();
});

describe('requests that are refused before their body is read', () => {
  const port = (text: string): string => text.replace('PORT', String(gateway.port));
  const table: [string, Sent, number][] = [
    ['GET', { method: 'GET' }, 405],
    ['OPTIONS of a preflight', { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }, 405],
    ['PUT', { method: 'PUT', body: call }, 405],
    ['a rebound Host', { headers: { host: 'evil.example:PORT' } }, 403],
    ['a Host that begins like ours', { headers: { host: '127.0.0.1.evil.example:PORT' } }, 403],
    ['a Host that ends like ours', { headers: { host: 'evil.localhost:PORT' } }, 403],
    ['a Host with another port', { headers: { host: '127.0.0.1:1' } }, 403],
    ['a Host of another machine', { headers: { host: '192.168.0.1:PORT' } }, 403],
    ['a Host with a user', { headers: { host: 'a@127.0.0.1:PORT' } }, 403],
    ['a foreign Origin', { headers: { origin: 'https://evil.example' } }, 403],
    ['our own Origin', { headers: { origin: 'http://127.0.0.1:PORT' } }, 403],
    ['the Origin of a sandboxed frame', { headers: { origin: 'null' } }, 403],
    ['Sec-Fetch-Site cross-site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['Sec-Fetch-Site same-site', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    [
      'text/plain from a page, which the browser sends without asking',
      { headers: { 'content-type': 'text/plain', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } },
      403,
    ],
    [
      'text/plain from a page without an Origin',
      { headers: { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' } },
      403,
    ],
    [
      'a picture’s address',
      { method: 'GET', headers: { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' } },
      405,
    ],
    [
      'a WebSocket',
      {
        method: 'GET',
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
          origin: 'https://evil.example',
        },
      },
      405,
    ],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'none' } }, 415],
    [
      'a form that was sent by a click',
      { headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-user': '?1' } },
      415,
    ],
    ['a multipart form', { headers: { 'content-type': 'multipart/form-data; boundary=x' } }, 415],
    ['no credential', { headers: { authorization: '' } }, 401],
    ['an unknown path', { path: '/admin' }, 404],
    ['a target that names a host itself', { path: 'http://evil.example/' }, 400],
    ['a REST target that names a host itself', { path: 'http://evil.example/rest/chaininfo.json', method: 'GET' }, 400],
    ['a path escape', { path: '/../../etc/passwd' }, 404],
    ['an encoded path escape', { path: '/%2e%2e/' }, 404],
    ['a query', { path: '/?x=1' }, 404],
    ['a path with a line break in it', { path: '/%0d%0aX-Injected:%20y' }, 404],
    [
      'a REST path with a line break in it',
      { path: '/rest/tx/%0d%0aX-Injected:%20y.json', method: 'GET', body: '' },
      400,
    ],
    ['the debug pages of the console', { path: '/debug/metrics', method: 'POST' }, 404],
    [
      'a REST path without a credential',
      { path: '/rest/chaininfo.json', method: 'GET', headers: { authorization: '' } },
      401,
    ],
    ['a REST path written to', { path: '/rest/chaininfo.json', method: 'DELETE' }, 405],
    ['a path escape out of REST', { path: '/rest/../admin', method: 'GET', body: '' }, 404],
    ['an encoded path escape out of REST', { path: '/rest/%2e%2e%2fetc/passwd', method: 'GET', body: '' }, 404],
    ['a path that is no text', { path: '/rest/%ff', method: 'GET', body: '' }, 404],
    ['a body over the limit', { body: `"${'x'.repeat(1_000_001)}"` }, 413],
  ];
  it.each(table)('%s', async (_what, sent, status) => {
    const headers = Object.fromEntries(Object.entries(sent.headers ?? {}).map(([name, text]) => [name, port(text)]));
    const before = upstream.requests.length;
    const answer = await send(gateway.port, { body: call, ...sent, headers });
    expect(answer.status).toBe(status);
    expect(upstream.requests.length).toBe(before);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers.server).toBeUndefined();
    expect(answer.headers['x-injected']).toBeUndefined();
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    if (status === 401) {
      expect(answer.headers['www-authenticate']).toBe('Basic realm="jsonrpc"');
      expect(answer.text).toBe('');
    }
    if (status === 405 && sent.path === undefined) {
      expect(answer.text).toBe('JSONRPC server handles only POST requests');
    }
  });

  it.each([
    ['wrong password', basic('planchet:wrong')],
    ['wrong user', basic('admin:secret')],
    ['nothing but a colon', basic(':')],
    ['the cookie’s user alone', basic('__cookie__:')],
    ['another scheme', 'Bearer secret'],
    ['no base64', 'Basic ***'],
  ])('%s, after a quarter of a second', async (_what, authorization) => {
    const before = performance.now();
    const answer = await send(gateway.port, { body: call, headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(answer.text).toBe('');
    expect(performance.now() - before).toBeGreaterThan(240);
  });

  it('a large body without a credential, of which nothing is read', async () => {
    const heard = await sendRaw(
      gateway.port,
      `POST / HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nContent-Length: 900000\r\n\r\n`,
    );
    expect(heard).toMatch(/^HTTP\/1\.1 401 /);
    expect(heard.toLowerCase()).toContain('connection: close');
  });

  it('a body that waits for 100 Continue, without sending it', async () => {
    const heard = await sendRaw(
      gateway.port,
      `POST / HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
    );
    expect(heard).toMatch(/^HTTP\/1\.1 401 /);
    expect(heard).not.toContain('100 Continue');
  });
});

describe('requests that full-node clients send', () => {
  it.each([
    ['no content type', { 'content-type': '' }],
    ['plain text', { 'content-type': 'text/plain;' }],
    ['the type curl -d sends', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['JSON with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['a Host without its port', { host: '127.0.0.1' }],
    ['Host localhost', { host: 'localhost:PORT' }],
    ['Host in capitals', { host: 'LOCALHOST:PORT' }],
  ])('pass with %s', async (_what, headers) => {
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, text.replace('PORT', String(gateway.port))]),
    );
    expect((await send(gateway.port, { body: call, headers: given })).status).toBe(200);
  });

  it('pass after waiting for 100 Continue', async () => {
    const heard = sendRaw(
      gateway.port,
      `POST / HTTP/1.1\r\nHost: localhost:${gateway.port}\r\nAuthorization: ${basic('planchet:secret')}\r\n` +
        `Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${call.length}\r\n\r\n${call}`,
    );
    expect(await heard).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });
});

describe('requests that would exhaust the gateway', () => {
  it('slow headers are cut off', async () => {
    const heard = await sendRaw(hasty.port, 'POST / HTTP/1.1\r\nHost: 127.0');
    expect(heard).toMatch(/^(HTTP\/1\.1 408 .*)?/);
    // Node itself cuts them off after a minute.
  });

  it('a slow body is cut off', async () => {
    const heard = await sendRaw(
      hasty.port,
      `POST / HTTP/1.1\r\nHost: localhost:${hasty.port}\r\nAuthorization: ${basic('planchet:secret')}\r\nContent-Length: 100\r\n\r\n{`,
    );
    expect(heard).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('a chunked body is refused when it exceeds the limit', async () => {
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
    const heard = await sendRaw(
      gateway.port,
      `POST / HTTP/1.1\r\nHost: localhost:${gateway.port}\r\nAuthorization: ${basic('planchet:secret')}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n"\r\n${chunk.repeat(40)}`,
    );
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
    expect(upstream.requests.every(({ text }) => !text.includes('xxxx'))).toBe(true);
  });

  it('two lengths, a length and chunks, and broken request lines are refused', async () => {
    const head = `POST / HTTP/1.1\r\nHost: localhost:${gateway.port}\r\nAuthorization: ${basic('planchet:secret')}\r\n`;
    const before = upstream.requests.length;
    for (const text of [
      `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${call}`,
      `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${head}X: a\rb\r\n\r\n`,
      'NONSENSE\r\n\r\n',
    ]) {
      expect(await sendRaw(gateway.port, text)).toMatch(/^HTTP\/1\.1 400 /);
    }
    expect(upstream.requests.length).toBe(before);
  });

  it.each([
    ['arrays 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects 100,000 deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['deep parameters', `{"method":"getblock","params":${'['.repeat(600)}${']'.repeat(600)}}`],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('%s are a parse error', async (_what, body) => {
    const answer = await send(gateway.port, { body });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toEqual({
      result: null,
      error: { code: -32700, message: 'Parse error' },
      id: null,
    });
  });

  it.each([
    ['more calls than a batch may hold', JSON.stringify(Array.from({ length: 1_001 }, () => ({ method: 'getinfo' })))],
    ['half a million elements', `[${'1,'.repeat(450_000)}1]`],
  ])('%s in one batch are refused as a whole, without an upstream call', async (_what, body) => {
    const before = upstream.requests.length;
    const answer = await send(gateway.port, { body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ result: null, error: { code: -32600 }, id: null });
    expect(upstream.requests.length).toBe(before);
  });

  it('a batch of the largest size is answered, one by one', async () => {
    const body = JSON.stringify(Array.from({ length: 1_000 }, (_, id) => ({ method: 'nonsense', id })));
    const answer = await send(gateway.port, { body });
    expect(answer.status).toBe(200);
    expect((JSON.parse(answer.text) as { id: number }[]).map(({ id }) => id)).toEqual([...Array(1_000).keys()]);
  });

  it('a name of a million characters is an unknown command', async () => {
    const answer = await send(gateway.port, { body: JSON.stringify({ method: 'x'.repeat(900_000) }) });
    expect(answer.status).toBe(404);
    expect(answer.text.length).toBeLessThan(1_000);
  });

  it('line breaks in the method or id cannot inject a header', async () => {
    const answer = await send(gateway.port, { body: '{"method":"x\\r\\nSet-Cookie: a=b","id":"\\r\\nX: y"}' });
    expect(answer.status).toBe(404);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it('1,000 idle connections do not block others on a port that accepts 1,024', async () => {
    const { connect } = await import('node:net');
    const sockets = await Promise.all(
      Array.from(
        { length: 1_000 },
        () =>
          new Promise<ReturnType<typeof connect>>((resolve, reject) => {
            const socket = connect(gateway.port, '127.0.0.1', () => resolve(socket));
            socket.on('error', reject);
          }),
      ),
    );
    expect((await send(gateway.port, { body: call })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

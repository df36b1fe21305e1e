import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UPLOAD_PIECE_BYTES } from '../../contract/index.ts';
import type { Clock } from '../ports.ts';
import type { ConsoleServer } from './http.ts';
import { createHttpClient } from './http-client.ts';
import { createSmallHost, type SmallHost } from './test-support/small-host.ts';
import { CLI_TOKEN, createServer } from './test-support/transports.ts';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

interface Question {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

let rendererDir: string;
let host: SmallHost;
let server: ConsoleServer;
let port: number;
let now: number;
const clock: Clock = { now: () => now, after: () => () => {} };

beforeAll(() => {
  rendererDir = mkdtempSync(join(tmpdir(), 'planchet-console-'));
  writeFileSync(join(rendererDir, 'index.html'), '<meta name="csp-nonce" content="__CSP_NONCE__">');
});
afterAll(() => rmSync(rendererDir, { recursive: true }));

beforeEach(async () => {
  now = 1_000_000;
  host = createSmallHost();
  server = createServer(host.context, { rendererDir, clock });
  port = Number(new URL((await server.start()).address).port);
});
afterEach(() => server.stop());

/** Sends exactly the given headers, as no browser or fetch would. */
function ask({ method = 'POST', path = '/api/app/info', headers = {}, body }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { host: `127.0.0.1:${port}`, ...headers },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    outgoing.end(body);
  });
}

const json = { 'content-type': 'application/json' };
const bearer = { authorization: `Bearer ${CLI_TOKEN}` };
const good = { ...json, ...bearer };

async function signIn(token = server.createLoginToken()): Promise<string> {
  const answer = await ask({ path: '/session', headers: json, body: JSON.stringify({ token }) });
  expect(answer.status).toBe(200);
  const [cookie] = answer.headers['set-cookie'] as string[];
  return (cookie as string).split(';')[0] as string;
}

describe('who is let in', () => {
  it('lets the command line in by its token', async () => {
    const answer = await ask({ headers: good, body: '{}' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ json: { network: 'sandbox' } });
  });

  it('trades a token once for a cookie that only this page can send', async () => {
    const url = new URL(server.createLoginUrl());
    expect(url.search).toBe('');
    const token = url.hash.slice('#token='.length);
    expect(token).toMatch(/^[\w-]{43}$/);
    const answer = await ask({ path: '/session', headers: json, body: JSON.stringify({ token }) });
    const [cookie] = answer.headers['set-cookie'] as string[];
    expect(cookie).toMatch(new RegExp(`^planchet_session_${port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`));
    const pair = (cookie as string).split(';')[0] as string;
    const headers = {
      ...json,
      cookie: `other=1; ${pair}`,
      origin: `http://127.0.0.1:${port}`,
      'sec-fetch-site': 'same-origin',
    };
    expect((await ask({ headers, body: '{}' })).status).toBe(200);
    expect((await ask({ method: 'GET', path: '/session', headers: { cookie: pair } })).status).toBe(200);
    expect((await ask({ method: 'GET', path: '/session' })).status).toBe(401);
    const replayed = await ask({ path: '/session', headers: json, body: JSON.stringify({ token }) });
    expect(replayed.status).toBe(401);
    expect(replayed.headers['set-cookie']).toBeUndefined();
  });

  it('forgets a link after ten minutes, but not the one of the start', async () => {
    const late = server.createLoginToken();
    const lasting = server.createLoginToken({ lasting: true });
    now += 600_000;
    expect((await ask({ path: '/session', headers: json, body: JSON.stringify({ token: late }) })).status).toBe(401);
    const cookie = await signIn(lasting);
    now += 6 * 86_400_000;
    expect((await ask({ headers: { ...json, cookie }, body: '{}' })).status).toBe(200);
    now += 7 * 86_400_000;
    expect((await ask({ headers: { ...json, cookie }, body: '{}' })).status).toBe(401);
  });

  it('slows down guessing without locking out who has the key', async () => {
    const wrong = { ...json, authorization: 'Bearer wrong' };
    const statuses = [];
    for (let guess = 0; guess < 25; guess += 1) statuses.push((await ask({ headers: wrong, body: '{}' })).status);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(statuses.slice(20)).toEqual(Array(5).fill(429));
    expect((await ask({ path: '/session', headers: json, body: '{"token":"x"}' })).status).toBe(429);
    expect((await ask({ headers: good, body: '{}' })).status).toBe(200);
    await signIn();
    now += 60_000;
    expect((await ask({ headers: wrong, body: '{}' })).status).toBe(401);
  });

  it('keeps sessions over a restart of the service', async () => {
    const cookie = await signIn();
    await server.stop();
    expect(() => server.createLoginUrl()).toThrow(expect.objectContaining({ code: 'not-running' }));
    port = Number(new URL((await server.start()).address).port);
    const renamed = cookie.replace(/_\d+=/, `_${port}=`);
    expect((await ask({ headers: { ...json, cookie: renamed }, body: '{}' })).status).toBe(200);
  });
});

describe('attacks', () => {
  const attacks: Record<string, () => Question & { expected: number; code?: string }> = {
    'a page of another origin': () => ({
      headers: { ...good, origin: 'https://evil.example' },
      expected: 403,
    }),
    'a page of another port of this machine': () => ({
      headers: { ...good, origin: 'http://127.0.0.1:3000' },
      expected: 403,
    }),
    'a page under another of our names': () => ({
      headers: { ...good, origin: `http://localhost:${port}` },
      expected: 403,
    }),
    'a page without origin': () => ({ headers: { ...good, origin: 'null' }, expected: 403 }),
    'a page over https under our name': () => ({
      headers: { ...good, origin: `https://127.0.0.1:${port}` },
      expected: 403,
    }),
    'a name rebound to this machine': () => ({
      headers: { ...good, host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
      expected: 403,
    }),
    'a name that begins like ours': () => ({
      headers: { ...good, host: `127.0.0.1:${port}.evil.example` },
      expected: 403,
    }),
    'our name without the port': () => ({ headers: { ...good, host: '127.0.0.1' }, expected: 403 }),
    'our name with another port': () => ({ headers: { ...good, host: '127.0.0.1:1' }, expected: 403 }),
    'an empty name': () => ({ headers: { ...good, host: '' }, expected: 400 }),
    'a request from another site': () => ({ headers: { ...good, 'sec-fetch-site': 'cross-site' }, expected: 403 }),
    'a request from the same site': () => ({ headers: { ...good, 'sec-fetch-site': 'same-site' }, expected: 403 }),
    'a form as text': () => ({ headers: { ...bearer, 'content-type': 'text/plain' }, expected: 415 }),
    'a form as form': () => ({
      headers: { ...bearer, 'content-type': 'application/x-www-form-urlencoded' },
      expected: 415,
    }),
    'a body without type': () => ({ headers: bearer, expected: 415 }),
    'a type that hides another': () => ({
      headers: { ...bearer, 'content-type': 'text/plain; application/json' },
      expected: 415,
    }),
    'no credential': () => ({ headers: json, expected: 401, code: 'unauthorized' }),
    'a wrong token': () => ({ headers: { ...json, authorization: `Bearer ${CLI_TOKEN}x` }, expected: 401 }),
    'a part of the token': () => ({
      headers: { ...json, authorization: `Bearer ${CLI_TOKEN.slice(0, -1)}` },
      expected: 401,
    }),
    'an empty token': () => ({ headers: { ...json, authorization: 'Bearer ' }, expected: 401 }),
    'the token as a password': () => ({
      headers: { ...json, authorization: `Basic ${Buffer.from(`:${CLI_TOKEN}`).toString('base64')}` },
      expected: 401,
    }),
    'a made-up cookie': () => ({
      headers: { ...json, cookie: `planchet_session_${port}=${'A'.repeat(43)}` },
      expected: 401,
    }),
    'a one-time token as a cookie': () => ({
      headers: { ...json, cookie: `planchet_session_${port}=${server.createLoginToken()}` },
      expected: 401,
    }),
    'a procedure by GET': () => ({ method: 'GET', path: '/api/app/info?data=%7B%7D', headers: bearer, expected: 405 }),
    'a procedure by PUT': () => ({ method: 'PUT', headers: good, expected: 405 }),
    'a preflight': () => ({
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      expected: 405,
    }),
    'a TRACE': () => ({ method: 'TRACE', path: '/', expected: 405 }),
    'deleting the page': () => ({ method: 'DELETE', path: '/', expected: 405 }),
    'a procedure that is none': () => ({ path: '/api/app/nothing', headers: good, body: '{}', expected: 404 }),
    'a property of objects as a procedure': () => ({
      path: '/api/__proto__/constructor',
      headers: good,
      body: '{}',
      expected: 404,
    }),
    'a body that is no JSON': () => ({ headers: good, body: '{"json":', expected: 400, code: 'invalid-input' }),
    'a body that reaches for the prototype': () => ({
      headers: good,
      body: '{"json":{"__proto__":{"admin":true}}}',
      expected: 400,
    }),
    'a body that is null': () => ({ headers: good, body: 'null', expected: 422, code: 'FAILED' }),
    'a form that is none': () => ({
      path: '/api/files/append',
      headers: { ...bearer, 'content-type': 'multipart/form-data; boundary=x' },
      body: 'nonsense',
      expected: 400,
    }),
    'a large JSON body': () => ({ headers: good, body: `{"json":"${'a'.repeat(5_000_000)}"}`, expected: 413 }),
    'a large form': () => ({
      path: '/api/files/append',
      headers: { ...bearer, 'content-type': 'multipart/form-data; boundary=x' },
      body: Buffer.alloc(UPLOAD_PIECE_BYTES + 100_000),
      expected: 413,
    }),
    'a body that says it is large': () => ({
      headers: { ...good, 'content-length': '99999999' },
      body: '{}',
      expected: 413,
    }),
    'a large body of a stranger': () => ({
      headers: { ...json, 'content-length': '99999999' },
      body: '{}',
      expected: 401,
    }),
    'headers without end': () => ({ headers: { ...good, cookie: 'a'.repeat(20_000) }, body: '{}', expected: 431 }),
    'another page as the target': () => ({ method: 'GET', path: 'http://evil.example/', expected: 400 }),
    'a path that leads up': () => ({ method: 'GET', path: '/../../etc/passwd', expected: 404 }),
    'an encoded path that leads up': () => ({ method: 'GET', path: '/%2e%2e/%2e%2e/etc/passwd', expected: 404 }),
    'a path with encoded slashes': () => ({ method: 'GET', path: '/..%2f..%2fetc%2fpasswd', expected: 404 }),
    'a path with backslashes': () => ({ method: 'GET', path: '/..%5c..%5cetc%5cpasswd', expected: 404 }),
    'a path with a NUL': () => ({ method: 'GET', path: '/index.html%00.js', expected: 404 }),
    'a path that is no UTF-8': () => ({ method: 'GET', path: '/%ff', expected: 400 }),
    'the page from another site': () => ({
      method: 'GET',
      path: '/',
      headers: { 'sec-fetch-site': 'cross-site' },
      expected: 403,
    }),
    'the page under a rebound name': () => ({
      method: 'GET',
      path: '/',
      headers: { host: `evil.example:${port}` },
      expected: 403,
    }),
    'a login from another origin': () => ({
      path: '/session',
      headers: { ...json, origin: 'https://evil.example' },
      body: JSON.stringify({ token: server.createLoginToken() }),
      expected: 403,
    }),
    'a login as text': () => ({
      path: '/session',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify({ token: server.createLoginToken() }),
      expected: 415,
    }),
    'a login without token': () => ({ path: '/session', headers: json, body: '{"token":5}', expected: 400 }),
  };

  it.each(Object.keys(attacks))('%s', async (name) => {
    const { expected, code, ...question } = (attacks[name] as (typeof attacks)[string])();
    const answer = await ask(question);
    expect(answer.status).toBe(expected);
    for (const header of Object.keys(answer.headers)) expect(header).not.toMatch(/^access-control-/);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.text).not.toMatch(/evil|passwd|stack|node_modules/);
    if (code) expect(answer.text).toContain(code);
  });

  it('has no effect when a check refuses it', async () => {
    const body = JSON.stringify({ json: { theme: 'dark' } });
    for (const headers of [
      { ...good, origin: 'https://evil.example' },
      { ...bearer, 'content-type': 'text/plain' },
      json,
    ]) {
      await ask({ path: '/api/app/setTheme', headers, body });
    }
    expect(await host.context.app.snapshot()).toMatchObject({ theme: 'system' });
    await ask({ path: '/api/app/setTheme', headers: good, body });
    expect(await host.context.app.snapshot()).toMatchObject({ theme: 'dark' });
  });

  it('names the accepted hosts, so that a person can help themselves', async () => {
    const answer = await ask({ headers: { ...good, host: 'my-machine:9400' } });
    expect(JSON.parse(answer.text)).toMatchObject({
      code: 'forbidden',
      message: `The console answers only to the names localhost:${port}, 127.0.0.1:${port}, [::1]:${port}.`,
      hint: `Open http://localhost:${port} instead.`,
    });
  });

  it('refuses two Host headers and a header with a line break', async () => {
    const raw = (lines: string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk.toString();
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(text));
      });
    const host = `Host: 127.0.0.1:${port}`;
    expect(await raw(['GET / HTTP/1.1', host, 'Host: evil.example', 'Connection: close'])).toMatch(/^HTTP\/1.1 40[03]/);
    expect(await raw(['GET / HTTP/1.1', host, 'X-A: b\rSet-Cookie: c=d', 'Connection: close'])).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect(await raw(['GET / HTTP/1.1', 'Connection: close'])).toMatch(/^HTTP\/1.1 40[03]/);
    expect(await raw(['GET / HTTP/1.1', host, 'Connection: close'])).toMatch(/^HTTP\/1.1 200/);
  });

  it('never logs a credential', async () => {
    const token = server.createLoginToken();
    const cookie = await signIn(token);
    await ask({ headers: { ...json, cookie }, body: '{}' });
    await ask({ headers: { ...good, origin: 'https://evil.example' } });
    await ask({ headers: { ...json, authorization: 'Bearer some-wrong-token' } });
    const log = host.logs.join('\n');
    expect(log).toContain('request refused');
    for (const secret of [token, cookie.split('=')[1] as string, CLI_TOKEN, 'some-wrong-token']) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('the page', () => {
  it('carries a policy with a nonce of its own', async () => {
    const pages = await Promise.all([1, 2].map(() => ask({ method: 'GET', path: '/' })));
    const nonces = pages.map(({ status, headers, text }) => {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      const nonce = /content="([\w+/=]{24})"/.exec(text)?.[1];
      expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}'`);
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|http/);
      return nonce;
    });
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('answers data with a policy that allows nothing', async () => {
    const { headers } = await ask({ headers: good, body: '{}' });
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers.server ?? headers['x-powered-by']).toBeUndefined();
  });
});

describe('listening', () => {
  it('answers under every name of localhost', async () => {
    const local = createServer(host.context, { consoleAddress: 'localhost:0' });
    const { address } = await local.start();
    const { port: bound } = new URL(address);
    for (const name of ['localhost', '127.0.0.1']) {
      const client = createHttpClient({ url: `http://${name}:${bound}`, bearer: CLI_TOKEN });
      expect(await client.app.info()).toMatchObject({ network: 'sandbox' });
    }
    await local.stop();
  });

  it('says what to do about a port that is taken', async () => {
    const other = createNetServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port: taken } = other.address() as AddressInfo;
    for (const name of ['localhost', '127.0.0.1']) {
      const late = createServer(host.context, { consoleAddress: `${name}:${taken}` });
      await expect(late.start()).rejects.toMatchObject({
        code: 'port-in-use',
        hint: expect.stringContaining(`consoleAddress ${name}:${taken + 1}`),
      });
      await late.stop();
    }
    await new Promise((resolve) => other.close(resolve));
  });

  it('does not listen where other machines could reach it', async () => {
    for (const consoleAddress of ['0.0.0.0:0', '[::]:0', '192.168.1.5:0', 'example.org:0']) {
      await expect(createServer(host.context, { consoleAddress }).start()).rejects.toMatchObject({
        code: 'bind-refused',
      });
    }
  });

  it('stops at once while views listen to events and connections idle', async () => {
    const client = createHttpClient({ url: `http://127.0.0.1:${port}`, bearer: CLI_TOKEN });
    const stream = await client.events.subscribe();
    await stream.next();
    const idle = connect(port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const started = performance.now();
    const ended = expect(stream.next()).rejects.toThrow();
    await server.stop();
    await ended;
    expect(performance.now() - started).toBeLessThan(500);
    expect(host.hub.size).toBe(0);
    idle.destroy();
  });
});

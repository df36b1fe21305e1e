import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createHttpClient } from '../http-client.ts';
import { good, HttpConsole, json } from '../test-support/http-console.ts';
import { CLI_TOKEN, createServer } from '../test-support/transports.ts';

const open = HttpConsole.forTests();

describe('the authentication of the console', () => {
  it('lets the command line in by its token', async () => {
    const answer = await open.ask({ headers: good, body: '{}' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ json: { network: 'sandbox' } });
  });

  it('trades a token once for a cookie that only this page can send', async () => {
    const url = new URL(open.server.createLoginUrl());
    expect(url.search).toBe('');
    const token = url.hash.slice('#token='.length);
    expect(token).toMatch(/^[\w-]{43}$/);
    const answer = await open.ask({ path: '/session', headers: json, body: JSON.stringify({ token }) });
    const [cookie] = answer.headers['set-cookie'] as string[];
    expect(cookie).toMatch(new RegExp(`^planchet_session_${open.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`));
    const pair = (cookie as string).split(';')[0] as string;
    const headers = {
      ...json,
      cookie: `other=1; ${pair}`,
      origin: `http://127.0.0.1:${open.port}`,
      'sec-fetch-site': 'same-origin',
    };
    expect((await open.ask({ headers, body: '{}' })).status).toBe(200);
    expect((await open.ask({ method: 'GET', path: '/session', headers: { cookie: pair } })).status).toBe(200);
    expect((await open.ask({ method: 'GET', path: '/session' })).status).toBe(401);
    const replayed = await open.ask({ path: '/session', headers: json, body: JSON.stringify({ token }) });
    expect(replayed.status).toBe(401);
    expect(replayed.headers['set-cookie']).toBeUndefined();
  });

  it('lets a link expire after ten minutes, but not the one printed at the start', async () => {
    const late = open.server.createLoginToken();
    const lasting = open.server.createLoginToken({ lasting: true });
    open.now += 600_000;
    expect((await open.ask({ path: '/session', headers: json, body: JSON.stringify({ token: late }) })).status).toBe(
      401,
    );
    const cookie = await open.signIn(lasting);
    open.now += 6 * 86_400_000;
    expect((await open.ask({ headers: { ...json, cookie }, body: '{}' })).status).toBe(200);
    open.now += 7 * 86_400_000;
    expect((await open.ask({ headers: { ...json, cookie }, body: '{}' })).status).toBe(401);
  });

  it('slows down guessing without locking out who has the key', async () => {
    const wrong = { ...json, authorization: 'Bearer wrong' };
    const statuses = [];
    for (let guess = 0; guess < 25; guess += 1) statuses.push((await open.ask({ headers: wrong, body: '{}' })).status);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(statuses.slice(20)).toEqual(Array(5).fill(429));
    expect((await open.ask({ path: '/session', headers: json, body: '{"token":"x"}' })).status).toBe(429);
    expect((await open.ask({ headers: good, body: '{}' })).status).toBe(200);
    await open.signIn();
    open.now += 60_000;
    expect((await open.ask({ headers: wrong, body: '{}' })).status).toBe(401);
  });

  it('lets a page name no file of the machine to be read', async () => {
    const body = JSON.stringify({ json: { paths: ['/etc/hostname'] } });
    const answered = async (headers: Record<string, string>): Promise<string> =>
      (await open.ask({ path: '/api/import/open', headers, body })).text;
    expect(await answered({ ...json, cookie: await open.signIn() })).toContain('import.path-from-page');
    // The terminal may: the host of the test, which imports nothing, is asked.
    expect(await answered(good)).toContain('"internal"');
  });

  it('keeps sessions across a restart of the service', async () => {
    const cookie = await open.signIn();
    await open.server.stop();
    expect(() => open.server.createLoginUrl()).toThrow(expect.objectContaining({ code: 'not-running' }));
    open.port = Number(new URL((await open.server.start()).address).port);
    const renamed = cookie.replace(/_\d+=/, `_${open.port}=`);
    expect((await open.ask({ headers: { ...json, cookie: renamed }, body: '{}' })).status).toBe(200);
  });
});

describe('the page of the console', () => {
  it('carries a policy with a nonce of its own', async () => {
    const pages = await Promise.all([1, 2].map(() => open.ask({ method: 'GET', path: '/' })));
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
    const { headers } = await open.ask({ headers: good, body: '{}' });
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers.server ?? headers['x-powered-by']).toBeUndefined();
  });
});

describe('the server of the console', () => {
  it('answers under every name of localhost', async () => {
    const local = createServer(open.host.context, { consoleAddress: 'localhost:0' });
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
      const late = createServer(open.host.context, { consoleAddress: `${name}:${taken}` });
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
      await expect(createServer(open.host.context, { consoleAddress }).start()).rejects.toMatchObject({
        code: 'bind-refused',
      });
    }
  });

  it('stops at once while views listen to events and connections idle', async () => {
    const client = createHttpClient({ url: `http://127.0.0.1:${open.port}`, bearer: CLI_TOKEN });
    const stream = await client.events.subscribe();
    await stream.next();
    const idle = connect(open.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const ended = expect(stream.next()).rejects.toThrow();
    // The clock is stopped: a stop that waited for its grace period would not end.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      await open.server.stop();
    } finally {
      vi.useRealTimers();
    }
    await ended;
    expect(open.host.hub.size).toBe(0);
    idle.destroy();
  });
});

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { type GatewayTables, gatewayMigrations } from '../tables.ts';
import { basic, type RunningGateway, send, sendRaw, startGateway } from '../test-support/gateway.ts';
import { result, Upstream } from '../test-support/upstream.ts';
import { ApiKeyStore } from './api-key-store.ts';

let folder: string;
let store: Store<GatewayTables>;
let keyStore: ApiKeyStore;
/** The clock of the keys. */
let now: number;
let upstream: Upstream;
let gateway: RunningGateway;
const call = (method: string): string => JSON.stringify({ method, id: 1 });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-callers-'));
  store = await openStore<GatewayTables>({ file: join(folder, 'app.db'), migrations: gatewayMigrations });
  now = Date.now();
  keyStore = await ApiKeyStore.open(store.db, { ...systemClock, now: () => now });
  upstream = await new Upstream(result('1')).start();
  gateway = await startGateway(upstream.url, { options: { keyStore } });
});

afterEach(async () => {
  await gateway.stop();
  await upstream.stop();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const as = (authorization: string, method = 'getblockcount') =>
  send(gateway.port, { body: call(method), headers: { authorization } });

describe('a named key', () => {
  it('is accepted as Basic and as Bearer, for its commands, until it is revoked', async () => {
    const { key, username, password } = await keyStore.create({
      name: 'indexer',
      methods: ['getblockcount', 'getblock'],
      rate: null,
      bodyBytes: null,
      expiresAt: null,
    });
    expect((await as(basic(`${username}:${password}`))).status).toBe(200);
    expect((await as(`Bearer ${username}.${password}`)).status).toBe(200);
    const forbidden = await as(basic(`${username}:${password}`), 'getmempoolinfo');
    expect(forbidden.status).toBe(403);
    expect(JSON.parse(forbidden.text)).toMatchObject({ result: null, error: { code: -1 }, id: 1 });
    const rest = await send(gateway.port, {
      method: 'GET',
      path: '/rest/mempool/info.json',
      headers: { authorization: basic(`${username}:${password}`) },
    });
    expect(rest.status).toBe(403);
    expect((await as(basic(`${username}:${password}x`))).status).toBe(401);
    expect((await as(basic(`${username}:`))).status).toBe(401);
    await keyStore.revoke(key);
    expect((await as(basic(`${username}:${password}`))).status).toBe(401);
    const methods = upstream.requests.map(({ method }) => method);
    expect(methods.every((method) => method === 'getblockcount')).toBe(true);
  });

  it('gets another secret: the one before is refused at once, also on an open connection', async () => {
    const wanted = { name: 'indexer', methods: null, rate: null, bodyBytes: null, expiresAt: null };
    const { key, username, password } = await keyStore.create(wanted);
    const open = keyStore.find(username, password);
    expect((await as(basic(`${username}:${password}`))).status).toBe(200);
    expect(keyStore.list()).toMatchObject([{ lastMethod: 'getblockcount' }]);
    const next = await keyStore.rotate(key);
    expect(next).toMatchObject({ username, key: { id: key.id, name: 'indexer' } });
    expect(open?.stillValid()).toBe(false);
    expect((await as(basic(`${username}:${password}`))).status).toBe(401);
    expect((await as(basic(`${username}:${next.password}`))).status).toBe(200);
    await keyStore.close();
    keyStore = await ApiKeyStore.open(store.db, { ...systemClock, now: () => now });
    expect(keyStore.list()).toMatchObject([{ lastMethod: 'getblockcount' }]);
    keyStore.find(username, next.password)?.count?.(200, 1, 'x'.repeat(100_000));
    expect(keyStore.list()[0]?.lastMethod).toHaveLength(64);
    expect(keyStore.find(username, next.password)?.stillValid()).toBe(true);
    expect(keyStore.find(username, password)).toBeUndefined();
    await keyStore.revoke(key);
    await expect(keyStore.rotate(key)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('works again if its revocation is taken back within a day, also after a restart', async () => {
    const { key, username, password } = await keyStore.create({
      name: 'indexer',
      methods: null,
      rate: null,
      bodyBytes: null,
      expiresAt: null,
    });
    await keyStore.revoke(key);
    expect((await as(`Bearer ${username}.${password}`)).status).toBe(401);
    expect(await keyStore.restore(key)).toMatchObject({ revokedAt: null });
    expect((await as(`Bearer ${username}.${password}`)).status).toBe(200);
    await expect(keyStore.restore(key)).rejects.toMatchObject({ id: 'gateway.withdrawn-too-long' });

    await keyStore.revoke(key);
    const reopened = await ApiKeyStore.open(store.db, { ...systemClock, now: () => now });
    expect(await reopened.restore(key)).toMatchObject({ revokedAt: null });
    await reopened.revoke(key);
    now += 86_400_001;
    await expect(reopened.restore(key)).rejects.toMatchObject({ id: 'gateway.withdrawn-too-long' });
    await expect(keyStore.restore({ id: 'none' })).rejects.toMatchObject({ code: 'not-found' });
  });

  it.each(['revoked', 'expired'])('is refused on an open connection once it is %s', async (end) => {
    const expiresAt = end === 'expired' ? now + 60_000 : null;
    const { key, username, password } = await keyStore.create({
      name: 'kept',
      methods: null,
      rate: null,
      bodyBytes: null,
      expiresAt,
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization: basic(`${username}:${password}`), 'content-type': 'application/json' };
    const heard: string[] = [];
    for (let n = 0; n < 4; n++) {
      if (n === 2 && end === 'revoked') await keyStore.revoke(key);
      if (n === 2) now += 60_000;
      const outgoing = request({ host: '127.0.0.1', port: gateway.port, method: 'POST', agent, headers });
      outgoing.end(call('getblockcount'));
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      heard.push(`${response.statusCode} ${outgoing.reusedSocket ? 'again' : 'new'}`);
      await once(response.resume(), 'end');
    }
    agent.destroy();
    expect(heard).toEqual(['200 new', '200 again', '401 again', '401 again']);
    expect(upstream.requests).toHaveLength(2);
  });

  it('is stored as a salted hash, and survives a restart', async () => {
    const { username, password } = await keyStore.create({
      name: 'a',
      methods: null,
      rate: null,
      bodyBytes: null,
      expiresAt: null,
    });
    const rows = await store.db.selectFrom('gateway_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(password);
    const again = await ApiKeyStore.open(store.db, systemClock);
    expect(again.find(username, password)?.name).toBe('a');
    expect(again.find(username, `${password} `)).toBeUndefined();
  });

  it('expires at its time', async () => {
    const expiresAt = now + 300;
    const { username, password } = await keyStore.create({
      name: 'short',
      methods: null,
      rate: null,
      bodyBytes: null,
      expiresAt,
    });
    expect((await as(basic(`${username}:${password}`))).status).toBe(200);
    now = expiresAt;
    expect((await as(basic(`${username}:${password}`))).status).toBe(401);
  });

  it('has a rate limit for single calls and batches', async () => {
    const { username, password } = await keyStore.create({
      name: 'slow',
      methods: null,
      rate: 3,
      bodyBytes: null,
      expiresAt: null,
    });
    const authorization = basic(`${username}:${password}`);
    const batch = JSON.stringify(Array.from({ length: 5 }, (_, id) => ({ method: 'getinfo', id })));
    const answer = await send(gateway.port, { body: batch, headers: { authorization } });
    const errors = (JSON.parse(answer.text) as { error: unknown }[]).map(({ error }) => error !== null);
    expect(errors).toEqual([false, false, false, true, true]);
    const late = await as(authorization);
    expect(late.status).toBe(429);
    expect(late.headers['retry-after']).toBe('1');
    const { value } = await gateway.service.traffic.watch(undefined).next();
    const refused = value?.calls.filter(({ caller, source }) => caller === 'slow' && source === 'refused') ?? [];
    expect(refused.map(({ method, status }) => ({ method, status }))).toEqual([
      { method: 'getinfo', status: 429 },
      { method: 'getinfo', status: 429 },
      { method: '', status: 429 },
    ]);
  });

  it('is not refused for longer, and its use is noted, where the clock was put back', async () => {
    const wanted = { name: 'slow', methods: null, rate: 2, bodyBytes: null, expiresAt: null };
    const { username, password } = await keyStore.create(wanted);
    const client = keyStore.find(username, password);
    expect([client?.take(), client?.take(), client?.take()]).toEqual([true, true, false]);
    now -= 3_600_000;
    expect(client?.take()).toBe(false);
    expect(keyStore.list()).toMatchObject([{ lastUsedAt: now }]);
    now += 500;
    expect([client?.take(), client?.take()]).toEqual([true, false]);
  });

  it('is refused what is beyond its calls of a day, and its use is counted, also after a restart', async () => {
    now = Date.UTC(2026, 10, 28, 23, 59, 50);
    const told: number[] = [];
    keyStore.onBudget = ({ calls }) => told.push(calls);
    const { key, username, password } = await keyStore.create({
      name: 'budget',
      methods: null,
      rate: null,
      bodyBytes: null,
      expiresAt: null,
      dailyCalls: 5,
    });
    const authorization = basic(`${username}:${password}`);
    const batch = JSON.stringify(Array.from({ length: 3 }, (_, id) => ({ method: 'getinfo', id })));
    await send(gateway.port, { body: batch, headers: { authorization } });
    expect((await as(authorization, 'nothing')).status).toBe(404);
    expect((await as(authorization)).status).toBe(200);
    const late = await as(authorization);
    expect([late.status, late.headers['retry-after']]).toEqual([429, '10']);
    expect(late.text).toContain('has made the 5 calls that it may make in a day');
    expect(told).toEqual([4, 5]);
    await keyStore.close();
    const again = await ApiKeyStore.open(store.db, { ...systemClock, now: () => now });
    const [kept] = again.list();
    expect(kept).toMatchObject({ id: key.id, dailyCalls: 5, today: { calls: 5, errors: 1 } });
    expect(kept?.today.bytes).toBeGreaterThan(100);
    now += 10_000;
    expect((await as(authorization)).status).toBe(200);
    expect(keyStore.list()[0]).toMatchObject({ today: { calls: 1, errors: 0 }, month: { calls: 6, errors: 1 } });
    now += 30 * 86_400_000;
    expect(keyStore.list()[0]).toMatchObject({ today: { calls: 0 }, month: { calls: 0 } });
  });

  it('makes no more calls in a day where they are in flight together', async () => {
    const wanted = { name: 'budget', methods: null, rate: null, bodyBytes: null, expiresAt: null, dailyCalls: 5 };
    const { username, password } = await keyStore.create(wanted);
    const calls = Array.from({ length: 9 }, (_, id) => ({ method: 'getblockhash', params: [0], id }));
    const headers = { authorization: basic(`${username}:${password}`) };
    const { text } = await send(gateway.port, { body: JSON.stringify(calls), headers });
    const errors = (JSON.parse(text) as { error: unknown }[]).map(({ error }) => error !== null);
    expect(errors).toEqual([false, false, false, false, false, true, true, true, true]);
    // what was refused for the limit counts nowhere, like a request that is refused whole
    expect(keyStore.list()[0]?.today).toMatchObject({ calls: 5, errors: 0 });
  });

  it('has its own limit for the body, 1 MiB if none is set, on every path', async () => {
    const usual = { methods: null, rate: null, expiresAt: null };
    const keyOf = async (name: string, bodyBytes: number | null): Promise<string> => {
      const { username, password } = await keyStore.create({ ...usual, name, bodyBytes });
      return basic(`${username}:${password}`);
    };
    const [small, plain, large] = [
      await keyOf('small', 2_000),
      await keyOf('plain', null),
      await keyOf('large', 3_000_000),
    ];
    const status = async (authorization: string, bytes: number): Promise<number> => {
      const call = '{"method":"getinfo","params":[],"id":1}';
      return (await send(gateway.port, { body: call.padEnd(bytes), headers: { authorization } })).status;
    };
    expect([await status(small, 2_000), await status(small, 2_001), await status(small, 300_000)]).toEqual([
      200, 413, 413,
    ]);
    expect([await status(plain, 1_048_576), await status(plain, 1_048_577)]).toEqual([200, 413]);
    expect([await status(large, 2_000_000), await status(large, 3_000_001)]).toEqual([200, 413]);
    expect(await status(basic('planchet:secret'), 4_000_000)).toBe(200);
    expect(
      keyStore
        .list()
        .map(({ bodyBytes }) => bodyBytes)
        .sort(),
    ).toEqual([2_000, 3_000_000, null]);
    const told = await send(gateway.port, { body: 'x'.repeat(2_001), headers: { authorization: small } });
    expect(told.text).toBe('A request may hold at most 2000 bytes');
  });

  it('for one method and one call a second is limited before a body is read or a value created', async () => {
    const wanted = { name: 'narrow', methods: ['getblockcount'], rate: 1, bodyBytes: 33_554_432, expiresAt: null };
    const { username, password } = await keyStore.create(wanted);
    const headers = { authorization: basic(`${username}:${password}`) };
    const body = Buffer.from(`{"method":"getblockhash","params":[${'0,'.repeat(10_000_000)}0]}`);
    const before = process.threadCpuUsage();
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push((await send(gateway.port, { body, headers })).status);
    const { user, system } = process.threadCpuUsage(before);
    // the first is refused for its values, the others for the rate of the key
    expect(answers).toEqual([400, 429, 429]);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  it('cannot be created for an unknown command, a name in use, or a time in the past', async () => {
    const wanted = { name: 'n', methods: null, rate: null, bodyBytes: null, expiresAt: null };
    await keyStore.create(wanted);
    await expect(keyStore.create(wanted)).rejects.toMatchObject({ code: 'conflict' });
    await expect(keyStore.create({ ...wanted, name: 'm', methods: ['stop'] })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    await expect(keyStore.create({ ...wanted, name: 'o', expiresAt: 1 })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect(keyStore.list()).toHaveLength(1);
  });
});

describe('the checks of the gateway', () => {
  it('run in a fixed order, whatever else is wrong with a request', async () => {
    const { username, password } = await keyStore.create({
      name: 'spent',
      methods: null,
      rate: 1,
      bodyBytes: null,
      expiresAt: null,
    });
    const spent = basic(`${username}:${password}`);
    expect((await as(spent, 'getinfo')).status).toBe(200);
    const right = ['POST', `localhost:${gateway.port}`, '', '', 'application/json', spent] as const;
    const wrong = ['GET', 'evil.example', 'https://evil.example', 'cross-site', 'multipart/form-data', ''] as const;
    const heard: string[] = [];
    // each time, one more check passes, from the first on; the announced body is always too large
    for (let passed = 0; passed <= right.length; passed++) {
      const [method, host, origin, site, type, credential] = [...right.slice(0, passed), ...wrong.slice(passed)];
      const lines = [
        `${method} / HTTP/1.1`,
        `Host: ${host}`,
        ...(origin === '' ? [] : [`Origin: ${origin}`]),
        ...(site === '' ? [] : [`Sec-Fetch-Site: ${site}`]),
        `Content-Type: ${type}`,
        ...(credential === '' ? [] : [`Authorization: ${credential}`]),
        'Content-Length: 999999999',
      ];
      const answer = await sendRaw(gateway.port, `${lines.join('\r\n')}\r\n\r\n`);
      heard.push(`${answer.slice(9, 12)} ${answer.split('\r\n\r\n')[1]?.slice(0, 15)}`);
    }
    expect(heard).toEqual([
      '405 JSONRPC server ',
      '403 The Host header',
      '403 Web pages may n',
      '403 Web pages may n',
      '415 Content-Type mu',
      '401 ',
      '429 spent calls mor',
    ]);
    const own = `Authorization: ${basic('planchet:secret')}\r\nContent-Length: 999999999\r\n\r\n`;
    expect(await sendRaw(gateway.port, `POST / HTTP/1.1\r\nHost: localhost\r\n${own}`)).toMatch(/^HTTP\/1\.1 413 /);
    const twice = `POST / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n${own}`;
    expect(await sendRaw(gateway.port, twice)).toMatch(/^HTTP\/1\.1 400 /);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('idle connections', () => {
  it('do not block other clients, 10,000 at a time', { tags: 'long' }, async () => {
    const sockets: Socket[] = [];
    for (let wave = 0; wave < 20; wave++) {
      await Promise.all(
        Array.from(
          { length: 500 },
          () =>
            new Promise<void>((resolve) => {
              const socket = connect(gateway.port, '127.0.0.1', resolve);
              socket.on('error', () => resolve());
              sockets.push(socket);
            }),
        ),
      );
      expect((await as(basic('planchet:secret'))).status).toBe(200);
    }
    const { connections } = await gateway.service.status();
    expect(connections).toBeLessThan(1_100);
    for (const socket of sockets) socket.destroy();
  });
});

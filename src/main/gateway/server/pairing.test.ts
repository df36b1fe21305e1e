import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PairingRequest } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { type GatewayTables, gatewayMigrations } from '../tables.ts';
import { type Answered, basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { result, Upstream } from '../test-support/upstream.ts';
import { ApiKeyStore } from './api-key-store.ts';
import { PairingRequests } from './pairing.ts';

const page = 'https://app.example';
const minutes = 60_000;
const getinfo = '{"method":"getinfo","id":1}';

let folder: string;
let store: Store<GatewayTables>;
let clock: HandClock;
let keyStore: ApiKeyStore;
let pairing: PairingRequests;
let told: PairingRequest[][];
let upstream: Upstream;
let gateway: RunningGateway;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-pairing-'));
  store = await openStore<GatewayTables>({ file: join(folder, 'app.db'), migrations: gatewayMigrations });
  clock = new HandClock();
  clock.time = 1_000_000;
  keyStore = await ApiKeyStore.open(store.db, clock);
  told = [];
  pairing = new PairingRequests({ keyStore, clock, onChange: (waiting) => void told.push(waiting) });
  upstream = await new Upstream(result('1')).start();
  gateway = await startGateway(upstream.url, { options: { keyStore, pairing } });
});

afterEach(async () => {
  await gateway.stop();
  await upstream.stop();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** The headers that a browser sends for `fetch(address, { method: 'POST', body })`. */
function asked(origin = page, body = '', headers: Record<string, string> = {}): Promise<Answered> {
  const browser = { origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'content-type': 'text/plain' };
  return send(gateway.port, { path: '/pair', body, headers: { authorization: '', ...browser, ...headers } });
}

async function waiting(count = 1): Promise<PairingRequest[]> {
  await expect.poll(() => pairing.waiting(), { timeout: 30_000, interval: 5 }).toHaveLength(count);
  return pairing.waiting();
}

function call(credential: string, origin: string = page): Promise<Answered> {
  return send(gateway.port, {
    body: getinfo,
    headers: { authorization: credential, origin, 'sec-fetch-site': 'cross-site' },
  });
}

const decision = { allow: true, methods: null, expiresAt: null };

describe('a web page that asks to be paired', () => {
  it('is accepted by the user, for its exact origin and with its own key', async () => {
    const answer = asked(page, '{"code":"A1-77"}');
    const [request] = await waiting();
    expect(request).toMatchObject({ origin: page, code: 'A1-77', askedAt: 1_000_000, expiresAt: 1_120_000 });
    expect(told).toEqual([[request]]);
    await pairing.decide({
      ...decision,
      id: request?.id ?? '',
      methods: ['getinfo'],
      expiresAt: 1_000_000 + 10 * minutes,
    });
    const { status, headers, text } = await answer;
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBe(page);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers['cache-control']).toBe('no-store');
    const { username, password, expiresAt } = JSON.parse(text) as Record<string, string>;
    expect(expiresAt).toBe(1_000_000 + 10 * minutes);
    expect(told.at(-1)).toEqual([]);
    const credential = basic(`${username}:${password}`);
    expect((await call(credential)).status).toBe(200);
    expect((await call(credential, 'https://app.example.evil')).status).toBe(403);
    const other = await send(gateway.port, {
      body: '{"method":"getblockcount"}',
      headers: { authorization: credential, origin: page },
    });
    expect(other.status).toBe(403);
  });

  it('loses access when its time is over, even after a restart', async () => {
    const answer = asked();
    const [request] = await waiting();
    await pairing.decide({ ...decision, id: request?.id ?? '', expiresAt: clock.time + minutes });
    const { username, password } = JSON.parse((await answer).text) as Record<string, string>;
    const credential = basic(`${username}:${password}`);
    expect((await call(credential)).status).toBe(200);
    await clock.pass(minutes);
    expect((await call(credential)).status).toBe(403);
    const later = await ApiKeyStore.open(store.db, clock);
    expect(later.isPaired(page)).toBe(false);
    expect(later.origins()).toMatchObject([{ origin: page, keyId: username }]);
  });

  it('loses access and its key at once when the user ends the pairing', async () => {
    const answer = asked();
    const [request] = await waiting();
    await pairing.decide({ ...decision, id: request?.id ?? '' });
    const { username, password } = JSON.parse((await answer).text) as Record<string, string>;
    const credential = basic(`${username}:${password}`);
    await keyStore.unpair(page);
    expect((await call(credential)).status).toBe(403);
    // a program cannot use the key either
    const program = await send(gateway.port, { body: '{"method":"getinfo"}', headers: { authorization: credential } });
    expect(program.status).toBe(401);
  });

  it('that is already paired gets a new key that replaces the old one', async () => {
    const keys: string[] = [];
    for (let round = 0; round < 2; round++) {
      const answer = asked();
      const [request] = await waiting();
      await pairing.decide({ ...decision, id: request?.id ?? '' });
      const { username, password } = JSON.parse((await answer).text) as Record<string, string>;
      keys.push(basic(`${username}:${password}`));
    }
    expect((await call(keys[0] as string)).status).toBe(401);
    expect((await call(keys[1] as string)).status).toBe(200);
    expect(keyStore.origins()).toHaveLength(1);
  });

  it('learns nothing from a refusal, and may not ask again for a while', async () => {
    const answer = asked();
    const [request] = await waiting();
    await pairing.decide({ ...decision, id: request?.id ?? '', allow: false });
    const { status, headers } = await answer;
    expect(status).toBe(403);
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(keyStore.isPaired(page)).toBe(false);
    const again = await asked();
    expect(again.status).toBe(429);
    expect(again.headers['retry-after']).toBe('60');
    await clock.pass(minutes);
    const third = asked();
    const [later] = await waiting();
    await pairing.decide({ ...decision, id: later?.id ?? '', allow: false });
    expect((await third).status).toBe(403);
    expect((await asked()).headers['retry-after']).toBe('120');
  });

  it('is refused if the user does not decide in time', async () => {
    const answer = asked();
    await waiting();
    await clock.pass(2 * minutes);
    expect((await answer).status).toBe(403);
    expect(pairing.waiting()).toEqual([]);
    expect((await asked()).status).toBe(429);
  });

  it('withdraws its request when it disconnects', async () => {
    const outgoing = request({
      host: '127.0.0.1',
      port: gateway.port,
      path: '/pair',
      method: 'POST',
      headers: { origin: page },
    });
    outgoing.on('error', () => {});
    outgoing.end();
    const [one] = await waiting();
    outgoing.destroy();
    await waiting(0);
    await expect(pairing.decide({ ...decision, id: one?.id ?? '' })).rejects.toMatchObject({ code: 'not-found' });
    expect(keyStore.origins()).toEqual([]);
  });

  it('is let in once where it is decided about twice at a time, and its key works', async () => {
    const answer = asked();
    const [request] = await waiting();
    const id = request?.id ?? '';
    const first = pairing.decide({ ...decision, id });
    await expect(pairing.decide({ ...decision, id })).rejects.toMatchObject({ code: 'not-found' });
    await first;
    const { username, password } = JSON.parse((await answer).text) as Record<string, string>;
    expect(keyStore.list()).toHaveLength(1);
    expect((await call(basic(`${username}:${password}`))).status).toBe(200);
  });

  it.each(['is withdrawn', 'times out'])('is not paired where its request %s while it is let in', async (end) => {
    const leave = new AbortController();
    const outcome = pairing.ask(page, null, leave.signal);
    const [request] = pairing.waiting();
    const decided = pairing.decide({ ...decision, id: request?.id ?? '' });
    if (end === 'times out') void clock.pass(2 * minutes);
    else leave.abort();
    await expect(decided).rejects.toMatchObject({ id: 'gateway.pairing-gone' });
    expect(await outcome).toMatchObject({ status: 403 });
    expect(keyStore.isPaired(page)).toBe(false);
    expect(keyStore.list()).toMatchObject([{ revokedAt: clock.time }]);
  });

  it.each(['leaves while', 'cannot be let in', 'ends before'])(
    'stays paired as it was where it %s it is let in again',
    async (why) => {
      const { paired, username, password } = await keyStore.admit(page, { methods: null, expiresAt: null });
      const leave = new AbortController();
      const outcome = pairing.ask(page, null, leave.signal);
      const [request] = pairing.waiting();
      const decided = pairing.decide({
        ...decision,
        id: request?.id ?? '',
        ...(why === 'cannot be let in' && { methods: ['stop'] }),
        ...(why === 'ends before' && { expiresAt: 1 }),
      });
      const refused = expect(decided).rejects.toMatchObject({
        code: why === 'leaves while' ? 'not-found' : 'invalid-input',
      });
      leave.abort();
      await refused;
      await outcome;
      expect(keyStore.origins()).toEqual([paired]);
      expect(keyStore.find(username, password)).toBeDefined();
    },
  );

  it('cannot insist: one request per page, three at once, and a pause for all pages after many refusals', async () => {
    const first = asked();
    await waiting();
    expect((await asked()).status).toBe(429);
    const more = [asked('https://b.example'), asked('https://c.example')];
    await waiting(3);
    expect((await asked('https://d.example')).status).toBe(429);
    for (const { id } of pairing.waiting()) await pairing.decide({ ...decision, id, allow: false });
    for (const answer of [first, ...more]) expect((await answer).status).toBe(403);
    for (const name of ['e', 'f']) {
      const answer = asked(`https://${name}.example`);
      const [request] = await waiting();
      await pairing.decide({ ...decision, id: request?.id ?? '', allow: false });
      await answer;
    }
    expect((await asked('https://g.example')).headers['retry-after']).toBe('600');
    // A clock that was put back ends the pause in place of making it as long as that.
    clock.time -= 86_400_000;
    const later = asked('https://g.example');
    const [request] = await waiting();
    await pairing.decide({ ...decision, id: request?.id ?? '', allow: false });
    expect((await later).status).toBe(403);
  });

  it('gets no access if the decision cannot be saved', async () => {
    const answer = asked();
    const [request] = await waiting();
    const id = request?.id ?? '';
    await expect(pairing.decide({ ...decision, id, methods: ['stop'] })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    await expect(pairing.decide({ ...decision, id, expiresAt: 1 })).rejects.toMatchObject({ code: 'invalid-input' });
    expect(pairing.waiting()).toHaveLength(1);
    expect(keyStore.isPaired(page)).toBe(false);
    await gateway.service.stop();
    expect((await answer).status).toBe(403);
  });

  it.each<[string, Record<string, string>, string, number]>([
    ['without an origin', { origin: '' }, '', 403],
    ['from a sandboxed frame', { origin: 'null' }, '', 403],
    ['from a file', { origin: 'file://' }, '', 403],
    ['with a path in its origin', { origin: `${page}/x` }, '', 403],
    ['under a name that was rebound', { host: 'app.example:1' }, '', 403],
    ['by leading the browser there', { 'sec-fetch-mode': 'navigate' }, '', 403],
    ['without wanting the answer', { 'sec-fetch-mode': 'no-cors' }, '', 403],
    ['with a type the browser would ask about', { 'content-type': 'application/json' }, '', 415],
    ['with something else in the body', {}, 'hello', 400],
    ['with a code that is markup', {}, '{"code":"<b>"}', 400],
    ['with a long body', {}, `{"code":"${'x'.repeat(2_000)}"}`, 413],
  ])('is refused %s', async (_what, headers, body, status) => {
    const answer = await asked(page, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(pairing.waiting()).toEqual([]);
    expect(told).toEqual([]);
  });

  it.each(['GET', 'PUT', 'OPTIONS'])('is refused with %s', async (method) => {
    const answer = await send(gateway.port, { method, path: '/pair', headers: { authorization: '', origin: page } });
    expect(answer.status).toBe(405);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('a paired web page', () => {
  const headers = (from: string) => ({ origin: from, 'sec-fetch-site': 'cross-site' });

  it('is allowed with its exact origin and a credential, until it is unpaired', async () => {
    expect((await send(gateway.port, { body: getinfo, headers: headers(page) })).status).toBe(403);
    await keyStore.pair(page);
    const preflight = await send(gateway.port, {
      method: 'OPTIONS',
      headers: { ...headers(page), authorization: '', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe(page);
    const answer = await send(gateway.port, { body: getinfo, headers: headers(page) });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(page);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    const unauthenticated = { ...headers(page), authorization: '' };
    expect((await send(gateway.port, { body: getinfo, headers: unauthenticated })).status).toBe(401);
    for (const other of ['https://app.example.evil', 'http://app.example', 'https://app.example:444', 'null']) {
      expect((await send(gateway.port, { body: getinfo, headers: headers(other) })).status).toBe(403);
    }
    const rebound = { ...headers(page), host: `app.example:${gateway.port}` };
    expect((await send(gateway.port, { body: getinfo, headers: rebound })).status).toBe(403);
    const preflightElsewhere = await send(gateway.port, {
      method: 'OPTIONS',
      headers: { ...rebound, authorization: '', 'access-control-request-method': 'POST' },
    });
    expect(preflightElsewhere.status).toBe(405);
    expect(preflightElsewhere.headers['access-control-allow-origin']).toBeUndefined();
    await keyStore.unpair(page);
    expect((await send(gateway.port, { body: getinfo, headers: headers(page) })).status).toBe(403);
  });

  it('comes back with its key if its end is taken back within a day', async () => {
    const { paired, username, password } = await keyStore.admit(page, { methods: null, expiresAt: null });
    await keyStore.unpair(page);
    expect(await keyStore.restorePairing(page)).toEqual(paired);
    const authorization = basic(`${username}:${password}`);
    const asked = await send(gateway.port, { body: getinfo, headers: { ...headers(page), authorization } });
    expect(asked.status).toBe(200);
    await expect(keyStore.restorePairing(page)).rejects.toMatchObject({ code: 'not-found' });
    await keyStore.unpair(page);
    clock.time += 86_400_001;
    await expect(keyStore.restorePairing(page)).rejects.toMatchObject({ id: 'gateway.withdrawn-too-long' });
  });

  it('can be brought back again where the name of its key was in use meanwhile', async () => {
    const { paired } = await keyStore.admit(page, { methods: null, expiresAt: null });
    const name = keyStore.list().find(({ id }) => id === paired.keyId)?.name ?? '';
    await keyStore.unpair(page);
    const { key: rival } = await keyStore.create({ name, methods: null, rate: null, bodyBytes: null, expiresAt: null });
    await expect(keyStore.restorePairing(page)).rejects.toMatchObject({ code: 'conflict' });
    await keyStore.revoke(rival);
    expect(await keyStore.restorePairing(page)).toEqual(paired);
    await keyStore.unpair(page);
  });

  it.each(['update on gateway_keys', 'delete on gateway_origins'])(
    'is refused at once where its end cannot be saved, and for good once that was tried again: %s',
    async (write) => {
      const { username, password } = await keyStore.admit(page, { methods: null, expiresAt: null });
      await sql`create trigger full before ${sql.raw(write)} begin select raise(abort, 'full'); end`.execute(store.db);
      await expect(keyStore.unpair(page)).rejects.toThrow('full');
      expect(keyStore.find(username, password)).toBeUndefined();
      expect(keyStore.origins()).toHaveLength(1);
      await sql`drop trigger full`.execute(store.db);
      await keyStore.unpair(page);
      const later = await ApiKeyStore.open(store.db, clock);
      expect(later.find(username, password)).toBeUndefined();
      expect(later.origins()).toEqual([]);
    },
  );

  it('can be let in, and brought back, again where that could not be saved', async () => {
    const full = sql`create trigger full before insert on gateway_origins begin select raise(abort, 'full'); end`;
    await full.execute(store.db);
    await expect(keyStore.admit(page, { methods: null, expiresAt: null })).rejects.toThrow('full');
    expect(keyStore.list()).toMatchObject([{ revokedAt: clock.time }]);
    await sql`drop trigger full`.execute(store.db);
    const { paired, username, password } = await keyStore.admit(page, { methods: null, expiresAt: null });
    await keyStore.unpair(page);
    await full.execute(store.db);
    await expect(keyStore.restorePairing(page)).rejects.toThrow('full');
    await sql`drop trigger full`.execute(store.db);
    expect(await keyStore.restorePairing(page)).toEqual(paired);
    expect(keyStore.find(username, password)).toBeDefined();
  });

  it.each(['*', 'null', 'app.example', 'https://app.example/', 'https://a.b/path', 'file://', 'ftp://a.b'])(
    'cannot be paired as %s',
    async (text) => {
      await expect(keyStore.pair(text)).rejects.toMatchObject({ code: 'invalid-input' });
    },
  );
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectionTest, type Failure, type GatewaySource, maskPasswords, phrase } from '../../contract/index.ts';
import { systemClock } from '../clock.ts';
import type { Store } from '../ports/store.ts';
import { openStore } from '../store/store.ts';
import { GatewayView } from './gateway-view.ts';
import { ApiKeyStore } from './server/api-key-store.ts';
import { PairingRequests } from './server/pairing.ts';
import { type GatewayTables, gatewayMigrations } from './tables.ts';
import { basic, type RunningGateway, send, startGateway } from './test-support/gateway.ts';
import { type SandboxUpstream, startSandboxUpstream } from './test-support/sandbox-upstream.ts';
import { clientParts, endpointsOf, quiet, settingsOf } from './test-support/upstream.ts';
import { NodeClient } from './upstream/client.ts';
import { ZmqRelayService } from './zmq/relay.ts';

let folder: string;
let store: Store<GatewayTables>;
let upstream: SandboxUpstream;
let gateway: RunningGateway;
let zmq: ZmqRelayService;
let node: NodeClient;
let gatewayConsole: GatewayView;
let key: string | undefined;
let down: Failure | null = null;
let upstreams: string;
let areDefault = true;
let source: GatewaySource = 'node';
const passwords: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-console-'));
  store = await openStore<GatewayTables>({ file: join(folder, 'app.db'), migrations: gatewayMigrations });
  upstream = await startSandboxUpstream();
  const keyStore = await ApiKeyStore.open(store.db, systemClock);
  const pairing = new PairingRequests({ keyStore, clock: systemClock, onChange: () => {} });
  gateway = await startGateway(upstream.url, { options: { keyStore, pairing } });
  upstreams = upstream.url;
  const endpoints = () => endpointsOf({ bitcoinRpcUrl: upstreams, bitcoinZmqUrl: upstream.zmq })();
  const settings = settingsOf({ apiKeyHeader: 'X-Key' });
  node = new NodeClient({ ...clientParts, endpoints, settings, clock: systemClock });
  const service = { settings, endpoints, node, clock: systemClock, credentialsAreDefault: () => true, logger: quiet };
  zmq = new ZmqRelayService(service);
  const { address = null } = await zmq.start();
  gatewayConsole = new GatewayView({
    gateway: gateway.service,
    keyStore,
    pairing,
    settings,
    endpoints,
    network: 'sandbox',
    apiKey: () => key,
    credentialsAreDefault: () => areDefault,
    cookieFile: join(gateway.dataDir, '.cookie'),
    addressOf: (name) => (name === 'zmq' ? address : down === null ? gateway.address : null),
    failure: () => down,
    source: () => source,
    setPassword: async (password) => void passwords.push(password),
  });
});

afterAll(async () => {
  await zmq.stop();
  await node.close();
  await gateway.stop();
  await upstream.stop();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (authorization: string, origin?: string) =>
  send(gateway.port, {
    body: '{"method":"getblockcount","id":1}',
    headers: { authorization, ...(origin === undefined ? {} : { origin }) },
  });

describe('the gateway’s views', () => {
  it('test the upstream and the gateway itself over their sockets', async () => {
    const [first, second] = await gatewayConsole.test({});
    expect(first).toMatchObject({ subject: 'upstream', passed: true });
    expect(second).toMatchObject({ subject: 'gateway', passed: true });
    expect(JSON.stringify([first, second])).not.toContain('me:up');
  });

  it('test what is left to a node that public services help', async () => {
    source = 'both';
    const tests = await gatewayConsole.test({});
    const [typed] = await gatewayConsole.test({ bitcoinRpcUrl: upstream.url });
    source = 'node';
    for (const { passed, steps } of [...tests, typed as ConnectionTest])
      expect([passed, steps.at(-1)?.sentence]).toEqual([true, phrase('test.serves-helped')]);
    const [alone] = await gatewayConsole.test({});
    expect(alone?.steps.at(-1)?.sentence).toEqual(phrase('test.serves'));
  });

  it('test missing parts: no upstream in the settings, and a gateway whose port is in use', async () => {
    down = { code: 'port-in-use', message: 'Another program already listens on 127.0.0.1:8332.', hint: 'Stop it.' };
    upstreams = '';
    const [first, second] = await gatewayConsole.test({});
    expect(first).toMatchObject({ subject: 'upstream', passed: false });
    expect(first?.steps[0]?.failure).toMatchObject({
      message: 'No upstream node is set.',
      hint: expect.stringContaining('bitcoinRpcUrl') as string,
    });
    expect(second).toMatchObject({ subject: 'gateway', address: ':0', passed: false });
    expect(second?.steps[0]).toMatchObject({ step: 'tcp', outcome: 'failed', message: down.message, failure: down });
    expect(second?.steps.slice(1).map(({ outcome }) => outcome)).toEqual(Array(5).fill('skipped'));
    down = null;
    upstreams = upstream.url;
  });

  it('test unsaved addresses, and refuse an invalid one without showing it', async () => {
    const bitcoinRpcUrl = `${upstream.url},http://me:wrong@127.0.0.1:${upstream.port}`;
    const tests = await gatewayConsole.test({ bitcoinRpcUrl });
    expect(tests.map(({ passed }) => passed)).toEqual([true, false]);
    for (const address of ['http://me:hunter2@[x', 'http://me:hunter2%zz@127.0.0.1']) {
      const refused = Promise.resolve().then(() => gatewayConsole.test({ bitcoinRpcUrl: address }));
      const error: unknown = await refused.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'invalid-input' });
      expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
    }
  });

  it('test an address with a hidden password using the saved one, and send that one to no other address', async () => {
    const tests = await gatewayConsole.test({ bitcoinRpcUrl: maskPasswords(upstream.url) });
    expect(tests.map(({ passed }) => passed)).toEqual([true]);
    const other = maskPasswords(upstream.url).replace(String(upstream.port), '1');
    await expect(Promise.resolve().then(() => gatewayConsole.test({ bitcoinRpcUrl: other }))).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('send the API key in the header of the setting if the address has no user', async () => {
    key = 'k-1';
    const tests = await gatewayConsole.test({ bitcoinRpcUrl: `http://127.0.0.1:${upstream.port}` });
    // this node requires a user, so the key alone is refused
    expect(tests[0]?.steps[2]).toMatchObject({ step: 'credential', outcome: 'failed' });
    key = undefined;
  });

  it('give access to a program by a key and to a page by its origin, and revoke both', async () => {
    const wanted = { name: 'explorer', methods: ['getblockcount'], rate: null, bodyBytes: null, expiresAt: null };
    const { key: made, username, password } = await gatewayConsole.keys.create(wanted);
    const credential = basic(`${username}:${password}`);
    const page = 'https://app.example';
    expect((await call(credential)).status).toBe(200);
    expect((await call(credential, page)).status).toBe(403);
    await gatewayConsole.origins.pair({ origin: page });
    expect((await call(credential, page)).status).toBe(200);
    const origins = await gatewayConsole.origins.list();
    expect(origins.find(({ origin }) => origin === page)).toMatchObject({ expiresAt: null, keyId: null });
    await gatewayConsole.origins.unpair({ origin: page });
    expect((await call(credential, page)).status).toBe(403);
    await gatewayConsole.keys.revoke(made);
    expect((await call(credential)).status).toBe(401);
    const keys = await gatewayConsole.keys.list();
    expect(keys.find(({ id }) => id === made.id)).toMatchObject({
      name: 'explorer',
      revokedAt: expect.any(Number) as number,
    });
  });

  it('show a waiting page, and accept it', async () => {
    const asked = send(gateway.port, {
      path: '/pair',
      headers: { authorization: '', 'content-type': '', origin: 'https://waits.example' },
    });
    let [request] = await gatewayConsole.origins.requests();
    while (request === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      [request] = await gatewayConsole.origins.requests();
    }
    expect(request.origin).toBe('https://waits.example');
    await gatewayConsole.origins.decide({ id: request.id, allow: true, methods: null, expiresAt: null });
    const { username, password } = JSON.parse((await asked).text) as Record<string, string>;
    expect((await call(basic(`${username}:${password}`), 'https://waits.example')).status).toBe(200);
  });

  it('show addresses, the password only on request, and a new one when it is rotated', async () => {
    const connection = gatewayConsole.connection();
    expect(connection).toMatchObject({ rpc: gateway.address, username: 'planchet', passwordSet: true });
    expect(JSON.stringify(connection)).not.toContain('secret');
    expect(gatewayConsole.revealPassword()).toEqual({ password: 'secret' });
    const { password } = await gatewayConsole.rotatePassword();
    expect(password).toMatch(/^generated-[\w-]{32}$/);
    expect(passwords).toEqual([password]);
    // in place of one that somebody chose it does not count as this installation's own, which keeps other machines out
    areDefault = false;
    expect((await gatewayConsole.rotatePassword()).password).toMatch(/^(?!generated-)[\w-]{32}$/);
    areDefault = true;
  });

  it('show live calls, figures, and relayed ZMQ messages', async () => {
    const ended = new AbortController();
    const calls = async () =>
      (await gatewayConsole.status()).methods.find(({ method }) => method === 'getblockcount')?.calls ?? 0;
    const before = await calls();
    const traffic = gatewayConsole.traffic(ended.signal);
    await traffic.next();
    await call(basic('planchet:secret'));
    const { value } = await traffic.next();
    expect(value?.calls.at(-1)).toMatchObject({ caller: 'planchet', method: 'getblockcount', status: 200 });
    ended.abort();
    expect(await traffic.next()).toMatchObject({ done: true });
    expect(await calls()).toBe(before + 1);
    expect((await gatewayConsole.status()).upstreams).toMatchObject([{ circuit: 'closed' }]);
    expect(zmq.counts()).toMatchObject({ source: 'upstream' });
  });
});

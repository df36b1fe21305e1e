import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { type GatewayTables, gatewayMigrations } from '../tables.ts';
import { basic, send, startGateway } from '../test-support/gateway.ts';
import { result, Upstream } from '../test-support/upstream.ts';
import { ApiKeyStore } from './api-key-store.ts';

let store: Store<GatewayTables>;
let keyStore: ApiKeyStore;
const now = Date.now();
const wanted = { name: 'indexer', methods: null, rate: null, bodyBytes: null, expiresAt: null };

beforeEach(async () => {
  store = await openStore<GatewayTables>({ file: ':memory:', migrations: gatewayMigrations });
  keyStore = await ApiKeyStore.open(store.db, { ...systemClock, now: () => now });
});
afterEach(() => store.close());

it('a named key is refused at once where its revocation cannot be saved, and after a restart once that was tried again', async () => {
  const { key, username, password } = await keyStore.create(wanted);
  await sql`create trigger full before update on gateway_keys begin select raise(abort, 'full'); end`.execute(store.db);
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(keyStore.revoke(key)).rejects.toThrow('full');
    expect(keyStore.find(username, password)).toBeUndefined();
  }
  await sql`drop trigger full`.execute(store.db);
  expect(await keyStore.revoke(key)).toMatchObject({ revokedAt: now });
  const reopened = await ApiKeyStore.open(store.db, systemClock);
  expect(reopened.find(username, password)).toBeUndefined();
});

it('a named key stays revoked, in memory and on disk, where it is revoked while its restoration is under way', async () => {
  const { key, username, password } = await keyStore.create(wanted);
  await keyStore.revoke(key);
  await Promise.all([keyStore.restore(key), keyStore.revoke(key)]);
  expect(keyStore.find(username, password)).toBeUndefined();
  expect((await ApiKeyStore.open(store.db, systemClock)).find(username, password)).toBeUndefined();
});

it('a named key has its name alone, also where another is made or brought back under it at the same moment', async () => {
  const taken = { status: 'rejected', reason: { code: 'conflict' } };
  const made = await Promise.allSettled([keyStore.create(wanted), keyStore.create(wanted)]);
  expect(made).toMatchObject([{ status: 'fulfilled' }, taken]);
  const [first] = keyStore.list();
  await keyStore.revoke({ id: first?.id ?? '' });
  const both = [keyStore.restore({ id: first?.id ?? '' }), keyStore.create(wanted)];
  expect(await Promise.allSettled(both)).toMatchObject([{ status: 'fulfilled' }, taken]);
});

it('a named key is not there where it could not be saved, and stays revoked where its return could not', async () => {
  const refuse = (write: string) =>
    sql`create trigger full before ${sql.raw(write)} on gateway_keys begin select raise(abort, 'full'); end`.execute(
      store.db,
    );
  await refuse('insert');
  await expect(keyStore.create(wanted)).rejects.toThrow('full');
  expect(keyStore.list()).toEqual([]);
  await sql`drop trigger full`.execute(store.db);
  const { key, username, password } = await keyStore.create(wanted);
  await keyStore.revoke(key);
  await refuse('update');
  await expect(keyStore.restore(key)).rejects.toThrow('full');
  expect(keyStore.find(username, password)).toBeUndefined();
});

it('a named key that is revoked while the body of its call arrives calls nothing', async () => {
  const upstream = await new Upstream(result('1')).start();
  const gateway = await startGateway(upstream.url, { options: { keyStore } });
  onTestFinished(async () => {
    await gateway.stop();
    await upstream.stop();
  });
  const { key, username, password } = await keyStore.create(wanted);
  const headers = { authorization: basic(`${username}:${password}`), expect: '100-continue' };
  const answered = Promise.withResolvers<IncomingMessage>();
  const late = request({ host: '127.0.0.1', port: gateway.port, method: 'POST', headers }, answered.resolve);
  late.flushHeaders();
  await once(late, 'continue');
  await keyStore.revoke(key);
  late.end('{"method":"getblockcount","id":1}');
  const answer = await answered.promise;
  answer.resume();
  expect(answer.statusCode).toBe(401);
});

it('a named key that is revoked while its batch is answered calls nothing more', async () => {
  const arrived = Promise.withResolvers<void>();
  const revoked = Promise.withResolvers<void>();
  const upstream = await new Upstream((asked, response, raw) => {
    arrived.resolve();
    void revoked.promise.then(() => result('1')(asked, response, raw));
  }).start();
  const gateway = await startGateway(upstream.url, { options: { keyStore } });
  onTestFinished(async () => {
    await gateway.stop();
    await upstream.stop();
  });
  const { key, username, password } = await keyStore.create(wanted);
  // sixteen begin at once, the last one when the first is answered
  const body = `[${Array.from({ length: 17 }, (_, id) => `{"method":"getmempoolinfo","id":${id}}`).join(',')}]`;
  const answering = send(gateway.port, { body, headers: { authorization: basic(`${username}:${password}`) } });
  await arrived.promise;
  await keyStore.revoke(key);
  revoked.resolve();
  const answers = JSON.parse((await answering).text) as object[];
  expect(answers[0]).toMatchObject({ result: 1, error: null });
  expect(answers[16]).toMatchObject({ result: null, error: { message: 'The key "indexer" is no longer valid.' } });
  expect(upstream.requests).toHaveLength(1);
});

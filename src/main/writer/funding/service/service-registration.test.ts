import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlanchetError } from '../../../../contract/index.ts';
import { FundedWriters } from '../../test-support/funded-writers.ts';
import type { TestFundingService } from '../../test-support/funding-service.ts';
import type { TestHarness } from '../../test-support/harness.ts';
import {
  API_KEY,
  PATIENCE_MS,
  scriptOf,
  type WriterClient,
  WriterProcesses,
  written,
} from '../../test-support/writer-client.ts';

/** The seed's key on a machine that has another wallet. */
const otherPoolKey = Uint8Array.from(Buffer.from('7'.padStart(64, '0'), 'hex'));
const BODY = '{"precious":true}';

let funded: FundedWriters;
let writers: WriterProcesses;
let harness: TestHarness;
let service: TestFundingService;
beforeEach(async () => {
  funded = await FundedWriters.open();
  ({ writers, harness, service } = funded);
});
afterEach(() => funded.close());

const start = (settings?: object): Promise<WriterClient> => funded.start(settings);

describe('registration with the service', () => {
  it('that is revoked ends a batch under way', async () => {
    const client = await start();
    const [key] = await client.service.view.keys.list();
    const request = httpRequest({
      host: '127.0.0.1',
      port: client.port,
      method: 'POST',
      path: '/api/v1/write/batch',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/x-ndjson' },
      agent: false,
    });
    const answering = once(request, 'response') as Promise<[IncomingMessage]>;
    request.write('1\n');
    const [response] = await answering;
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ line: 1, status: 202 });
    await client.service.view.keys.revoke({ keyId: String(key?.keyId) });
    request.end('2\n');
    expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ line: 2, status: 401, code: 1 });
    expect((await lines.next()).done).toBe(true);
    expect((await client.service.view.status()).documents).toBe(1);
  });

  it('signs the API key with the new key, refuses a second time, and an unknown key', async () => {
    const client = await start();
    await expect(client.service.view.keys.register({ apiKey: API_KEY })).rejects.toMatchObject({ code: 'conflict' });
    await expect(client.service.view.keys.register({ apiKey: 'nobody-knows-this' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    expect(await client.service.view.keys.list()).toHaveLength(1);
    service.apiKeys.add('second-key');
    const second = await client.service.view.keys.register({ apiKey: 'second-key' });
    expect((await client.write('1', { authorization: 'Bearer second-key' })).status).toBe(201);
    await client.service.view.keys.revoke(second);
    await expect
      .poll(async () => (await client.write('2', { authorization: 'Bearer second-key' })).status, {
        timeout: PATIENCE_MS,
      })
      .toBe(401);
    expect((await client.write('3')).status).toBe(201);
  });

  it('on a machine with another wallet is refused with what to do, and leaves no signing key behind', async () => {
    const client = await start();
    await client.service.stop();
    const elsewhere = await WriterProcesses.open();
    try {
      const settings = { writerFunding: 'service', fundingUrl: service.url } as const;
      const other = await elsewhere.start(harness, { settings, options: { poolKey: () => otherPoolKey } });
      await expect(other.service.view.keys.register({ apiKey: API_KEY })).rejects.toMatchObject({
        code: 'conflict',
        hint: expect.stringContaining('restore that wallet here'),
      });
      expect([...elsewhere.secrets.keys()].filter((name) => name.startsWith('signer:'))).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('on a machine with the same wallet succeeds, since it makes the same signing key', async () => {
    const client = await start();
    const [first] = await client.service.view.keys.list();
    await client.service.stop();
    const elsewhere = await WriterProcesses.open();
    try {
      const other = await elsewhere.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
      expect((await other.service.view.keys.register({ apiKey: API_KEY })).publicKey).toBe(first?.publicKey);
      expect((await other.write(BODY)).status).toBe(201);
    } finally {
      await elsewhere.close();
    }
  });

  it('of a machine without a wallet makes a signing key of its own', async () => {
    const poolKey = (): never => {
      throw new PlanchetError({ code: 'wallet-missing', message: 'There is no wallet.' });
    };
    const settings = { writerFunding: 'service', fundingUrl: service.url } as const;
    const client = await writers.start(harness, { settings, options: { poolKey } });
    await client.service.view.keys.register({ apiKey: API_KEY });
    expect((await client.write(BODY)).status).toBe(201);
    await client.service.stop();
    const again = await writers.start(harness, { settings });
    expect((await again.write('2')).status).toBe(201);
  });

  it('whose signing key is gone: documents wait and say so instead of dying, and are written once the wallet is back', async () => {
    const client = await start();
    service.fail = (path) => (path === '/txTemplates' ? { status: 503, when: 'before' } : undefined);
    const { id } = (await client.send('POST', '/api/v1/write?wait=accepted', BODY)).json;
    await client.service.stop();
    service.fail = () => undefined;
    for (const name of writers.secrets.keys()) if (name.startsWith('signer:')) writers.secrets.delete(name);
    const settings = { writerFunding: 'service', fundingUrl: service.url } as const;
    const lost = await writers.start(harness, { settings, options: { poolKey: () => otherPoolKey } });
    await expect
      .poll(async () => (await lost.service.view.status()).degraded, { timeout: PATIENCE_MS })
      .toMatchObject({ code: 'api-key-missing', hint: expect.stringContaining('restore its wallet') });
    expect(await lost.service.view.documents.get({ id: String(id) })).toMatchObject({ state: 'accepted' });
    await lost.service.stop();
    const back = await writers.start(harness, { settings });
    await back.untilState(String(id), 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf(BODY)]);
    await expect.poll(async () => (await back.service.view.status()).degraded, { timeout: PATIENCE_MS }).toBeNull();
  });

  it('that broke off is taken up with the same signing key', async () => {
    const client = await writers.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
    service.fail = () => ({ status: 500, when: 'after' });
    await expect(client.service.view.keys.register({ apiKey: API_KEY })).rejects.toMatchObject({
      code: 'upstream-error',
    });
    // A service may call that a second registration: the signing key it has is not thrown away for it.
    service.fail = () => ({ status: 409, when: 'before' });
    await expect(client.service.view.keys.register({ apiKey: API_KEY })).rejects.toMatchObject({ code: 'conflict' });
    service.fail = () => undefined;
    await client.service.view.keys.register({ apiKey: API_KEY });
    expect((await client.write(BODY)).status).toBe(201);
  });

  it('that is revoked writes no more by hand either: the next key that can be paid for does', async () => {
    const client = await start();
    service.apiKeys.add('second-key');
    const [first] = await client.service.view.keys.list();
    const second = await client.service.view.keys.register({ apiKey: 'second-key' });
    const byHand = (keyId?: string) => {
      const of = keyId === undefined ? {} : { keyId };
      const document = { body: BODY, contentType: 'application/json', mode: 'raw', wait: 'accepted' } as const;
      return client.service.view.write({ ...document, ...of, waitMs: 0 });
    };
    expect((await byHand()).keyId).toBe(first?.keyId);
    await client.service.view.keys.revoke({ keyId: String(first?.keyId) });
    expect((await byHand()).keyId).toBe(second.keyId);
    await expect(byHand(first?.keyId)).rejects.toMatchObject({ code: 'api-key-missing' });
    await client.service.view.keys.revoke(second);
    await expect(byHand()).rejects.toMatchObject({ code: 'api-key-missing' });
  });

  it('that is missing for a key: nothing is written with it, and nothing is left behind', async () => {
    const client = await writers.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
    const document = { body: BODY, contentType: 'application/json', mode: 'raw', wait: 'accepted', waitMs: 0 } as const;
    await expect(client.service.view.write(document)).rejects.toMatchObject({
      code: 'api-key-missing',
      message: expect.stringContaining('no signing key'),
    });
    expect((await client.service.view.status()).documents).toBe(0);
  });

  it('that is revoked: what was signed is still handed in, and the signing key goes when nothing waits for it', async () => {
    const client = await start({ writerWait: '1s' });
    const signers = () => [...writers.secrets.keys()].filter((name) => name.startsWith('signer:'));
    service.fail = (path) => (path === '/submitTransactions' ? { status: 503, when: 'before' } : undefined);
    const { id } = (await client.send('POST', '/api/v1/write?wait=accepted', BODY)).json;
    await client.untilState(String(id), 'signed');
    const [key] = await client.service.view.keys.list();
    await client.service.view.keys.revoke({ keyId: String(key?.keyId) });
    expect(signers()).toHaveLength(1);
    service.fail = () => undefined;
    const state = async () => (await client.service.view.documents.get({ id: String(id) })).state;
    await expect.poll(state, { timeout: PATIENCE_MS }).toBe('seen');
    expect(written(harness)).toEqual([scriptOf(BODY)]);
    harness.mine();
    await expect.poll(state, { timeout: PATIENCE_MS }).toBe('proven');
    await client.service.stop();
    await writers.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
    expect(signers()).toEqual([]);
  });
});

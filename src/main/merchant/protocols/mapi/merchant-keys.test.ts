import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import Fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { p2pkhScript, satoshis, serializeTx, signEnvelope, txidOf } from '../../../../chain/index.ts';
import { type Settings, settingsSchema } from '../../../../contract/index.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Store } from '../../../ports/store.ts';
import { openStore } from '../../../store/store.ts';
import type { ServiceMerchant } from '../../service-merchant.ts';
import { minersOf, serviceMerchant } from '../../test-support/miners.ts';
import { MapiEndpoint } from './mapi-endpoint.ts';
import { MerchantKeys } from './merchant-keys.ts';
import { type MerchantTables, merchantMigrations } from './tables.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');
const honest = new PrivateKey(11);
const otherKey = new PrivateKey(12);
const keyOf = (key: PrivateKey): string => key.toPublicKey().toString();
const rawTx = serializeTx({
  version: 1,
  inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(107), sequence: 0xffffffff }],
  outputs: [{ satoshis: satoshis(1), script: p2pkhScript(new Uint8Array(20)) }],
  lockTime: 0,
});
const txid = txidOf(rawTx);

/** Who signs the next answers, and the price in them. */
let signer: PrivateKey | undefined;
let price: number;
let now: number;
let settings: Settings;
let folder: string;
let store: Store<MerchantTables>;
let keys: MerchantKeys;
let client: ServiceMerchant;
let mapiUrl: string;
let server: FastifyInstance;

const clock: Clock = { now: () => now, after: () => () => undefined };
const view = { current: () => settings };
const logger = pino({ level: 'silent' });

function payload(url: string): object {
  const minerId = signer === undefined ? undefined : keyOf(signer);
  if (url.endsWith('/tx')) return { txid, returnResult: 'success', resultDescription: '', minerId };
  if (url.endsWith('/txs')) return { txs: [{ txid, returnResult: 'success', resultDescription: '' }], minerId };
  if (url.includes('/tx/')) return { txid, returnResult: 'success', confirmations: 0, minerId };
  return {
    timestamp: new Date(now).toISOString(),
    expiryTime: new Date(now + 1_000).toISOString(),
    minerId,
    fees: ['standard', 'data'].map((feeType) => ({ feeType, miningFee: { satoshis: price, bytes: 1_000 } })),
  };
}

/** As at the start of the program. */
async function open(): Promise<void> {
  store = await openStore<MerchantTables>({ file: join(folder, 'merchant.db'), migrations: merchantMigrations });
  keys = await MerchantKeys.open({ network: 'sandbox', store, pinned: () => settings.mapiPublicKey, clock, logger });
  const miner = new MapiEndpoint({
    miner: { id: 'test', name: 'Test', kind: 'mapi' },
    url: () => mapiUrl,
    apiKey: () => undefined,
    clock,
    keys,
  });
  client = serviceMerchant(minersOf(miner), view);
}

beforeEach(async () => {
  signer = honest;
  price = 500;
  now = NOW;
  settings = settingsSchema.parse({});
  folder = mkdtempSync(join(tmpdir(), 'planchet-merchant-'));
  server = Fastify({ forceCloseConnections: true });
  server.all('/*', async ({ url }) => signEnvelope(JSON.stringify(payload(url)), signer));
  await server.listen({ host: '127.0.0.1', port: 0 });
  mapiUrl = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/mapi`;
  await open();
});
afterEach(async () => {
  await server.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const calls: [name: string, call: () => Promise<unknown>][] = [
  ['a quote', () => client.feeQuote()],
  ['a submission', () => client.submit(rawTx)],
  ['a batch', () => client.submitAll([rawTx])],
  ['a status', () => client.status(txid)],
];

describe('the key of a merchant API', () => {
  it.each(calls)('is remembered, and %s with another key or none is refused, also after a restart', async (_, call) => {
    await client.status(txid);
    now += 60_000;
    for (const other of [otherKey, undefined]) {
      signer = other;
      await expect(call()).rejects.toMatchObject({
        code: 'merchant-key-changed',
        hint: expect.stringContaining(`planchet merchant accept ${other ? keyOf(other) : 'unsigned'}`),
        detail: {
          endpoint: mapiUrl,
          knownKey: keyOf(honest),
          knownSince: new Date(NOW).toISOString(),
          offeredKey: other ? keyOf(other) : 'unsigned',
        },
      });
      expect(keys.keys()).toMatchObject([
        { publicKey: keyOf(honest), refused: { publicKey: other ? keyOf(other) : null } },
      ]);
      await store.close();
      await open();
      await expect(call()).rejects.toMatchObject({ code: 'merchant-key-changed' });
    }
    signer = honest;
    await call();
  });

  it('is replaced where a person accepts the other one by name; the change is journalled', async () => {
    await client.feeQuote();
    signer = otherKey;
    now += 60_000;
    await expect(client.feeQuote()).rejects.toMatchObject({ code: 'merchant-key-changed' });
    now += 60_000;
    const accepted = await keys.acceptKey({ endpoint: mapiUrl, publicKey: keyOf(otherKey) });
    const change = { from: keyOf(honest), to: keyOf(otherKey), at: now, reason: 'accepted' };
    expect(accepted).toEqual({
      endpoint: mapiUrl,
      publicKey: keyOf(otherKey),
      since: now,
      pinned: false,
      refused: null,
      changes: [change],
    });
    expect((await client.feeQuote()).source).toMatchObject({ publicKey: keyOf(otherKey), since: now });
    await store.close();
    await open();
    expect(keys.keys()).toEqual([accepted]);
    signer = honest;
    await expect(client.feeQuote()).rejects.toMatchObject({ code: 'merchant-key-changed' });
  });

  it('can be given up for answers without a signature', async () => {
    await client.feeQuote();
    await keys.acceptKey({ endpoint: `${mapiUrl}/`, publicKey: null });
    signer = undefined;
    expect((await client.feeQuote()).source).toMatchObject({ publicKey: null });
    // An endpoint that begins to sign is held to that key from then on.
    signer = otherKey;
    now += 2_000;
    expect((await client.feeQuote()).source).toMatchObject({ publicKey: keyOf(otherKey), since: now });
    signer = undefined;
    await expect(client.status(txid)).rejects.toMatchObject({ code: 'merchant-key-changed' });
    expect(keys.keys()[0]?.changes.map(({ reason }) => reason)).toEqual(['accepted', 'signed']);
  });

  it('belongs to one address: another mapiUrl has a record of its own', async () => {
    await client.feeQuote();
    mapiUrl = `${mapiUrl}/other`;
    signer = otherKey;
    expect((await client.feeQuote()).source).toMatchObject({ publicKey: keyOf(otherKey) });
    expect(keys.keys().map(({ publicKey }) => publicKey)).toEqual([keyOf(honest), keyOf(otherKey)]);
  });

  it('is one key, although two first answers come at the same time', async () => {
    signer = undefined;
    await client.feeQuote();
    const answers = await Promise.allSettled([
      keys.check(mapiUrl, keyOf(honest)),
      keys.check(mapiUrl, keyOf(otherKey)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('can be pinned: the setting counts, whatever is known', async () => {
    await client.feeQuote();
    settings = { ...settings, mapiPublicKey: keyOf(otherKey).toUpperCase() };
    // also the quote that was taken before does not count any more
    await expect(client.feeQuote()).rejects.toMatchObject({
      code: 'merchant-key-changed',
      message: expect.stringContaining('mapiPublicKey'),
      detail: { knownKey: keyOf(otherKey), offeredKey: keyOf(honest), pinned: true },
    });
    await expect(keys.acceptKey({ endpoint: mapiUrl, publicKey: keyOf(honest) })).rejects.toMatchObject({
      code: 'conflict',
    });
    signer = otherKey;
    expect((await client.feeQuote()).source).toMatchObject({ publicKey: keyOf(otherKey), pinned: true });
    settings = { ...settings, mapiPublicKey: '' };
    expect((await client.status(txid)).known).toBe(true);
    expect(keys.keys()[0]?.changes).toMatchObject([{ from: keyOf(honest), to: keyOf(otherKey), reason: 'pinned' }]);
  });

  it('is not remembered from what is no merchant API, nor accepted for an address that was never asked', async () => {
    price = -1;
    await expect(client.feeQuote()).rejects.toMatchObject({ code: 'upstream-error' });
    expect(keys.keys()).toEqual([]);
    for (const endpoint of [mapiUrl, 'no address'])
      await expect(keys.acceptKey({ endpoint, publicKey: null })).rejects.toMatchObject({ code: 'not-found' });
  });
});

it('a quote above maxFeeRate is refused, whoever signed it and also when the setting is lowered later', async () => {
  price = 1_000;
  expect(await client.feeQuote()).toMatchObject({ standard: { satoshis: 1_000 } });
  settings = { ...settings, maxFeeRate: 999 };
  await expect(client.feeQuote()).rejects.toMatchObject({
    code: 'fee-too-high',
    hint: expect.stringContaining('maxFeeRate'),
    detail: { satoshis: 1_000, bytes: 1_000, maxFeeRate: 999 },
  });
});

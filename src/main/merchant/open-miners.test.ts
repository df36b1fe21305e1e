import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { p2pkhScript, satoshis, serializeTx, txidOf } from '../../chain/index.ts';
import { settingsSchema } from '../../contract/index.ts';
import { openStore, type SqliteStore } from '../store/store.ts';
import { StillClock } from '../test-support/still-clock.ts';
import { type EndpointTables, endpointMigrations } from './endpoints/tables.ts';
import { type MinerSystems, openMiners } from './open-miners.ts';
import { type MerchantTables, merchantMigrations } from './protocols/mapi/tables.ts';
import type { ServiceMerchant } from './service-merchant.ts';
import { serviceMerchant } from './test-support/miners.ts';

/** Nobody listens on the port of discard. */
const CLOSED = 'http://127.0.0.1:9';
const rawTx = serializeTx({
  version: 1,
  inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(107), sequence: 0xffffffff }],
  outputs: [{ satoshis: satoshis(1), script: p2pkhScript(new Uint8Array(20)) }],
  lockTime: 0,
});
const txid = txidOf(rawTx);

let stores: { merchant: SqliteStore<MerchantTables>; endpoints: SqliteStore<EndpointTables> };
let arc: FastifyInstance;
/** What ARC says of a transaction. */
let txStatus: string;
let opened: MinerSystems;
let merchant: ServiceMerchant;
let mapiUrl: string;

beforeEach(async () => {
  txStatus = 'SEEN_ON_NETWORK';
  mapiUrl = '';
  arc = Fastify({ forceCloseConnections: true });
  const timestamp = '2026-11-21T08:00:00Z';
  arc.get('/v1/policy', () => ({ timestamp, policy: { miningFee: { satoshis: 7, bytes: 1_000 } } }));
  arc.get('/v1/tx/:txid', (_, reply) =>
    txStatus === '' ? reply.code(404).send({ status: 404, title: 'Not found' }) : { txid, txStatus, timestamp },
  );
  arc.addContentTypeParser('application/octet-stream', (_, body, done) => {
    body.resume();
    body.on('end', () => done(null));
  });
  arc.post('/v1/tx', () => ({ txid, txStatus, timestamp }));
  await arc.listen({ host: '127.0.0.1', port: 0 });
  stores = {
    merchant: await openStore<MerchantTables>({ file: ':memory:', migrations: merchantMigrations }),
    endpoints: await openStore<EndpointTables>({ file: ':memory:', migrations: endpointMigrations }),
  };
  const settings = { current: () => settingsSchema.parse({}), onChange: () => () => undefined };
  opened = await openMiners({
    network: 'main',
    store: stores.merchant,
    endpointStore: stores.endpoints,
    settings,
    secrets: { locked: false, get: () => undefined, set: async () => undefined, delete: async () => undefined },
    redact: () => undefined,
    endpoints: () => ({ baseUrl: '', consoleBaseUrl: '', bitcoinRpcUrl: '', bitcoinZmqUrl: '', mapiUrl }),
    known: { rawTxs: async () => new Map() } as never,
    clock: new StillClock(0),
    logger: pino({ level: 'silent' }),
  });
  merchant = serviceMerchant(opened.miners, settings);
});
afterEach(async () => {
  await opened.minerHistory.close();
  await arc.close();
  await stores.merchant.close();
  await stores.endpoints.close();
});

const arcUrl = (): string => `http://127.0.0.1:${(arc.server.address() as AddressInfo).port}/v1`;

async function addArc(name = 'Arc', url = arcUrl()): Promise<string> {
  const added = { name, kind: 'arc', url, enabled: true, keyStyle: 'bearer', apiKey: '', pinnedKey: null } as const;
  return (await opened.miners.add(added)).id;
}

describe('the merchant with ARC alone', () => {
  it('quotes, submits and asks for the status there, and never at a merchant API without an address', async () => {
    await addArc();
    expect(opened.miners.usable().map(({ name }) => name)).toEqual(['Arc']);
    expect(await merchant.feeQuote()).toMatchObject({ standard: { satoshis: 7, bytes: 1_000 } });
    expect(await merchant.submit(rawTx)).toEqual({ txid });
    expect(await merchant.status(txid)).toMatchObject({ known: true });
    const [builtIn] = await opened.miners.list();
    expect(builtIn).toMatchObject({ id: 'default', url: '', failure: null, requests: { succeeded: 0, failed: 0 } });
  });

  it('says that no miner can be used while none has an address or all are switched off', async () => {
    const noMiner = { id: 'merchant.no-miner', code: 'upstream-unreachable' };
    await expect(merchant.feeQuote()).rejects.toMatchObject(noMiner);
    await expect(merchant.status(txid)).rejects.toMatchObject(noMiner);
    await expect(merchant.submit(rawTx)).rejects.toMatchObject(noMiner);
    const id = await addArc();
    await opened.miners.update({ id, enabled: false });
    await expect(merchant.feeQuote()).rejects.toMatchObject(noMiner);
  });
});

describe('the merchant with several miners', () => {
  it('takes the first quote that a miner gives, and reports the failure of the first miner where none gives one', async () => {
    mapiUrl = CLOSED;
    await expect(merchant.feeQuote()).rejects.toMatchObject({ id: 'merchant.unreachable' });
    const id = await addArc();
    expect(await merchant.feeQuote()).toMatchObject({ standard: { satoshis: 7 } });
    await opened.miners.update({ id, enabled: false });
    await expect(merchant.feeQuote()).rejects.toMatchObject({ id: 'merchant.unreachable' });
  });

  it('knows a transaction that one of them knows, and does not call it unknown while another fails', async () => {
    mapiUrl = CLOSED;
    const id = await addArc();
    expect(await merchant.status(txid)).toMatchObject({ known: true });
    txStatus = '';
    await expect(merchant.status(txid)).rejects.toMatchObject({ id: 'merchant.unreachable' });
    await opened.miners.update({ id: 'default', enabled: false });
    expect(await merchant.status(txid)).toMatchObject({ known: false });
    // The order in which they fail does not matter.
    await addArc('Gone', `${CLOSED}/gone`);
    await expect(merchant.status(txid)).rejects.toMatchObject({ id: 'merchant.unreachable' });
    await opened.miners.update({ id, enabled: false });
    await expect(merchant.status(txid)).rejects.toMatchObject({ id: 'merchant.unreachable' });
  });
});

describe('the presets of a network', () => {
  it('are named with operator, protocol and key, and say which is set up', async () => {
    const marks = async () =>
      (await opened.miners.presets()).map(({ id, kind, needsKey, isAdded }) => [id, kind, needsKey, isAdded]);
    expect(await marks()).toEqual([
      ['arcade', 'arcade', false, false],
      ['gorillapool', 'arc', false, false],
      ['taal', 'arc', true, false],
    ]);
    await addArc('Mine', 'https://arc.gorillapool.io/v1/');
    expect((await marks()).map(([id, , , isAdded]) => [id, isAdded])).toEqual([
      ['arcade', false],
      ['gorillapool', true],
      ['taal', false],
    ]);
  });
});

import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bumpOfPath, readTscJson, signEnvelope, toHex, txidOf } from '../../../chain/index.ts';
import { settingsSchema } from '../../../contract/index.ts';
import { createProofVerifier } from '../../chain-data/headers/proof-verifier.ts';
import { HeaderList, proofIn } from '../../chain-data/test-support/header-list.ts';
import { systemClock } from '../../clock.ts';
import type { MinerEndpoint } from '../../ports/merchant/miners.ts';
import { openStore, type SqliteStore } from '../../store/store.ts';
import { ArcEndpoint } from '../protocols/arc/arc-endpoint.ts';
import { MapiEndpoint } from '../protocols/mapi/mapi-endpoint.ts';
import { ServiceMerchant } from '../service-merchant.ts';
import { Submitter } from '../submission/submitter.ts';
import { minersOf } from '../test-support/miners.ts';
import { takeProofs } from './reported-proofs.ts';
import { type TrackingTables, trackingMigrations } from './storage/tables.ts';
import { TransactionStore } from './storage/transaction-store.ts';
import { Tracker } from './tracker.ts';

const logger = pino({ level: 'silent' });
const clock = systemClock;
const rawTx = Uint8Array.from([1, 0, 0, 0, 0, 0, 7, 0, 0, 0]);
const txid = txidOf(rawTx);
const TIME = '2026-11-22T08:00:00Z';

let server: FastifyInstance;
let reply: (url: string) => unknown;
let asked: string[];
let store: SqliteStore<TrackingTables>;
let transactions: TransactionStore;
let headers: HeaderList;
let tracker: Tracker;

beforeEach(async () => {
  asked = [];
  server = Fastify({ forceCloseConnections: true });
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.all('/*', async ({ url }) => {
    asked.push(url);
    return reply(url);
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  store = await openStore<TrackingTables>({ file: ':memory:', migrations: trackingMigrations });
  transactions = new TransactionStore({ store, clock, tipHeight: () => null });
  tracker = new Tracker({ transactions, clock, logger });
  headers = new HeaderList();
});
afterEach(async () => {
  await server.close();
  await store.close();
});

const common = () => ({
  url: () => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
  apiKey: () => undefined,
  clock,
});

function submitterTo(miner: MinerEndpoint): Submitter {
  const proofs = createProofVerifier(headers);
  return new Submitter({
    miners: minersOf(miner),
    tracker,
    clock,
    logger,
    takeProofs: (from, verdicts) => takeProofs({ tracker, proofs }, from, verdicts),
  });
}

const arc = () => new ArcEndpoint({ ...common(), miner: { id: 'arc', name: 'ARC', kind: 'arc' } });

function minedStatus(index: number): Record<string, unknown> {
  const others = ['11'.repeat(32), txid, '22'.repeat(32)];
  const block = headers.mine(others);
  const { path } = readTscJson(proofIn(block, others, others.indexOf(txid)));
  const merklePath = toHex(bumpOfPath(block.height, { ...path, index }));
  return { timestamp: TIME, txid, txStatus: 'MINED', blockHash: block.hash, blockHeight: block.height, merklePath };
}

it('a transaction that ARC says is mined, with its proof, is proven without another request', async () => {
  const status = minedStatus(1);
  reply = () => status;
  await submitterTo(arc()).submit([{ rawTx, origin: 'manual' }]);
  expect(await tracker.get(txid)).toMatchObject({ state: 'proven', block: { hash: status.blockHash, height: 0 } });
  expect((await transactions.get({ txid })).proof?.bump).toBe(status.merklePath);
  expect(asked).toEqual(['/v1/tx']);
});

it('a wrong proof in an answer changes nothing and stands in the history', async () => {
  const status = minedStatus(0);
  reply = () => status;
  await submitterTo(arc()).submit([{ rawTx, origin: 'manual' }]);
  const { state, block, proof, events } = await transactions.get({ txid });
  expect({ state, block, proof }).toEqual({ state: 'submitted', block: null, proof: null });
  expect(events.at(-1)).toMatchObject({ kind: 'answer', text: expect.stringContaining('was not accepted') });
});

it.each([
  ['1.5.0', 'proven'],
  ['1.4.0', 'queued'],
])('a merchant API of version %s leaves a transaction %s after a status', async (apiVersion, state) => {
  const others = [txid, '11'.repeat(32)];
  const block = headers.mine(others);
  const fee = { satoshis: 1, bytes: 1_000 };
  const quote = {
    apiVersion,
    timestamp: TIME,
    expiryTime: '2026-11-22T09:00:00Z',
    minerId: null,
    currentHighestBlockHash: block.hash,
    currentHighestBlockHeight: 0,
    fees: ['standard', 'data'].map((feeType) => ({ feeType, miningFee: fee, relayFee: fee })),
  };
  const mined = { apiVersion, timestamp: TIME, txid, returnResult: 'success', blockHash: block.hash, blockHeight: 0 };
  reply = (url) =>
    signEnvelope(
      JSON.stringify(
        url.startsWith('/tx')
          ? { ...mined, ...(url.includes('merkleProof=true') && { merkleProof: proofIn(block, others, 0) }) }
          : quote,
      ),
    );
  const keys = {
    isTrusted: () => true,
    check: async (endpoint: string) => ({ endpoint, publicKey: null, since: 0, pinned: false }),
  };
  const miner = new MapiEndpoint({ ...common(), keys, miner: { id: 'mapi', name: 'mAPI', kind: 'mapi' } });
  await tracker.track([{ rawTx, origin: 'mint' }]);
  const settings = { current: () => settingsSchema.parse({}) };
  const submitter = submitterTo(miner);
  const merchant = new ServiceMerchant({ miners: minersOf(miner), submitter, settings, origin: 'mint' });
  await merchant.feeQuote();
  expect(await merchant.status(txid)).toMatchObject({ known: true, blockHeight: 0 });
  expect(await tracker.get(txid)).toMatchObject({ state });
});

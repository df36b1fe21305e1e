import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { PrivateKey } from '@bsv/sdk';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MintJob } from '../../contract/index.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  openTestHost,
  type TestHost,
  until,
  walletPaid,
} from '../test-support/hosts/open-host.ts';

/** Above the longest script that Arcade takes. */
const TOO_LONG = 600_000;

let host: TestHost;
let tight: FastifyInstance;
/** Bytes of a transaction that it takes. */
let allowed: number;
beforeEach(async () => {
  host = await openTestHost({
    dataDir: await filledDataDir(),
    overrides: { writerFunding: 'wallet', maxFeeSatoshis: 10_000_000 },
  });
  const { client } = host;
  await walletPaid(client);
  const { address } = await client.wallet.status();
  await client.sandbox.fund({ address: address as string, satoshis: 5_000_000 });
  await client.sandbox.mine({ blocks: 1 });
  await until(async () => (await client.wallet.status()).balance.confirmed >= 5_000_000);
  for (const { id } of await client.miners.list()) await client.miners.update({ id, enabled: false });
  allowed = 150;
  tight = Fastify({ forceCloseConnections: true });
  tight.get('/v1/policy', async () => ({
    timestamp: '2026-11-28T00:00:00Z',
    policy: { miningFee: { satoshis: 500, bytes: 1_000 }, maxtxsizepolicy: allowed },
  }));
  await tight.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await closeTestHost(host);
  await tight.close();
});

const sandboxUrl = () => host.host.info().endpoints.sandbox as string;
/** An account of an imported key with a coin. @returns its id */
async function otherAccount(): Promise<string> {
  const { client } = host;
  const { id, address } = await client.wallet.accounts.importKey({
    name: 'Paper',
    wif: new PrivateKey(5_555_555).toWif([0xef]),
  });
  await client.sandbox.fund({ address: address as string, satoshis: 40_000 });
  await client.sandbox.mine({ blocks: 1 });
  const account = async () => (await client.wallet.accounts.list()).find((one) => one.id === id);
  await until(async () => (await account())?.total === 40_000);
  return id;
}

const useArcade = () => host.client.miners.add({ name: 'Arcade', kind: 'arcade', url: `${sandboxUrl()}/arcade` });

describe('what no miner in use takes', () => {
  it('is refused as a mint before it is signed, and minted where another one takes it', async () => {
    const { client } = host;
    await useArcade();
    const { uid: projectUid } = await client.projects.create({ name: 'Large', type: 'single' });
    await addItem(client, projectUid, { name: 'large.txt', bytes: Buffer.alloc(TOO_LONG, 'moon ') });
    const destination = (await client.wallet.status()).address as string;
    const planned = await client.runs.plan({ projectUid, destination });
    expect(planned.problems).toMatchObject([{ id: 'run.token-over-policy' }]);
    const itemIds = (await client.items.list({ projectUid })).map(({ id }) => id);
    const minted = async (done: (job: MintJob) => boolean): Promise<MintJob> => {
      const { id } = await client.mint.create({ itemIds, destination, idempotencyKey: randomUUID() });
      return until(async () => {
        const job = await client.mint.get({ id });
        return done(job) && job;
      });
    };
    const refused = await minted(({ failure }) => failure !== null);
    expect(refused).toMatchObject({ state: 'built', failure: { code: 'review-failed' } });
    expect(refused.failure?.message).toContain('Arcade takes scripts of at most 500000 bytes');
    expect((await client.tx.list({})).transactions).toEqual([]);
    await client.mint.cancel({ id: refused.id });
    const second = (await client.miners.list()).find(({ kind, builtIn }) => kind === 'arc' && builtIn);
    await client.miners.update({ id: second?.id as string, enabled: true });
    const waiting = await minted(({ awaitingApproval }) => awaitingApproval);
    const check = waiting.review?.checks.find(({ id }) => id === 'miner-limits');
    expect(check).toMatchObject({ passed: true, text: expect.stringContaining('Sandbox ARC: takes its') });
    // the miner that takes it leaves between the review and the signature
    await client.miners.update({ id: second?.id as string, enabled: false });
    await client.mint.approve({ id: waiting.id, digest: waiting.review?.digest as string }).catch(() => undefined);
    const stopped = await until(async () => {
      const job = await client.mint.get({ id: waiting.id });
      return job.failure !== null && job;
    });
    expect(stopped).toMatchObject({ state: 'reviewed', failure: { code: 'review-failed' } });
    expect(stopped.failure?.message).toContain('Arcade takes scripts of at most 500000 bytes');
    expect((await client.tx.list({})).transactions).toEqual([]);
    await client.miners.update({ id: second?.id as string, enabled: true });
    await client.mint.retry({ id: waiting.id });
    const again = await until(async () => {
      const job = await client.mint.get({ id: waiting.id });
      return job.awaitingApproval && job;
    });
    await client.mint.approve({ id: waiting.id, digest: again.review?.digest as string });
    await until(async () => (await client.mint.get({ id: waiting.id })).state === 'seen');
  });

  it('is refused as a document of the writer before anything is signed', async () => {
    const { client } = host;
    await useArcade();
    const body = JSON.stringify('a'.repeat(TOO_LONG));
    await expect(client.writer.write({ body })).rejects.toMatchObject({
      data: { id: 'writer.document-malformed', message: expect.stringContaining('Arcade takes the longest') },
    });
    const hashed = await client.writer.write({ body, mode: 'hash', wait: 'accepted' });
    expect(hashed.id).toBeDefined();
  });

  it('is refused as a payment before it is signed', async () => {
    const { client } = host;
    const url = `http://127.0.0.1:${(tight.server.address() as AddressInfo).port}`;
    await client.miners.add({ name: 'Tight', kind: 'arc', url });
    const { address } = await client.wallet.addresses.next({ label: '' });
    const request = { to: [{ address, satoshis: 50_000 }], label: '' };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    const check = review.checks.find((one) => one.id === 'miner-limits');
    expect(check).toMatchObject({
      passed: false,
      text: expect.stringContaining('Tight takes transactions of at most 150'),
    });
    expect(review.ok).toBe(false);
    await expect(client.wallet.send.approve({ id, digest: review.digest })).rejects.toBeDefined();
    expect((await client.wallet.send.get({ id })).txid).toBeNull();
  });

  it.each([
    ['a payment', 'send'],
    ['a payment of coins together', 'consolidate'],
    ['a sweep', 'sweep'],
  ] as const)('is refused as %s whose rate is below what every miner asks', async (_, kind) => {
    const { client } = host;
    const url = `http://127.0.0.1:${(tight.server.address() as AddressInfo).port}`;
    allowed = 100_000;
    await client.miners.add({ name: 'Dear', kind: 'arc', url });
    const { address } = await client.wallet.addresses.next({ label: '' });
    const rate = { feeRate: 7, idempotencyKey: randomUUID() };
    const request = { to: [{ address, satoshis: 50_000 }], feeRate: 7 };
    const { id, review } =
      kind === 'send'
        ? await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() })
        : kind === 'consolidate'
          ? await client.wallet.consolidate(rate)
          : (await client.wallet.sweep({ account: await otherAccount(), ...rate })).send;
    const check = review.checks.find((one) => one.id === 'miner-rate');
    expect(check).toMatchObject({
      passed: false,
      text: expect.stringMatching(/ 7 for 1,000 bytes[.] Dear asks least/),
    });
    expect(check?.text).toContain('500 for 1,000 bytes');
    expect(review.ok).toBe(false);
    await expect(client.wallet.send.approve({ id, digest: review.digest })).rejects.toBeDefined();
    expect((await client.tx.list({})).transactions).toEqual([]);
  });

  it('is not signed where the limits changed since the review, as a payment and as a token contract', async () => {
    const { client } = host;
    const wide = await client.miners.add({ name: 'Wide', kind: 'arc', url: `${sandboxUrl()}/open-arc/v1` });
    const { address } = await client.wallet.addresses.next({ label: '' });
    const request = { to: [{ address, satoshis: 50_000 }], label: '' };
    const payment = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    const contract = await client.redeemableTokens.prepare({
      request: {
        action: 'contract',
        schema: { symbol: 'CAFE', satsPerToken: 10, totalSupply: 100 },
      },
      idempotencyKey: randomUUID(),
    });
    expect([payment.review.ok, contract.review?.ok]).toEqual([true, true]);
    await client.miners.update({ id: wide.id, enabled: false });
    const url = `http://127.0.0.1:${(tight.server.address() as AddressInfo).port}`;
    const tightMiner = await client.miners.add({ name: 'Tight', kind: 'arc', url });
    const data = {
      code: 'review-failed',
      message: expect.stringContaining('Tight takes transactions of at most 150 bytes'),
    };
    const approval = { id: payment.id, digest: payment.review.digest };
    await expect(client.wallet.send.approve(approval)).rejects.toMatchObject({ data });
    const token = { id: contract.id, digest: contract.review?.digest as string };
    await expect(client.redeemableTokens.approve(token)).rejects.toMatchObject({ data });
    expect((await client.tx.list({})).transactions).toEqual([]);
    await client.miners.update({ id: tightMiner.id, enabled: false });
    await client.miners.update({ id: wide.id, enabled: true });
    const { txid } = await client.wallet.send.approve(approval);
    expect(txid).not.toBeNull();
  });
});

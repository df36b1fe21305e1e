import { randomUUID } from 'node:crypto';
import { PrivateKey } from '@bsv/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signEnvelope, type TxObj } from '../../chain/index.ts';
import type { MintJob, TokenRequest } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { AlteringProxy } from '../test-support/altering-proxy.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  openTestHost,
  type TestHost,
  until,
  walletFilled,
} from '../test-support/hosts/open-host.ts';

const TIMES = 182;
const otherKey = PrivateKey.fromRandom();
const otherKeyHex = otherKey.toPublicKey().toString();
const contract: TokenRequest = {
  action: 'contract',
  schema: { symbol: 'CAFE', satsPerToken: 10, totalSupply: 100 },
};

let opened: TestHost;
let sandbox: { mapi: string; minerId: string };
let merchant: AlteringProxy;
let service: AlteringProxy;
let projectUid: string;

const set = (key: string, value: string | number) => opened.client.settings.set({ key, value });

beforeAll(async () => {
  opened = await openTestHost({ dataDir: await filledDataDir(), scope: 'core' });
  await walletFilled(opened.client);
  const { endpoints } = await opened.client.app.info();
  service = await AlteringProxy.open(endpoints.baseUrl as string);
  await set('baseUrl', service.url);
  projectUid = (await opened.client.projects.create({ name: 'Fees', type: 'single' })).uid;
  await estimate();
  const [known] = await opened.client.merchant.keys();
  sandbox = { mapi: endpoints.mapi as string, minerId: known?.publicKey as string };
});
afterAll(async () => {
  await closeTestHost(opened);
  await service.close();
});

beforeEach(async () => {
  // on a port of its own, which is an endpoint nobody knows yet
  merchant = await AlteringProxy.open(sandbox.mapi);
  service.alter = (answer) => answer;
  service.calls.length = 0;
  await set('mapiUrl', merchant.url);
});
afterEach(async () => {
  for (const job of (await opened.client.mint.list({})).jobs) {
    if (job.txid === null && job.state !== 'cancelled') await opened.client.mint.cancel({ id: job.id });
  }
  await set('maxFeeRate', 1_000);
  await set('mapiPublicKey', '');
  await merchant.close();
});

async function estimate() {
  const item = await addItem(opened.client, projectUid, { name: 'moon.txt', bytes: Buffer.from(randomUUID()) });
  const { address } = await opened.client.wallet.status();
  return opened.client.mint.estimate({ itemIds: [item], destination: address as string });
}

async function mint(): Promise<MintJob> {
  const item = await addItem(opened.client, projectUid, { name: 'moon.txt', bytes: Buffer.from(randomUUID()) });
  const { address } = await opened.client.wallet.status();
  const { id } = await opened.client.mint.create({
    itemIds: [item],
    destination: address as string,
    idempotencyKey: randomUUID(),
  });
  return settled(id);
}

/** The job once it waits for approval or has stopped. */
function settled(id: string): Promise<MintJob> {
  return until(async () => {
    const job = await opened.client.mint.get({ id });
    return (job.awaitingApproval || job.failure !== null) && !job.active ? job : undefined;
  });
}

/** The client forgets the quote it has when it asks somebody else. */
async function forgetQuote(): Promise<void> {
  await set('mapiUrl', sandbox.mapi);
  await estimate();
  await set('mapiUrl', merchant.url);
}

/** A quote so many times the honest one: without a signature, or signed with a key made for it. */
const dearQuote =
  (key: PrivateKey | undefined): AlteringProxy['alter'] =>
  (answer, { path }) => {
    const payload = JSON.parse(String(answer.payload)) as { fees: { miningFee: { satoshis: number } }[] };
    if (path === '/policyQuote') for (const { miningFee } of payload.fees) miningFee.satoshis *= TIMES;
    const minerId = key === undefined ? undefined : otherKeyHex;
    return { ...signEnvelope(JSON.stringify({ ...payload, minerId }), key) };
  };

/** A token service that takes the same number of times the fee out of the change. */
const dearTransaction: AlteringProxy['alter'] = (answer, { path }) => {
  if (!path.endsWith('/create-transaction')) return answer;
  const data = answer.data as { txObj: TxObj };
  const { inputs, outputs } = data.txObj;
  const sum = (list: readonly { satoshis?: number }[]) => list.reduce((all, { satoshis = 0 }) => all + satoshis, 0);
  const spent = inputs.map(({ output }) => ({ satoshis: Number((output as { satoshis: number }).satoshis) }));
  const fee = sum(spent) - sum(outputs);
  const dear = outputs.map((output, index) =>
    index === outputs.length - 1 ? { ...output, satoshis: output.satoshis - (TIMES - 1) * fee } : output,
  );
  return { ...answer, data: { ...data, txObj: { ...data.txObj, outputs: dear, hash: undefined } } };
};

async function nothingWasSigned(): Promise<void> {
  expect(merchant.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  expect(service.calls.filter(({ path }) => path.endsWith('/submit'))).toEqual([]);
  expect((await opened.client.mint.list({})).jobs.filter(({ txid }) => txid !== null)).toEqual([]);
  expect((await opened.client.redeemableTokens.overview()).jobs.filter(({ txid }) => txid !== null)).toEqual([]);
}

/** What a call was refused with. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => failureOf(error),
  );
const refusedMint = () => refusal(mint());
const refusedContract = () =>
  refusal(opened.client.redeemableTokens.prepare({ request: contract, idempotencyKey: randomUUID() }));

describe('a wallet that also has a coin which pays a mint and leaves less than the token service returns', () => {
  it('pays with another coin, so that the rest does not become the fee', async () => {
    const { address, balance } = await opened.client.wallet.status();
    await opened.client.sandbox.fund({ address: address as string, satoshis: 600 });
    await opened.client.sandbox.mine({ blocks: 1 });
    await until(async () => (await opened.client.wallet.status()).balance.confirmed === balance.confirmed + 600);
    const job = await mint();
    expect(job).toMatchObject({ canApprove: true, failure: null });
    expect(job.review?.outputs.at(-1)?.kind).toBe('change');
  });
});

describe('a merchant API and a token service that ask 182 times the honest fee together', () => {
  it.each([
    ['is not signed any more', undefined],
    ['is signed with a fresh key', otherKey],
  ])('get nothing signed where the quote %s', async (_, key) => {
    const honest = await mint();
    expect(honest).toMatchObject({ awaitingApproval: true, failure: null });
    expect(honest.review?.quote).toMatchObject({ endpoint: merchant.url, publicKey: sandbox.minerId, pinned: false });
    expect(honest.review?.checks.find(({ id }) => id === 'quote-signer')?.text).toContain(sandbox.minerId);

    merchant.alter = dearQuote(key);
    service.alter = dearTransaction;
    await forgetQuote();
    const offeredKey = key === undefined ? 'unsigned' : otherKeyHex;
    const changed = {
      code: 'merchant-key-changed',
      detail: { endpoint: merchant.url, knownKey: sandbox.minerId, offeredKey },
    };
    expect(await refusedMint()).toMatchObject(changed);
    expect((await estimate()).problems).toMatchObject([changed]);
    expect(await refusedContract()).toMatchObject(changed);

    // Whoever accepts the key has still the cap on the rate.
    const publicKey = key === undefined ? null : otherKeyHex;
    await opened.client.merchant.acceptKey({ endpoint: merchant.url, publicKey });
    const dear = await refusedMint();
    expect(dear).toMatchObject({ code: 'fee-too-high' });
    expect(dear?.hint).toContain('maxFeeRate');
    expect(await refusedContract()).toMatchObject({ code: 'fee-too-high' });

    // Without that cap the fee would be taken for right: what was reviewed under another cap is not signed either.
    await set('maxFeeRate', 1_000 * TIMES);
    const reviewed = await mint();
    expect(reviewed).toMatchObject({ awaitingApproval: true, failure: null });
    expect(reviewed.review?.fee).toBeGreaterThan(100 * (honest.review?.fee as number));
    await set('maxFeeRate', 1_000);
    const stopped = await refusal(
      opened.client.mint.approve({ id: reviewed.id, digest: reviewed.review?.digest as string }),
    );
    expect(stopped).toMatchObject({ code: 'review-failed' });
    expect(stopped?.message).toContain('1000 for 1,000 bytes');
    await nothingWasSigned();
  });

  it('get nothing signed at first use either, when no key is known yet', async () => {
    merchant.alter = dearQuote(otherKey);
    service.alter = dearTransaction;
    expect(await refusedMint()).toMatchObject({ code: 'fee-too-high' });
    expect(await refusedContract()).toMatchObject({ code: 'fee-too-high' });
    await nothingWasSigned();
  });

  it('get nothing signed where the miner’s key is pinned', async () => {
    await set('mapiPublicKey', sandbox.minerId);
    const honest = await mint();
    expect(honest.review?.quote).toMatchObject({ publicKey: sandbox.minerId, pinned: true });
    await forgetQuote();
    merchant.alter = dearQuote(otherKey);
    expect(await refusedMint()).toMatchObject({ code: 'merchant-key-changed', detail: { pinned: true } });
    await expect(
      opened.client.merchant.acceptKey({ endpoint: merchant.url, publicKey: otherKeyHex }),
    ).rejects.toMatchObject({ data: { code: 'conflict' } });
    await nothingWasSigned();
  });

  it('get no document of the writer signed, which waits and says why', { tags: 'long' }, async () => {
    await estimate();
    merchant.alter = dearQuote(otherKey);
    await forgetQuote();
    const { id } = await opened.client.writer.write({
      body: '{"a":1}',
      contentType: 'application/json',
      mode: 'raw',
      wait: 'accepted',
    });
    const troubled = (code: string) =>
      until(async () => {
        const { degraded } = await opened.client.writer.status();
        return degraded?.code === code ? degraded : undefined;
      });
    expect(await troubled('merchant-key-changed')).toMatchObject({
      detail: { knownKey: sandbox.minerId, offeredKey: otherKeyHex },
    });
    await opened.client.merchant.acceptKey({ endpoint: merchant.url, publicKey: otherKeyHex });
    await troubled('fee-too-high');
    await nothingWasSigned();
    merchant.alter = (answer) => answer;
    await opened.client.merchant.acceptKey({ endpoint: merchant.url, publicKey: sandbox.minerId });
    await until(async () => {
      const { state } = await opened.client.writer.documents.get({ id });
      return !['accepted', 'funded', 'signed'].includes(state) || undefined;
    });
  });

  it('a token transaction reviewed under another cap is not signed', async () => {
    const job = await opened.client.redeemableTokens.prepare({ request: contract, idempotencyKey: randomUUID() });
    expect(job.review.checks.map(({ id }) => id)).toEqual(expect.arrayContaining(['fee-limit', 'quote-signer']));
    await set('maxFeeRate', 400);
    const error = await refusal(opened.client.redeemableTokens.approve({ id: job.id, digest: job.review.digest }));
    expect(error).toMatchObject({ code: 'fee-too-high', message: expect.stringContaining('Nothing was signed') });
    await opened.client.redeemableTokens.cancel({ id: job.id });
    await nothingWasSigned();
  });
});

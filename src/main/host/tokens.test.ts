import { randomUUID } from 'node:crypto';
import { PrivateKey } from '@bsv/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeAddress, fromHex, hash160, parseTx, satoshis, toHex, type Utxo } from '../../chain/index.ts';
import type { HeldToken, TokenJob, TokenRequest } from '../../contract/index.ts';
import { publicKeyOf, transfer } from '../../token/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { type TestClient, type TestHost, until, walletFilled } from '../test-support/hosts/open-host.ts';

const SUPPLY = 1_000;
const schema = { symbol: 'CAFE', name: 'Coffee voucher', satsPerToken: 10, totalSupply: 100 };

const hosts = oneHost();
let host: TestHost['host'];
let client: TestClient;
beforeEach(async () => {
  ({ host, client } = await hosts.open({ scope: 'core' }));
  await walletFilled(client);
});

async function prepare(request: TokenRequest): Promise<TokenJob> {
  return client.redeemableTokens.prepare({ request, idempotencyKey: randomUUID() });
}

async function run(request: TokenRequest): Promise<TokenJob> {
  const job = await prepare(request);
  expect(job.review.checks.filter(({ passed }) => !passed)).toEqual([]);
  expect(job).toMatchObject({ state: 'reviewed', awaitingApproval: true });
  await client.redeemableTokens.approve({ id: job.id, digest: job.review.digest });
  return mined(job.id);
}

async function mined(id: string): Promise<TokenJob> {
  const job = await until(async () => {
    const now = await client.redeemableTokens.get({ id });
    if (now.failure) throw new Error(`${now.request.action}: ${now.failure.message}`);
    return now.state === 'mined' ? now : undefined;
  });
  await until(async () => {
    const { holdings, contracts } = await client.redeemableTokens.overview();
    return [...holdings.flatMap(({ tokens }) => tokens), ...contracts].every(({ confirmed }) => confirmed);
  });
  return job;
}

async function heldTokens(): Promise<HeldToken[]> {
  const { holdings } = await client.redeemableTokens.overview();
  return holdings.flatMap(({ tokens }) => tokens);
}

/** The wallet's only token with this many satoshis. */
async function tokenOf(amount: number): Promise<string> {
  const found = (await heldTokens()).filter((token) => token.satoshis === amount);
  expect(found).toHaveLength(1);
  return found[0]?.outpoint as string;
}

async function contractAndAddress(): Promise<{ contract: string; own: string }> {
  await run({ action: 'contract', schema });
  const { contracts, address } = await client.redeemableTokens.overview();
  expect(contracts).toMatchObject([{ satoshis: SUPPLY, schema }]);
  return { contract: contracts[0]?.outpoint as string, own: address as string };
}

describe('a token’s whole life on the sandbox', () => {
  it('ends with the supply redeemed to the satoshi, mined', { tags: 'long' }, async () => {
    const before = (await client.wallet.status()).balance;
    const { contract, own } = await contractAndAddress();
    const bob = PrivateKey.fromRandom();
    const bobAddress = encodeAddress(hash160(publicKeyOf(bob)), 'test');
    const issued = await run({
      action: 'issue',
      contract,
      splittable: true,
      to: [
        { address: own, satoshis: 500 },
        { address: own, satoshis: 300 },
        { address: bobAddress, satoshis: 200 },
      ],
    });
    expect((await heldTokens()).map(({ satoshis: amount }) => amount)).toEqual([500, 300]);

    // another owner, with the library alone, sends its share on
    await sendBack(bob, bobAddress, `${issued.txid}_2`, own);
    await until(async () => (await heldTokens()).length === 3);

    await run({ action: 'transfer', token: await tokenOf(500), to: own });
    await run({ action: 'transfer', token: await tokenOf(300), to: own });
    await run({ action: 'merge', tokens: [await tokenOf(500), await tokenOf(300)], to: own });
    await run({
      action: 'split',
      token: await tokenOf(800),
      to: [
        { address: own, satoshis: 650 },
        { address: own, satoshis: 150 },
      ],
    });
    // tokens of a transaction with three outputs cannot be merged before they moved once more
    await run({ action: 'transfer', token: await tokenOf(150), to: own });
    await run({
      action: 'mergeSplit',
      tokens: [await tokenOf(150), await tokenOf(200)],
      to: [
        { address: own, satoshis: 349 },
        { address: own, satoshis: 1 },
      ],
    });
    const part = await run({ action: 'redeemSplit', token: await tokenOf(650), to: [{ address: own, satoshis: 50 }] });
    expect(part.review).toMatchObject({ tokensIn: 650, tokensOut: 50, redeemed: 600 });
    const last = await tokenOf(349);
    let redeemed = part.review.redeemed;
    for (const { outpoint } of await heldTokens()) {
      const job = await run({ action: 'redeem', token: outpoint });
      expect(job.blockHeight).toBeGreaterThan(0);
      redeemed += job.review.redeemed;
    }
    expect(redeemed).toBe(SUPPLY);

    const { holdings, contracts, jobs } = await client.redeemableTokens.overview();
    expect({ holdings, contracts }).toEqual({ holdings: [], contracts: [] });
    expect(jobs.every(({ state }) => state === 'mined')).toBe(true);
    const fees = jobs.reduce((sum, { review }) => sum + review.fee, 0);
    const { balance } = await until(async () => {
      const status = await client.wallet.status();
      return status.balance.unconfirmed === 0 ? status : undefined;
    });
    // all the supply came back as money but the one satoshi that the wallet keeps apart, as it does every one-satoshi output
    expect(balance.spendable).toBe(before.spendable - fees - 1);

    const { steps } = await client.redeemableTokens.history({ outpoint: last });
    expect(steps[0]).toMatchObject({ action: 'contract', verified: true });
    expect(steps.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['issue', 'transfer', 'merge', 'split', 'mergeSplit', 'redeemSplit', 'redeem']),
    );
    const paid = steps.flatMap(({ outputs }) => outputs).filter((output) => output.redeemed);
    expect(paid.reduce((sum, output) => sum + output.satoshis, 0)).toBe(SUPPLY);
    expect(steps.every(({ blockHeight }) => blockHeight !== null)).toBe(true);
  });
});

describe('redeemable tokens', () => {
  it('holds what it is about to spend, and lets go of it', async () => {
    const { contract, own } = await contractAndAddress();
    const request: TokenRequest = {
      action: 'issue',
      contract,
      splittable: true,
      to: [{ address: own, satoshis: SUPPLY }],
    };
    const job = await prepare(request);
    const second = await prepare(request).catch(failureOf);
    expect(second).toMatchObject({ code: 'conflict' });
    expect((await client.wallet.status()).balance.reserved).toBeGreaterThan(0);
    const wrong = await client.redeemableTokens.approve({ id: job.id, digest: '00'.repeat(32) }).catch(failureOf);
    expect(wrong).toMatchObject({ code: 'review-failed' });
    expect(await client.redeemableTokens.cancel({ id: job.id })).toMatchObject({ state: 'cancelled' });
    expect((await client.wallet.status()).balance.reserved).toBe(0);
    const late = await client.redeemableTokens.approve({ id: job.id, digest: job.review.digest }).catch(failureOf);
    expect(late).toMatchObject({ code: 'conflict' });
  });

  it('gives the same job for the same key, and sends it once', async () => {
    const idempotencyKey = 'the-same-key';
    const [one, other] = await Promise.all(
      [1, 2].map(() => client.redeemableTokens.prepare({ request: { action: 'contract', schema }, idempotencyKey })),
    );
    expect(other).toEqual(one);
    const { id, review } = one as TokenJob;
    const sent = await Promise.all([1, 2, 3].map(() => client.redeemableTokens.approve({ id, digest: review.digest })));
    expect(new Set(sent.map(({ txid }) => txid)).size).toBe(1);
    await mined(id);
    expect((await client.redeemableTokens.overview()).contracts).toHaveLength(1);
    const another = { action: 'contract' as const, schema: { ...schema, symbol: 'TEA' } };
    expect(await client.redeemableTokens.prepare({ request: another, idempotencyKey }).catch(failureOf)).toMatchObject({
      code: 'conflict',
    });
  });

  it('follows a transaction that a reorganisation takes out of its block, and tells so as it happens', {
    tags: 'long',
  }, async () => {
    const told: string[] = [];
    const stop = new AbortController();
    const events = await client.events.subscribe(undefined, { signal: stop.signal });
    const listening = (async () => {
      for await (const event of events) if (event.type === 'token-job') told.push(event.job.state);
    })();
    const { contract } = await contractAndAddress();
    const [job] = (await client.redeemableTokens.overview()).jobs as [TokenJob];
    await client.sandbox.reorg({ depth: 1 });
    await until(async () => (await client.redeemableTokens.get({ id: job.id })).state === 'submitted');
    await client.sandbox.mine({ blocks: 1 });
    const again = await until(async () => {
      const now = await client.redeemableTokens.get({ id: job.id });
      return now.state === 'mined' && now.blockHash !== job.blockHash ? now : undefined;
    });
    expect(again).toMatchObject({ txid: job.txid, failure: null });
    const onItsWay = ['signed', 'submitted', 'mined'];
    await until(async () => told.length >= 7);
    expect(told).toEqual(['reviewed', ...onItsWay, ...onItsWay]);
    expect((await client.redeemableTokens.overview()).contracts).toMatchObject([{ outpoint: contract }]);
    stop.abort();
    await listening.catch(() => undefined);
  });

  it('says when a change of the chain made a transaction impossible, and sends it again when asked', {
    tags: 'long',
  }, async () => {
    const { id, review } = await prepare({ action: 'contract', schema });
    await client.sandbox.snapshots.take({ name: 'before' });
    await client.redeemableTokens.approve({ id, digest: review.digest });
    const { txid } = await mined(id);
    await client.sandbox.doubleSpend({ txid: txid as string });
    const refused = await until(async () => {
      const now = await client.redeemableTokens.get({ id });
      return now.failure ? now : undefined;
    });
    expect(refused).toMatchObject({ state: 'signed', active: false, blockHash: null, failure: { code: 'rejected' } });
    expect(await client.redeemableTokens.retry({ id })).toMatchObject({ active: false, failure: { code: 'rejected' } });
    expect((await client.wallet.status()).balance.reserved).toBe(0);

    await client.sandbox.snapshots.revert({ name: 'before' });
    expect(await client.redeemableTokens.retry({ id })).toMatchObject({ active: true, failure: null });
    expect((await mined(id)).txid).toBe(txid);
    expect(await client.redeemableTokens.retry({ id }).catch(failureOf)).toMatchObject({ code: 'conflict' });
  });

  it('refuses what cannot be, and leaves nothing behind', async () => {
    const { contract, own } = await contractAndAddress();
    const before = await client.wallet.status();
    const to = [{ address: own, satoshis: SUPPLY - 1 }];
    const cases: [TokenRequest, string][] = [
      [{ action: 'issue', contract, splittable: true, to }, 'invalid-input'],
      [{ action: 'transfer', token: contract, to: own }, 'invalid-input'],
      [{ action: 'transfer', token: `${'ab'.repeat(32)}_0`, to: own }, 'not-found'],
      [{ action: 'transfer', token: contract, to: 'nobody' }, 'address-invalid'],
      [{ action: 'transfer', token: contract, to: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' }, 'address-wrong-network'],
      [{ action: 'contract', schema: { ...schema, totalSupply: 2_000_000_000_000_000 } }, 'invalid-input'],
    ];
    for (const [request, code] of cases) expect(await prepare(request).catch(failureOf)).toMatchObject({ code });
    expect((await client.wallet.status()).balance).toEqual(before.balance);
    expect((await client.redeemableTokens.overview()).jobs).toHaveLength(1);
  });
});

/** Somebody else's transfer, made with the library and the node alone. */
async function sendBack(key: PrivateKey, address: string, outpoint: string, to: string): Promise<void> {
  const { txid: paidBy } = await client.sandbox.fund({ address, satoshis: 100_000 });
  const script = toHex(hash160(publicKeyOf(key)));
  const payment = await outputs(paidBy);
  const token = await outputs(outpoint.slice(0, 64));
  const { hex } = transfer({
    ownerKey: key,
    tokenUtxo: token[Number(outpoint.slice(65))] as Utxo,
    destination: to,
    paymentUtxo: payment.find(({ lockingScript }) => toHex(lockingScript).includes(script)) as Utxo,
    paymentKey: key,
  });
  const { mapi } = (await client.app.info()).endpoints;
  const answer = await fetch(`${mapi}/tx`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${host.sandboxApiKey()}` },
    body: JSON.stringify({ rawTx: hex }),
  });
  const { payload } = (await answer.json()) as { payload: string };
  expect(JSON.parse(payload)).toMatchObject({ returnResult: 'success' });
}

async function outputs(txid: string): Promise<Utxo[]> {
  const { result } = await client.node.call({ method: 'getrawtransaction', params: [txid, 0] });
  return parseTx(fromHex(result as string)).outputs.map(({ satoshis: amount, script }, vout) => ({
    txid,
    vout,
    satoshis: satoshis(amount),
    lockingScript: script,
  }));
}

import { randomUUID } from 'node:crypto';
import { PrivateKey } from '@bsv/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HeldToken, TokenJob, TokenRequest, WalletAccount } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { Keeper } from '../test-support/hosts/keeper.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { type TestClient, type TestHost, until, walletFilled } from '../test-support/hosts/open-host.ts';

const schema = { symbol: 'CAFE', name: 'Coffee voucher', satsPerToken: 10, totalSupply: 100 };
const MONEY = 50_000;

const hosts = oneHost();
let host: TestHost['host'];
let client: TestClient;
beforeEach(async () => {
  ({ host, client } = await hosts.open({ scope: 'core' }));
  await walletFilled(client);
});

const prepare = (request: TokenRequest): Promise<TokenJob> =>
  client.redeemableTokens.prepare({ request, idempotencyKey: randomUUID() });

async function run(request: TokenRequest): Promise<TokenJob> {
  const { id, review } = await prepare(request);
  expect(review.checks.filter(({ passed }) => !passed)).toEqual([]);
  await client.redeemableTokens.approve({ id, digest: review.digest });
  return until(async () => {
    const now = await client.redeemableTokens.get({ id });
    if (now.failure) throw new Error(`${now.request.action}: ${now.failure.message}`);
    return now.state === 'mined' ? now : undefined;
  });
}

/** The redeemable tokens of the list, once they are so many and in blocks. */
function tokens(count: number): Promise<HeldToken[]> {
  return until(async () => {
    const held = (await client.redeemableTokens.overview()).holdings.flatMap((holding) => holding.tokens);
    return held.length === count && held.every(({ confirmed }) => confirmed) ? held : undefined;
  });
}

async function issued(to: readonly { address: string; satoshis: number }[]): Promise<TokenJob> {
  await run({ action: 'contract', schema });
  const { contracts } = await client.redeemableTokens.overview();
  return run({ action: 'issue', contract: contracts[0]?.outpoint as string, splittable: true, to: [...to] });
}

async function funded({ id, address }: WalletAccount): Promise<string> {
  await client.sandbox.fund({ address: address as string, satoshis: MONEY });
  await until(async () => (await totalOf(id)) === MONEY);
  return address as string;
}

const totalOf = async (id: string): Promise<number | undefined> =>
  (await client.wallet.accounts.list()).find((account) => account.id === id)?.total;

const paper = (): Promise<WalletAccount> =>
  client.wallet.accounts.importKey({ name: 'Paper', wif: new PrivateKey(5_555_555).toWif([0xef]) });

describe('redeemable tokens of another account', () => {
  it.each([
    ['of the seed', () => client.wallet.accounts.create({ name: 'Shop' })],
    ['of an imported key', paper],
  ])('%s are listed, and spent with the keys and the money of that account', async (_, make) => {
    const account = await make();
    const address = await funded(account);
    const own = (await client.redeemableTokens.overview()).address as string;
    await issued([
      { address, satoshis: 600 },
      { address, satoshis: 400 },
    ]);
    const held = await tokens(2);
    expect(held.map((token) => [token.address, token.satoshis])).toEqual([
      [address, 600],
      [address, 400],
    ]);
    expect((await client.redeemableTokens.overview()).holdings).toMatchObject([{ symbol: 'CAFE', ownIssue: true }]);
    const [large, small] = held as [HeldToken, HeldToken];

    const before = (await client.wallet.status()).balance.confirmed;
    const moved = await run({ action: 'transfer', token: large.outpoint, to: own });
    await tokens(2);
    expect(await totalOf(account.id)).toBe(MONEY - moved.review.fee);
    expect((await client.wallet.status()).balance.confirmed).toBe(before);
    expect(moved.review.outputs.filter(({ kind }) => kind === 'change').map((change) => change.address)).toEqual([
      address,
    ]);

    // Redeemed, the satoshis go to whoever issued them.
    const redeemed = await run({ action: 'redeem', token: small.outpoint });
    expect(redeemed.review).toMatchObject({ redeemed: 400 });
    expect(await tokens(1)).toMatchObject([{ address: own, satoshis: 600 }]);
  });

  it('are not spent with those of the main account in one transaction', { tags: 'long' }, async () => {
    const address = await funded(await client.wallet.accounts.create({ name: 'Shop' }));
    const own = (await client.redeemableTokens.overview()).address as string;
    await issued([
      { address, satoshis: 600 },
      { address: own, satoshis: 400 },
    ]);
    const both = (await tokens(2)).map(({ outpoint }) => outpoint) as [string, string];
    const refusal = await prepare({ action: 'merge', tokens: both, to: own }).catch(failureOf);
    expect(refusal).toMatchObject({ id: 'token.several-accounts', code: 'conflict' });
    expect((await client.redeemableTokens.overview()).jobs).toHaveLength(2);
  });

  it('of a refused transaction stay with it, and with them the money that was to pay for it, until another replaces it', async () => {
    const account = await paper();
    const address = await funded(account);
    const own = (await client.redeemableTokens.overview()).address as string;
    await issued([{ address, satoshis: 1_000 }]);
    const [token] = (await tokens(1)) as [HeldToken];
    const request: TokenRequest = { action: 'transfer', token: token.outpoint, to: own };
    const keeper = new Keeper(host);
    keeper.refuses = true;
    const first = await prepare(request);
    const { txid, failure } = await client.redeemableTokens.approve({ id: first.id, digest: first.review.digest });
    expect(failure).toMatchObject({ code: 'rejected' });
    const [foreign, idempotencyKey] = ['mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV', randomUUID()];
    const pays = { request: { to: [{ address: foreign, satoshis: 5_000 }] }, idempotencyKey };
    expect(await client.wallet.send.prepare(pays).catch(failureOf)).toMatchObject({
      id: 'wallet.funds-held',
      values: { txid },
    });
    keeper.refuses = false;
    const again = await run(request);
    expect(again.review.checks.find(({ id }) => id === 'replaces')).toMatchObject({ passed: true });
    expect(await keeper.mine([...keeper.kept.values()])).toBe(false);
    expect(await tokens(1)).toMatchObject([{ address: own, satoshis: 1_000 }]);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBundle, verifyBundle } from '../../chain/bundle/index.ts';
import type { TokenRequest } from '../../contract/index.ts';
import { openJoinedHost } from '../test-support/hosts/joined-host.ts';
import {
  addItem,
  closeTestHost,
  mintProven,
  newDataDir,
  openTestHost,
  type TestHost,
  until,
} from '../test-support/hosts/open-host.ts';
import { pngOf } from '../test-support/png.ts';

const MONEY = 1_000_000;

let network: TestHost;
let here: TestHost;

beforeAll(async () => {
  network = await openTestHost({ dataDir: newDataDir() });
  here = await openJoinedHost(network);
  const { client } = here;
  await client.wallet.create({ words: 12 });
  const address = (await client.wallet.status()).address as string;
  await network.client.sandbox.fund({ address, satoshis: MONEY });
  await until(async () => (await client.wallet.status()).balance.confirmed === MONEY);
});
afterAll(async () => {
  await closeTestHost(here);
  await closeTestHost(network);
});

async function run(request: TokenRequest): Promise<void> {
  const { client } = here;
  const job = await client.redeemableTokens.prepare({ request, idempotencyKey: randomUUID() });
  expect(job.review.checks.filter(({ passed }) => !passed)).toEqual([]);
  await client.redeemableTokens.approve({ id: job.id, digest: job.review.digest });
  await until(async () => {
    const { failure, state } = await client.redeemableTokens.get({ id: job.id });
    if (failure) throw new Error(`${request.action}: ${failure.message}`);
    return state === 'mined';
  });
  await until(async () => {
    const { holdings, contracts } = await client.redeemableTokens.overview();
    return [...holdings.flatMap(({ tokens }) => tokens), ...contracts].every(({ confirmed }) => confirmed);
  });
}

describe('without a node and without a token service', () => {
  it('the data writer writes documents and proves them', async () => {
    const { client } = here;
    const { keyId } = await client.writer.keys.register({ apiKey: 'a-key-of-my-own' });
    const written = await Promise.all(
      [1, 2, 3].map((n) =>
        client.writer.write({ body: JSON.stringify({ n }), wait: 'submitted', waitMs: 15_000, keyId }),
      ),
    );
    for (const { id } of written) {
      const document = await until(async () => {
        const now = await client.writer.documents.get({ id });
        return now.state === 'proven' && now;
      });
      expect(document.proof).not.toBeNull();
    }
    expect((await client.writer.status()).states).toMatchObject({ proven: 3, dead: 0 });
  });

  it('redeemable tokens are issued, split and redeemed', async () => {
    const { client } = here;
    const schema = { symbol: 'CAFE', name: 'Coffee voucher', satsPerToken: 10, totalSupply: 100 };
    await run({ action: 'contract', schema });
    const { contracts, address } = await client.redeemableTokens.overview();
    const own = address as string;
    const held = async () => (await client.redeemableTokens.overview()).holdings.flatMap(({ tokens }) => tokens);
    await run({
      action: 'issue',
      contract: contracts[0]?.outpoint as string,
      splittable: true,
      to: [{ address: own, satoshis: 1_000 }],
    });
    const [token] = await held();
    await run({
      action: 'split',
      token: token?.outpoint as string,
      to: [
        { address: own, satoshis: 400 },
        { address: own, satoshis: 600 },
      ],
    });
    for (const { outpoint } of await held()) await run({ action: 'redeem', token: outpoint });
    expect(await held()).toEqual([]);
  });

  it('a token is minted and its proof written as a bundle', async () => {
    const { client } = here;
    const { uid } = await client.projects.create({ name: 'Alone', type: 'single' });
    const itemId = await addItem(client, uid, { name: 'alone.png', bytes: pngOf('alone') });
    const { txid } = await mintProven(client, itemId, (await client.wallet.status()).address as string);
    const { bundle } = await client.tokens.bundle({ outpoint: `${txid}_0` });
    const { tokens } = verifyBundle(readBundle(new Uint8Array(await bundle.arrayBuffer())));
    expect(tokens).toMatchObject([{ outpoint: `${txid}_0` }]);
    expect(await client.quota.get()).toBeNull();
  });
});

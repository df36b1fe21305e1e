import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseTx, satoshis } from '../../../../chain/index.ts';
import { TestHarness } from '../../test-support/harness.ts';
import {
  PATIENCE_MS,
  scriptOf,
  type WriterClient,
  WriterProcesses,
  written,
} from '../../test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

/** Costs 50,000 satoshis at 500 for 1,000 bytes: more than any coin of the first split has. */
const LARGE = JSON.stringify('x'.repeat(100_000));

/** Satoshis of the outputs of each split the miner took, oldest first. */
function splits(harness: TestHarness): number[][] {
  return harness
    .everything()
    .map((raw) => parseTx(raw).outputs.map((output): number => output.satoshis))
    .filter((outputs) => !outputs.includes(0));
}

/** Writes a first document, so that there are sixteen small coins, and puts all of them in a block. */
async function fillPool(harness: TestHarness, client: WriterClient): Promise<void> {
  expect((await client.write('0')).status).toBe(201);
  harness.mine();
  const depths = async (): Promise<number[]> =>
    (await writers.db.selectFrom('writer_coins').select('depth').execute()).map(({ depth }) => depth);
  await expect.poll(depths, { timeout: PATIENCE_MS }).toEqual(Array.from({ length: 16 }, () => 0));
}

describe('a shortage of coins', () => {
  it('is ended by one split where the coins it makes stand behind smaller ones', async () => {
    const harness = new TestHarness(100_000_000);
    const client = await writers.start(harness);
    await fillPool(harness, client);
    expect((await client.write(LARGE)).status).toBe(201);
    expect(written(harness)).toContain(scriptOf(LARGE));
    expect(splits(harness)).toHaveLength(2);
    // The next one is paid with a coin of the same split.
    expect((await client.write(LARGE.replace('x', 'y'))).status).toBe(201);
    expect(splits(harness)).toHaveLength(2);
  });

  it('makes no split that no miner takes, says why, and makes it once one does', async () => {
    const harness = new TestHarness(100_000_000);
    // a document is shorter than the script of a coin
    harness.policy = { maxScriptBytes: 24 };
    const client = await writers.start(harness);
    const { json } = await client.send('POST', '/api/v1/write?wait=accepted', '0');
    const why = async () => (await client.service.view.status()).degraded?.id;
    await expect.poll(why, { timeout: PATIENCE_MS }).toBe('merchant.over-limits');
    expect(harness.everything()).toEqual([]);
    expect([...harness.reservations.values()].flat()).toEqual([]);
    harness.policy = {};
    client.set({});
    await client.untilState(String(json.id), 'submitted', 'seen');
    expect(splits(harness)).toHaveLength(1);
  });

  it('makes no split where no coin whatever could pay within the caps, and says why', async () => {
    const harness = new TestHarness(100_000_000);
    const client = await writers.start(harness, { settings: { maxFeeRate: 600 } });
    await fillPool(harness, client);
    harness.quote = { ...harness.quote, data: { satoshis: 700, bytes: 1_000 } };
    const { json } = await client.send('POST', '/api/v1/write?wait=accepted', LARGE);
    const why = async () => (await client.service.view.status()).degraded?.id;
    await expect.poll(why, { timeout: PATIENCE_MS }).toBe('writer.fee-rate-too-high');
    harness.quote = { ...harness.quote, data: { satoshis: 600, bytes: 1_000 } };
    client.set({});
    await client.untilState(String(json.id), 'submitted', 'seen');
    expect(splits(harness)).toHaveLength(2);
  });
});

describe('a wallet that is nearly empty', () => {
  it('is not split further where nobody waits for a coin and it cannot make a whole one', async () => {
    const harness = new TestHarness(30_500);
    const client = await writers.start(harness, { settings: { writerPoolCoinSatoshis: 10_000 } });
    for (let n = 0; n < 20; n++) expect((await client.write(`${n}`)).status).toBe(201);
    expect(splits(harness)).toEqual([[10_000, 10_000, expect.any(Number)]]);
  });

  it('makes one coin of all it has, which pays for more than the document that waits', async () => {
    const harness = new TestHarness(2_000);
    const client = await writers.start(harness, { settings: { writerPoolCoinSatoshis: 10_000 } });
    for (let n = 0; n < 5; n++) expect((await client.write(`${n}`)).status).toBe(201);
    expect(splits(harness)).toHaveLength(1);
  });

  it('is split by what its coins can pay, not by a balance of coins that cost more than they are worth', async () => {
    const harness = new TestHarness(3_000, ...Array.from({ length: 510 }, () => 20));
    const client = await writers.start(harness, { settings: { writerPoolCoinSatoshis: 10_000 } });
    expect((await client.write('0')).status).toBe(201);
    expect(splits(harness)).toHaveLength(1);
    expect(splits(harness)[0]?.[0]).toBeLessThan(3_000);
  });

  it('lets a document wait for the change of another one that a miner does not have yet', async () => {
    const harness = new TestHarness(2_000);
    const client = await writers.start(harness, { settings: { writerPoolCoinSatoshis: 10_000 } });
    expect((await client.write('0')).status).toBe(201);
    // somebody else has what is left
    await harness.wallet.reserve('mint', satoshis(100), () => satoshis(0));
    const { merchant } = harness;
    const submitAll = merchant.submitAll.bind(merchant);
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    vi.spyOn(merchant, 'submitAll').mockImplementation((raws) => answered.then(() => submitAll(raws)));
    const first = client.write('1');
    await expect.poll(() => vi.mocked(merchant.submitAll).mock.calls.length, { timeout: PATIENCE_MS }).toBe(1);
    const rounds = vi.spyOn(merchant, 'feeQuote');
    const second = client.write('2');
    const third = client.write('3');
    // each round asks for the quote, and the one before has ended then
    await expect.poll(() => rounds.mock.calls.length, { timeout: PATIENCE_MS }).toBeGreaterThan(1);
    expect((await client.service.view.status()).degraded).toBeNull();
    answer();
    for (const reply of [first, second, third]) expect((await reply).status).toBe(201);
    expect(splits(harness)).toHaveLength(1);
  });
});

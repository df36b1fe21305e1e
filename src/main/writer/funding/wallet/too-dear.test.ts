import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

/** Costs 200,000 satoshis at 500 for 1,000 bytes. */
const LARGE = JSON.stringify('x'.repeat(400_000));

async function accept(client: WriterClient, body: string): Promise<string> {
  const { json } = await client.send('POST', '/api/v1/write?wait=accepted', body);
  return String(json.id);
}

describe('a document that costs more than the wallet has', () => {
  it('waits and says why, while those behind it are written', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const id = await accept(client, LARGE);
    const reason = async () => (await client.send('GET', `/api/v1/writes/${id}`)).json.reason;
    for (const body of ['1', '2', '3']) {
      expect((await client.write(body)).json).toMatchObject({ status: 201 });
      await expect.poll(reason, { timeout: PATIENCE_MS }).toMatch(/satoshis are needed/);
    }
    harness.grant(harness.wallet.lockingScript(), 1_000_000);
    await client.untilState(id, 'submitted', 'seen');
    expect(written(harness).sort()).toEqual([LARGE, '1', '2', '3'].map((body) => scriptOf(body)).sort());
    await expect.poll(async () => (await client.service.view.status()).degraded, { timeout: PATIENCE_MS }).toBeNull();
  });

  it('is given up where its client waits, and no other is', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const bodies = Array.from({ length: 20 }, (_, n) => `{"n":${n}}`);
    const [large, ...others] = await Promise.all([LARGE, ...bodies].map((body) => client.write(body)));
    expect(large?.json).toMatchObject({ status: 400, code: 13 });
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 201));
    expect(written(harness).sort()).toEqual(bodies.map((body) => scriptOf(body)).sort());
  });

  it('is written alone where only several together cost too much', async () => {
    const harness = new TestHarness(45_000);
    const release = harness.holdQuotes();
    const client = await writers.start(harness, { settings: { writerDocumentsPerTransaction: 50 } });
    const bodies = Array.from({ length: 3 }, (_, n) => JSON.stringify(`${n}`.repeat(30_000)));
    const ids: string[] = [];
    for (const body of bodies) ids.push(await accept(client, body));
    release();
    for (const id of ids.slice(0, 2)) await client.untilState(id, 'submitted', 'seen');
    harness.grant(harness.wallet.lockingScript(), 20_000);
    await client.untilState(ids[2] as string, 'submitted', 'seen');
    expect(written(harness).sort()).toEqual(bodies.map((body) => scriptOf(body)).sort());
  });

  it('is paid with several coins where the writer has the money in smaller ones', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    expect((await client.write('1')).status).toBe(201);
    expect(harness.wallet.balance().spendable).toBeLessThan(15_000);
    const body = JSON.stringify('x'.repeat(100_000));
    expect((await client.write(body)).json).toMatchObject({ status: 201 });
    expect(written(harness)).toEqual(['1', body].map((one) => scriptOf(one)));
  });
});

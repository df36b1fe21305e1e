import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  fromHex,
  headerHash,
  parseHeader,
  parseTx,
  type TscProof,
  toHex,
  txidOf,
  verifyTscProof,
} from '../../../../chain/index.ts';
import { TestHarness } from '../../test-support/harness.ts';
import {
  PATIENCE_MS,
  scriptOf,
  type WriterClient,
  WriterProcesses,
  written,
} from '../../test-support/writer-client.ts';
import type { DocumentView } from '../../views/listing.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

const OTHER = 'testnet_another_key';

interface Details extends DocumentView {
  proof: TscProof | null;
}

async function accept(client: WriterClient, body: string, headers: Record<string, string> = {}): Promise<string> {
  const { json } = await client.send('POST', '/api/v1/write?wait=accepted', body, headers);
  expect(json.status).toBe(202);
  return String(json.id);
}

async function details(client: WriterClient, id: string, headers: Record<string, string> = {}): Promise<Details> {
  return (await client.send('GET', `/api/v1/writes/${id}`, '', headers)).json as unknown as Details;
}

/** Accepts documents while nothing can be paid for, so that they are taken up together. */
async function together(
  harness: TestHarness,
  client: WriterClient,
  accepting: () => Promise<string[]>,
): Promise<string[]> {
  // The pool has coins from here on.
  expect((await client.write('"first"')).status).toBe(201);
  const release = harness.holdQuotes();
  const ids = await accepting();
  release();
  client.set({});
  return ids;
}

describe('several documents in one transaction', () => {
  it('stand in one output each, and each is read and proven by itself', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerDocumentsPerTransaction: 5 } });
    const bodies = Array.from({ length: 12 }, (_, n) => `{"n":${n}}`);
    const ids = await together(harness, client, async () => {
      const accepted: string[] = [];
      for (const body of bodies) accepted.push(await accept(client, body, { 'x-tag': 'many' }));
      return accepted;
    });
    for (const id of ids) await client.untilState(id, 'seen');
    harness.mine();
    for (const id of ids) await client.untilState(id, 'proven');
    const documents = await Promise.all(ids.map((id) => details(client, id)));
    const groups = Map.groupBy(documents, ({ txid }) => String(txid));
    expect([...groups.values()].map((group) => group.map(({ vout }) => vout))).toEqual([
      [0, 1, 2, 3, 4],
      [0, 1, 2, 3, 4],
      [0, 1],
    ]);
    for (const [index, { id, txid, vout, proof, fee }] of documents.entries()) {
      const rawTx = fromHex(String((await client.service.view.documents.get({ id })).rawTx));
      // What an auditor does: the output holds the document, the transaction has the txid, the proof leads to the block.
      expect(toHex(parseTx(rawTx).outputs[vout ?? -1]?.script ?? new Uint8Array())).toBe(
        scriptOf(bodies[index] as string, 'many'),
      );
      expect(txidOf(rawTx)).toBe(txid);
      const header = parseHeader(fromHex(proof?.target ?? ''));
      expect(proof?.txOrId).toBe(txid);
      expect(verifyTscProof(proof as TscProof, header.merkleRoot)).toBe(true);
      expect(headerHash(header)).toBe(harness.blocks.at(-1)?.hash);
      expect(fee).toBeGreaterThan(0);
      expect((await client.send('GET', `/api/v1/read/${id}`)).text).toBe(bodies[index]);
      expect((await client.send('GET', `/api/v1/read/${txid}?vout=${vout}`)).text).toBe(bodies[index]);
      expect((await client.send('GET', `/api/v1/writes/${txid}?vout=${vout}`)).json.id).toBe(id);
    }
    const [{ txid } = { txid: '' }] = documents;
    expect((await client.send('GET', `/api/v1/read/${txid}?vout=5`)).status).toBe(404);
    expect((await client.send('GET', `/api/v1/writes/${txid}?vout=x`)).json).toMatchObject({ status: 400, code: 26 });

    // Another machine, which has the chain alone.
    await client.service.stop();
    const elsewhere = await WriterProcesses.open();
    try {
      const other = await elsewhere.start(harness);
      expect((await other.send('GET', `/api/v1/read/${txid}?vout=3`)).text).toBe(bodies[3]);
      expect((await other.send('GET', `/api/v1/read/${txid}`)).text).toBe(bodies[0]);
    } finally {
      await elsewhere.close();
    }
  });

  it('are divided where miners take less than when they were accepted, and one that none takes says so', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerDocumentsPerTransaction: 5 } });
    const body = (bytes: number): string => JSON.stringify('x'.repeat(bytes));
    const ids = await together(harness, client, async () => {
      const accepted: string[] = [];
      for (const bytes of [3_000, 3_001, 3_002, 9_000]) accepted.push(await accept(client, body(bytes)));
      harness.policy = { maxTxBytes: 8_000 };
      return accepted;
    });
    const [, , , long] = ids as [string, string, string, string];
    for (const id of ids.slice(0, 3)) await client.untilState(id, 'seen');
    await client.untilState(long, 'dead');
    const documents = await Promise.all(ids.map((id) => details(client, id)));
    expect(documents.map(({ vout }) => vout)).toEqual([0, 1, 0, null]);
    expect((await client.service.view.documents.get({ id: long })).reason).toContain('Miner takes the longest');
    for (const raw of harness.mempool.values()) expect(raw.length).toBeLessThan(8_000);
  });

  it('of several keys are each found by its own, under the same txid', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerDocumentsPerTransaction: 3 } });
    const own = { authorization: `Bearer ${OTHER}` };
    const mine = writers.secrets.get('apiKey:sandbox') as Uint8Array;
    const as = async <T>(key: Uint8Array, run: () => Promise<T>): Promise<T> => {
      writers.secrets.set('apiKey:sandbox', key);
      return run();
    };
    const theirs = Buffer.from(OTHER);
    const [first, second, third] = (await together(harness, client, async () => [
      await accept(client, '"mine"'),
      await as(theirs, () => accept(client, '"theirs"', own)),
      await as(theirs, () => accept(client, '"theirs too"', own)),
    ])) as [string, string, string];
    await as(mine, () => client.untilState(first, 'seen'));
    const { txid } = await as(mine, () => details(client, first));
    expect((await as(mine, () => client.send('GET', `/api/v1/read/${txid}`))).text).toBe('"mine"');
    expect(await as(theirs, () => details(client, String(txid), own))).toMatchObject({ id: second, vout: 1 });
    expect(await as(theirs, () => details(client, `${txid}?vout=2`, own))).toMatchObject({ id: third, vout: 2 });
    expect((await as(theirs, () => client.send('GET', `/api/v1/read/${txid}`, '', own))).text).toBe('"theirs"');
    expect((await as(theirs, () => client.send('GET', `/api/v1/writes/${txid}?vout=0`, '', own))).status).toBe(404);
    expect((await as(mine, () => client.send('GET', `/api/v1/writes/${second}`))).status).toBe(404);
  });

  it('that would cost more than the cap together are written apart', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerDocumentsPerTransaction: 8 } });
    const bodies = Array.from({ length: 8 }, (_, n) => JSON.stringify(`${n}${'x'.repeat(1_000)}`));
    const ids = await together(harness, client, async () => {
      client.set({ maxFeeSatoshis: 1_300 });
      const accepted: string[] = [];
      for (const body of bodies) accepted.push(await accept(client, body));
      return accepted;
    });
    for (const id of ids) await client.untilState(id, 'submitted', 'seen');
    expect(written(harness).sort()).toEqual([scriptOf('"first"'), ...bodies.map((body) => scriptOf(body))].sort());
    const fees = Map.groupBy(await Promise.all(ids.map((id) => details(client, id))), ({ txid }) => String(txid));
    expect(fees.size).toBeGreaterThan(1);
    for (const group of fees.values()) expect(group.length).toBe(2);
    await expect.poll(async () => (await client.service.view.status()).degraded, { timeout: PATIENCE_MS }).toBeNull();
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatOutpoint, parseTx, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { TestHarness } from '../test-support/harness.ts';
import {
  PATIENCE_MS,
  type Reply,
  scriptOf,
  type WriterClient,
  WriterProcesses,
  written,
} from '../test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

const BODY = '{"precious":true}';

/** Writes a document whose transaction the miner refuses with the given words. @returns its id and the refused transaction */
async function die(
  harness: TestHarness,
  client: WriterClient,
  words: string,
): Promise<{ id: string; raw: Uint8Array }> {
  await client.write('0');
  const before = harness.beforeSubmit;
  harness.beforeSubmit = () => {
    throw new PlanchetError({ code: 'rejected', message: words });
  };
  const reply: Reply = await client.write(BODY);
  harness.beforeSubmit = before;
  expect(reply.json).toMatchObject({ status: 400, code: 16 });
  const id = idOf(reply);
  const { rawTx } = await client.service.view.documents.get({ id });
  return { id, raw: Uint8Array.from(Buffer.from(String(rawTx), 'hex')) };
}

function idOf(reply: Reply): string {
  return String(reply.headers.location).split('/').pop() as string;
}

function outpointsOf(raw: Uint8Array): string[] {
  return parseTx(raw).inputs.map(formatOutpoint);
}

const copies = (harness: TestHarness): number => written(harness).filter((script) => script === scriptOf(BODY)).length;

/** A node that states another value and another script of every unspent output. */
function lying(harness: TestHarness): NodeRpc {
  return {
    call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      const answer = await harness.node.call<{ value: number } | null>(method, params);
      if (method !== 'gettxout' || answer === null) return answer as T;
      return { ...answer, value: (answer.value * 1e8 + 1_000) / 1e8, scriptPubKey: { hex: '51' } } as T;
    },
  };
}

/** Takes the document up again once the newest blocks are looked through. */
async function retry(client: WriterClient, id: string): Promise<{ retried: number; reason: string | null }> {
  let last = await client.service.view.dead.retry({ ids: [id] });
  const end = performance.now() + PATIENCE_MS;
  while (last.reason?.includes('still being looked through') && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    last = await client.service.view.dead.retry({ ids: [id] });
  }
  return last;
}

describe('a dead letter that is taken up again', () => {
  it('gets another transaction that pays the fee of now and spends a coin of the first, so that one of them is mined at most', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { maxFeeRate: 5_000 } });
    const { id, raw } = await die(harness, client, 'insufficient priority');
    harness.quote = { ...harness.quote, data: { satoshis: 5_000, bytes: 1_000 } };
    expect(await retry(client, id)).toEqual({ retried: 1, kept: 0, reason: null, failure: null });
    const done = await client.untilState(id, 'submitted', 'seen');
    const replacement = harness.mempool.get(String(done.txid)) as Uint8Array;
    expect(outpointsOf(replacement)).toEqual(expect.arrayContaining(outpointsOf(raw)));
    expect(copies(harness)).toBe(1);
    // Whoever kept the refused transaction cannot bring it in any more.
    expect(await harness.merchant.submitAll([raw])).toEqual([expect.objectContaining({ code: 'rejected' })]);
    harness.mine();
    expect(await client.untilState(id, 'proven')).toMatchObject({ txid: done.txid });
    expect(copies(harness)).toBe(1);
  });

  it('is paid with what the writer knows of its coins where the node states other values and scripts', async () => {
    const harness = new TestHarness(1_000_000);
    const options = { node: lying(harness) };
    const client = await writers.start(harness, { settings: { maxFeeRate: 5_000 }, options });
    const { id, raw } = await die(harness, client, 'insufficient priority');
    harness.quote = { ...harness.quote, data: { satoshis: 5_000, bytes: 1_000 } };
    expect(await retry(client, id)).toMatchObject({ retried: 1 });
    const done = await client.untilState(id, 'submitted', 'seen', 'dead');
    expect(outpointsOf(harness.mempool.get(String(done.txid)) as Uint8Array)).toEqual(
      expect.arrayContaining(outpointsOf(raw)),
    );
  });

  it('goes to its first transaction where that is mined after all, and the second is given up', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { maxFeeRate: 5_000 } });
    const { id, raw } = await die(harness, client, 'insufficient priority');
    let away = true;
    harness.beforeSubmit = () => {
      if (away)
        throw new PlanchetError({ code: 'upstream-unreachable', message: 'The merchant API cannot be reached.' });
    };
    const quote = harness.quote;
    harness.quote = { ...quote, data: { satoshis: 5_000, bytes: 1_000 } };
    expect(await retry(client, id)).toMatchObject({ retried: 1 });
    const second = (await client.service.view.documents.get({ id })).txid;
    away = false;
    harness.quote = quote;
    // Another miner took the first one; the change it makes is the writer's.
    await harness.merchant.submitAll([raw]);
    harness.mine();
    const { txid } = await client.untilState(id, 'proven');
    expect(txid).not.toBe(second);
    expect(copies(harness)).toBe(1);
    const spendable = await client.write('1');
    expect(spendable.status).toBe(201);
  });

  it('is not written again while the node starts, which does not say whether it has the first', async () => {
    const harness = new TestHarness(1_000_000);
    let isStarting = false;
    const node: NodeRpc = {
      call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
        if (isStarting && method === 'getrawtransaction') throw new NodeRpcError(-28, 'Loading block index');
        return harness.node.call<T>(method, params);
      },
    };
    const client = await writers.start(harness, { options: { node } });
    const { id } = await die(harness, client, 'insufficient priority');
    isStarting = true;
    expect(await retry(client, id)).toMatchObject({ retried: 0, failure: { id: 'chain.node-error' } });
    isStarting = false;
    expect(await retry(client, id)).toMatchObject({ retried: 1 });
  });

  describe('whose second transaction spends a further coin', () => {
    /** The second transaction is journalled and not sent yet. @returns what was refused, the further coins, and what sends the second one */
    async function takenUp(
      options: { node?: NodeRpc } = {},
      harness = new TestHarness(1_000_000),
    ): Promise<{
      harness: TestHarness;
      client: WriterClient;
      id: string;
      raw: Uint8Array;
      further: string[];
      send: () => void;
    }> {
      const client = await writers.start(harness, { settings: { maxFeeRate: 500_000 }, options });
      const { id, raw } = await die(harness, client, 'insufficient priority');
      const { quote, beforeSubmit } = harness;
      harness.beforeSubmit = () => {
        throw new PlanchetError({ code: 'upstream-unreachable', message: 'The merchant API cannot be reached.' });
      };
      harness.quote = { ...quote, data: { satoshis: 300_000, bytes: 1_000 } };
      expect(await retry(client, id)).toMatchObject({ retried: 1 });
      const { rawTx } = await client.service.view.documents.get({ id });
      const second = outpointsOf(Uint8Array.from(Buffer.from(String(rawTx), 'hex')));
      const further = second.filter((outpoint) => !outpointsOf(raw).includes(outpoint));
      expect(further.length).toBeGreaterThan(0);
      harness.quote = quote;
      const send = (): void => {
        harness.beforeSubmit = beforeSubmit;
        client.set({});
      };
      return { harness, client, id, raw, further, send };
    }

    it('has that coin free again where the first is mined after all', async () => {
      const { harness, client, id, raw, further, send } = await takenUp();
      harness.beforeSubmit = () => {};
      expect(harness.take(raw)).toBeUndefined();
      harness.mine();
      send();
      await client.untilState(id, 'proven');
      expect(await writers.freeCoins()).toEqual(expect.arrayContaining(further));
      expect(await writers.freeCoins()).toEqual(harness.poolCoins);
    });

    it('has that coin free again with its own value where the node states another', async () => {
      const harness = new TestHarness(1_000_000);
      const { client, id, raw, further, send } = await takenUp({ node: lying(harness) }, harness);
      harness.beforeSubmit = () => {};
      expect(harness.take(raw)).toBeUndefined();
      harness.mine();
      send();
      await client.untilState(id, 'proven');
      expect(await writers.freeCoins()).toEqual(expect.arrayContaining(further));
      const rows = await writers.db.selectFrom('writer_coins').select(['txid', 'vout', 'satoshis']).execute();
      for (const row of rows) expect(row.satoshis).toBe(harness.coins.get(formatOutpoint(row))?.satoshis);
    });

    it('has that coin free again where the second is refused as a double spend and somebody retries', async () => {
      const { harness, client, id, raw, further, send } = await takenUp();
      harness.beforeSubmit = () => {};
      expect(harness.take(raw)).toBeUndefined();
      send();
      await client.untilState(id, 'dead');
      expect(await retry(client, id)).toMatchObject({ retried: 1 });
      expect(await client.untilState(id, 'submitted', 'seen')).toMatchObject({ txid: txidOf(raw) });
      expect(await writers.freeCoins()).toEqual(expect.arrayContaining(further));
      expect(await writers.freeCoins()).toEqual(harness.poolCoins);
      expect(copies(harness)).toBe(1);
    });

    it('has that coin free again, and no change of the second, where the miner took the second and a block holds the first', async () => {
      const { harness, client, id, raw, further, send } = await takenUp();
      send();
      const { txid } = await client.untilState(id, 'seen');
      harness.forget(String(txid));
      expect(harness.take(raw)).toBeUndefined();
      harness.mine();
      expect(await client.untilState(id, 'proven')).toMatchObject({ txid: txidOf(raw) });
      expect(await writers.freeCoins()).toEqual(expect.arrayContaining(further));
      expect(await writers.freeCoins()).toEqual(harness.poolCoins);
    });
  });

  it('is sent as it is where the miner has it', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    const { id, raw } = await die(harness, client, 'insufficient priority');
    await harness.merchant.submitAll([raw]);
    expect(await retry(client, id)).toMatchObject({ retried: 1, kept: 0 });
    await client.untilState(id, 'submitted', 'seen');
    expect(copies(harness)).toBe(1);
  });

  it('whose coin somebody else spent is paid for anew, but not before a block holds that', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    const { id, raw } = await die(harness, client, 'txn-mempool-conflict');
    // The coins' own transaction is in a block: only then can its silence about them be trusted.
    harness.mine();
    for (const outpoint of outpointsOf(raw)) harness.spendElsewhere(outpoint);
    expect(await retry(client, id)).toMatchObject({ retried: 0, kept: 1, reason: expect.stringContaining('no block') });
    expect((await client.service.view.documents.get({ id })).state).toBe('dead');
    harness.mine();
    expect(await retry(client, id)).toMatchObject({ retried: 1, kept: 0 });
    const done = await client.untilState(id, 'submitted', 'seen');
    const fresh = harness.mempool.get(String(done.txid)) as Uint8Array;
    expect(outpointsOf(fresh).filter((outpoint) => outpointsOf(raw).includes(outpoint))).toEqual([]);
    expect(copies(harness)).toBe(1);
    expect(await harness.merchant.submitAll([raw])).toEqual([expect.objectContaining({ code: 'rejected' })]);
  });

  it('stays dead while the wallet cannot pay, and says why', async () => {
    const harness = new TestHarness(40_000);
    const client = await writers.start(harness);
    const { id } = await die(harness, client, 'insufficient priority');
    harness.quote = { ...harness.quote, data: { satoshis: 40_000_000, bytes: 1_000 } };
    const kept = await retry(client, id);
    expect(kept).toMatchObject({ retried: 0, kept: 1 });
    expect(kept.reason).toMatch(/coins|cap/);
    expect(copies(harness)).toBe(0);
  });

  it('whose fee no small coin can pay gets a larger one, though the small ones stand nearer to the chain', async () => {
    const harness = new TestHarness(10_000_000);
    const client = await writers.start(harness, { settings: { maxFeeRate: 8_000_000 } });
    const { id, raw } = await die(harness, client, 'insufficient priority');
    harness.mine();
    const { quote } = harness;
    harness.quote = { ...quote, data: { satoshis: 8_000_000, bytes: 1_000 } };
    const again = async (): Promise<number> => (await retry(client, id)).retried;
    await expect.poll(again, { timeout: PATIENCE_MS }).toBe(1);
    const done = await client.untilState(id, 'submitted', 'seen');
    const replacement = harness.mempool.get(String(done.txid)) as Uint8Array;
    expect(outpointsOf(replacement)).toEqual([...outpointsOf(raw), expect.any(String)]);
    expect(copies(harness)).toBe(1);
  });

  it('stays dead while the fee of now is above maxFeeRate, and says so', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    const { id } = await die(harness, client, 'insufficient priority');
    harness.quote = { ...harness.quote, data: { satoshis: 5_000, bytes: 1_000 } };
    expect(await retry(client, id)).toMatchObject({
      retried: 0,
      kept: 1,
      reason: expect.stringContaining('maxFeeRate'),
    });
    client.set({ maxFeeRate: 5_000 });
    expect(await retry(client, id)).toMatchObject({ retried: 1 });
  });

  it('can die and be taken up again any number of times', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { maxFeeRate: 5_000 } });
    const { id, raw } = await die(harness, client, 'insufficient priority');
    const seen: Uint8Array[] = [raw];
    for (let round = 2; round < 5; round++) {
      harness.quote = { ...harness.quote, data: { satoshis: 500 * round, bytes: 1_000 } };
      harness.beforeSubmit = () => {
        throw new PlanchetError({ code: 'rejected', message: 'insufficient priority' });
      };
      expect(await retry(client, id)).toMatchObject({ retried: 1 });
      await client.untilState(id, 'dead');
      const { rawTx } = await client.service.view.documents.get({ id });
      seen.push(Uint8Array.from(Buffer.from(String(rawTx), 'hex')));
    }
    harness.beforeSubmit = () => {};
    expect(await retry(client, id)).toMatchObject({ retried: 1 });
    await client.untilState(id, 'submitted', 'seen');
    expect(copies(harness)).toBe(1);
    for (const earlier of seen) await harness.merchant.submitAll([earlier]);
    expect(copies(harness)).toBe(1);
  });
});

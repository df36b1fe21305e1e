import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatOutpoint, parseTx } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { World } from '../test-support/harness.ts';
import {
  PATIENCE_MS,
  type Reply,
  scriptOf,
  WriterBench,
  type WriterClient,
  written,
} from '../test-support/writer-client.ts';

let bench: WriterBench;
beforeEach(async () => {
  bench = await WriterBench.open();
});
afterEach(() => bench.close());

const BODY = '{"precious":true}';

/** Writes a document whose transaction the miner refuses with the given words. @returns its id and the refused transaction */
async function die(world: World, client: WriterClient, words: string): Promise<{ id: string; raw: Uint8Array }> {
  await client.write('0');
  const before = world.beforeSubmit;
  world.beforeSubmit = () => {
    throw new PlanchetError({ code: 'rejected', message: words });
  };
  const reply: Reply = await client.write(BODY);
  world.beforeSubmit = before;
  expect(reply.json).toMatchObject({ status: 400, code: 16 });
  const id = idOf(reply);
  const { rawTx } = await client.service.view.get(id);
  return { id, raw: Uint8Array.from(Buffer.from(String(rawTx), 'hex')) };
}

function idOf(reply: Reply): string {
  return String(reply.headers.location).split('/').pop() as string;
}

function outpointsOf(raw: Uint8Array): string[] {
  return parseTx(raw).inputs.map(formatOutpoint);
}

const copies = (world: World): number => written(world).filter((script) => script === scriptOf(BODY)).length;

/** Takes the document up again once the newest blocks are looked through. */
async function retry(client: WriterClient, id: string): Promise<{ retried: number; reason: string | null }> {
  let last = await client.service.view.retryDead([id]);
  const end = performance.now() + PATIENCE_MS;
  while (last.reason?.includes('still being looked through') && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    last = await client.service.view.retryDead([id]);
  }
  return last;
}

describe('a dead letter that is taken up again', () => {
  it('gets another transaction that pays the fee of now and spends a coin of the first, so that one of them is mined at most', async () => {
    const world = new World(1_000_000);
    const client = await bench.start(world, { settings: { maxFeeRate: 5_000 } });
    const { id, raw } = await die(world, client, 'insufficient priority');
    world.quote = { ...world.quote, data: { satoshis: 5_000, bytes: 1_000 } };
    expect(await retry(client, id)).toEqual({ retried: 1, kept: 0, reason: null });
    const done = await client.untilState(id, 'submitted', 'seen');
    const replacement = world.mempool.get(String(done.txid)) as Uint8Array;
    expect(outpointsOf(replacement)).toEqual(expect.arrayContaining(outpointsOf(raw)));
    expect(copies(world)).toBe(1);
    // Whoever kept the refused transaction cannot bring it in any more.
    expect(await world.merchant.submitAll([raw])).toEqual([expect.objectContaining({ code: 'rejected' })]);
    world.mine();
    expect(await client.untilState(id, 'proven')).toMatchObject({ txid: done.txid });
    expect(copies(world)).toBe(1);
  });

  it('goes to its first transaction where that is mined after all, and the second is given up', async () => {
    const world = new World(1_000_000);
    const client = await bench.start(world, { settings: { maxFeeRate: 5_000 } });
    const { id, raw } = await die(world, client, 'insufficient priority');
    let away = true;
    world.beforeSubmit = () => {
      if (away)
        throw new PlanchetError({ code: 'upstream-unreachable', message: 'The merchant API cannot be reached.' });
    };
    const quote = world.quote;
    world.quote = { ...quote, data: { satoshis: 5_000, bytes: 1_000 } };
    expect(await retry(client, id)).toMatchObject({ retried: 1 });
    const second = (await client.service.view.get(id)).txid;
    away = false;
    world.quote = quote;
    // Another miner took the first one; the change it makes is the writer's.
    await world.merchant.submitAll([raw]);
    world.mine();
    const { txid } = await client.untilState(id, 'proven');
    expect(txid).not.toBe(second);
    expect(copies(world)).toBe(1);
    const spendable = await client.write('1');
    expect(spendable.status).toBe(201);
  });

  it('is sent as it is where the miner has it', async () => {
    const world = new World(1_000_000);
    const client = await bench.start(world);
    const { id, raw } = await die(world, client, 'insufficient priority');
    await world.merchant.submitAll([raw]);
    expect(await retry(client, id)).toMatchObject({ retried: 1, kept: 0 });
    await client.untilState(id, 'submitted', 'seen');
    expect(copies(world)).toBe(1);
  });

  it('whose coin somebody else spent is paid for anew, but not before a block holds that', async () => {
    const world = new World(1_000_000);
    const client = await bench.start(world);
    const { id, raw } = await die(world, client, 'txn-mempool-conflict');
    // The coins' own transaction is in a block: only then can its silence about them be trusted.
    world.mine();
    for (const outpoint of outpointsOf(raw)) world.spendElsewhere(outpoint);
    expect(await retry(client, id)).toMatchObject({ retried: 0, kept: 1, reason: expect.stringContaining('no block') });
    expect((await client.service.view.get(id)).state).toBe('dead');
    world.mine();
    expect(await retry(client, id)).toMatchObject({ retried: 1, kept: 0 });
    const done = await client.untilState(id, 'submitted', 'seen');
    const fresh = world.mempool.get(String(done.txid)) as Uint8Array;
    expect(outpointsOf(fresh).filter((outpoint) => outpointsOf(raw).includes(outpoint))).toEqual([]);
    expect(copies(world)).toBe(1);
    expect(await world.merchant.submitAll([raw])).toEqual([expect.objectContaining({ code: 'rejected' })]);
  });

  it('stays dead while the wallet cannot pay, and says why', async () => {
    const world = new World(40_000);
    const client = await bench.start(world);
    const { id } = await die(world, client, 'insufficient priority');
    world.quote = { ...world.quote, data: { satoshis: 40_000_000, bytes: 1_000 } };
    const kept = await retry(client, id);
    expect(kept).toMatchObject({ retried: 0, kept: 1 });
    expect(kept.reason).toMatch(/coins|cap/);
    expect(copies(world)).toBe(0);
  });

  it('stays dead while the fee of now is above maxFeeRate, and says so', async () => {
    const world = new World(1_000_000);
    const client = await bench.start(world);
    const { id } = await die(world, client, 'insufficient priority');
    world.quote = { ...world.quote, data: { satoshis: 5_000, bytes: 1_000 } };
    expect(await retry(client, id)).toMatchObject({
      retried: 0,
      kept: 1,
      reason: expect.stringContaining('maxFeeRate'),
    });
    client.set({ maxFeeRate: 5_000 });
    expect(await retry(client, id)).toMatchObject({ retried: 1 });
  });

  it('can die and be taken up again any number of times', async () => {
    const world = new World(1_000_000);
    const client = await bench.start(world, { settings: { maxFeeRate: 5_000 } });
    const { id, raw } = await die(world, client, 'insufficient priority');
    const seen: Uint8Array[] = [raw];
    for (let round = 2; round < 5; round++) {
      world.quote = { ...world.quote, data: { satoshis: 500 * round, bytes: 1_000 } };
      world.beforeSubmit = () => {
        throw new PlanchetError({ code: 'rejected', message: 'insufficient priority' });
      };
      expect(await retry(client, id)).toMatchObject({ retried: 1 });
      await client.untilState(id, 'dead');
      const { rawTx } = await client.service.view.get(id);
      seen.push(Uint8Array.from(Buffer.from(String(rawTx), 'hex')));
    }
    world.beforeSubmit = () => {};
    expect(await retry(client, id)).toMatchObject({ retried: 1 });
    await client.untilState(id, 'submitted', 'seen');
    expect(copies(world)).toBe(1);
    for (const earlier of seen) await world.merchant.submitAll([earlier]);
    expect(copies(world)).toBe(1);
  });
});

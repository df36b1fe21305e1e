import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../ports/clock.ts';
import { steadyClock } from '../steady-clock.ts';
import { TestHarness } from '../test-support/harness.ts';
import { fastClock, PATIENCE_MS, scriptOf, WriterProcesses, written } from '../test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

describe('a clock that jumps', () => {
  const HOUR = 3_600_000;

  it.each([
    ['back by an hour', -HOUR],
    ['forward by two days', 48 * HOUR],
  ])('%s, in the middle of the work: all is written once, and soon', async (_what, jump) => {
    let offset = 0;
    const clock: Clock = { now: () => fastClock.now() + offset, after: fastClock.after };
    const harness = new TestHarness(10_000_000);
    const client = await writers.start(harness, { options: { clock } });
    const release = harness.holdQuotes();
    const ids = [await client.accept('1'), await client.accept('2')];
    offset += jump;
    ids.push(await client.accept('3'));
    release();
    ids.push(await client.accept('4'));
    for (const id of ids) await client.untilState(id, 'submitted', 'seen');
    offset -= jump;
    ids.push(await client.accept('5'));
    for (const id of ids) await client.untilState(id, 'submitted', 'seen');
    harness.mine();
    for (const id of ids) await client.untilState(id, 'proven');
    expect([...ids].sort()).toEqual(ids);
    expect(written(harness).sort()).toEqual(['1', '2', '3', '4', '5'].map((body) => scriptOf(body)).sort());
  });

  it('back, while the writer was off: what waited is taken up at the start', async () => {
    let offset = 24 * HOUR;
    const clock: Clock = { now: () => fastClock.now() + offset, after: fastClock.after };
    const harness = new TestHarness(10_000_000);
    const first = await writers.start(harness, { options: { clock } });
    harness.holdQuotes();
    const id = await first.accept('1');
    await first.service.stop();
    offset = 0;
    harness.beforeQuote = () => {};
    const second = await writers.start(harness, { options: { clock } });
    await second.untilState(id, 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf('1')]);
  });

  it('back, while the writer was off: what the miner forgot meanwhile is sent again', async () => {
    let offset = 24 * HOUR;
    const clock: Clock = { now: () => fastClock.now() + offset, after: fastClock.after };
    const harness = new TestHarness(10_000_000);
    const first = await writers.start(harness, { options: { clock } });
    const txid = String((await first.write('1')).json.txid);
    await first.service.stop();
    offset = 0;
    harness.forget(txid);
    await writers.start(harness, { options: { clock } });
    await expect.poll(() => harness.mempool.has(txid), { timeout: PATIENCE_MS }).toBe(true);
  });

  it('back by an hour: the console shows how fast documents come from there on', async () => {
    let offset = HOUR;
    const clock: Clock = { now: () => fastClock.now() + offset, after: fastClock.after };
    const client = await writers.start(new TestHarness(10_000_000), { options: { clock } });
    await client.service.view.status();
    offset = 0;
    await client.service.view.status();
    await client.write('1');
    expect((await client.service.view.status()).acceptedRate).toBeGreaterThan(0);
  });

  it('is made steady: it never goes back, and does not stand still', () => {
    let wall = 1_000_000;
    let elapsed = 0;
    const clock = steadyClock({ now: () => wall, after: () => () => {} }, () => elapsed);
    const pass = (ms: number, by = ms): number => {
      elapsed += ms;
      wall += by;
      return clock.now();
    };
    expect(pass(10)).toBe(1_000_010);
    expect(pass(10, -500_000)).toBe(1_000_020);
    expect(pass(10)).toBe(1_000_030);
    expect(pass(10, 900_000)).toBe(1_400_020);
    expect(pass(10)).toBe(1_400_030);
  });
});

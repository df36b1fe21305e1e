import { describe, expect, it } from 'vitest';
import { StillClock } from '../../test-support/still-clock.ts';
import { MintBench } from '../test-support/mint-bench.ts';
import { inscribed, moons, openCollection, reachRun, startRun } from '../test-support/run-bench.ts';

const bench = MintBench.forTests();
const START = 1_700_000_000_000;
const TEN_MINUTES = 600_000;

describe('a run goes on by itself', () => {
  it('after the service was away for ten minutes', async () => {
    const clock = new StillClock(START);
    const t = await openCollection(bench, 5, { clock });
    const tick = () => clock.advance(500);
    const id = await startRun(t);
    await reachRun(bench, t, id, ({ minted }) => minted >= 1, tick);
    bench.service.fault(/token\/v1/, 503, { times: Number.POSITIVE_INFINITY });
    const waiting = await reachRun(bench, t, id, ({ failure }) => failure !== null, tick);
    expect(waiting).toMatchObject({ state: 'minting', failed: 0, failure: { code: 'upstream-error' } });
    const since = clock.now();
    const still = await reachRun(
      bench,
      t,
      id,
      () => clock.now() - since >= TEN_MINUTES,
      () => clock.advance(5_000),
    );
    expect(still).toMatchObject({ state: 'minting', failed: 0, failure: { code: 'upstream-error' } });
    expect(still.minted).toBeLessThan(6);
    bench.service.faults.length = 0;
    const done = await reachRun(bench, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 6, failed: 0, failure: null });
    expect(inscribed(bench)).toEqual(moons(6));
    expect(bench.service.chain.doubleSpends).toEqual([]);
  });

  it('once a full disk has room again, and says meanwhile what is in the way', async () => {
    const clock = new StillClock(START);
    const t = await openCollection(bench, 5, { clock });
    const tick = () => clock.advance(500);
    const id = await startRun(t);
    await reachRun(bench, t, id, ({ minted }) => minted >= 1, tick);
    // What SQLite does where the disk has no room left.
    t.store.sqlite.pragma(`max_page_count = ${t.store.sqlite.pragma('page_count', { simple: true })}`);
    const full = t.store.sqlite.prepare('CREATE TABLE filler (bytes BLOB)');
    expect(() => full.run()).toThrow(/full/);
    const waiting = await reachRun(bench, t, id, ({ failure }) => failure !== null, tick);
    expect(waiting).toMatchObject({ state: 'minting', failed: 0, failure: { code: 'disk-full' } });
    t.store.sqlite.pragma('max_page_count = 1000000');
    const done = await reachRun(bench, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 6, failed: 0, failure: null });
    expect(inscribed(bench)).toEqual(moons(6));
    expect(bench.service.chain.doubleSpends).toEqual([]);
  });
});

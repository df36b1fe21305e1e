import { describe, expect, it } from 'vitest';
import { parseTx, serializeTx, type Tx, type Utxo } from '../../../chain/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { OWN_SCRIPT, signWith } from '../test-support/file-wallet.ts';
import { MintHarness } from '../test-support/mint-harness.ts';
import { inscribed, moons, openCollection, reachRun, startRun } from '../test-support/run-harness.ts';

const harness = MintHarness.forTests();
const START = 1_700_000_000_000;
const TEN_MINUTES = 600_000;

/**
 * Starts a run whose split is in the newest block, and lets the network drop it before an item is signed.
 * @param mints whether the collection token is minted before
 */
async function withDroppedSplit(clock: StillClock, mints = false) {
  const t = await openCollection(harness, 5, { clock });
  const { chain } = harness.service;
  const tick = () => clock.advance(500);
  const stop = () => harness.service.fault(/create-output/, 503, { times: Number.POSITIVE_INFINITY });
  if (!mints) stop();
  // The collection token is the first output.
  else
    harness.service.before = async (call) => {
      if (/create-output/.test(call) && harness.service.count(/create-output/) === 2) stop();
    };
  const id = await startRun(t);
  const { splitTxid } = await reachRun(
    harness,
    t,
    id,
    ({ splitTxid, failure }) => splitTxid !== null && failure !== null,
    tick,
  );
  const split = parseTx(chain.transactions.get(splitTxid as string) as Uint8Array);
  chain.transactions.delete(splitTxid as string);
  chain.mempool.delete(splitTxid as string);
  const drop = () => {
    harness.service.before = async () => {};
    harness.service.faults.length = 0;
  };
  return { t, id, split, splitTxid, tick, drop };
}

/** Spends the first coin of a dropped transaction, so that it can never come back. */
function spendElsewhere(split: Tx): void {
  const { chain } = harness.service;
  const [input] = split.inputs as [(typeof split.inputs)[number]];
  const coin = chain.output(input.txid, input.vout) as Utxo;
  const elsewhere = {
    ...split,
    inputs: [{ ...input, script: new Uint8Array(0) }],
    outputs: split.outputs.slice(0, 1),
  };
  chain.accept(signWith(serializeTx(elsewhere), [coin]));
}

describe('a run goes on by itself', () => {
  it('after the network dropped the transaction that divided the money: the same bytes are sent again', async () => {
    const { t, id, splitTxid, tick, drop } = await withDroppedSplit(new StillClock(START));
    drop();
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 6, failed: 0, failure: null, splitTxid });
    expect(harness.service.chain.transactions.has(splitTxid as string)).toBe(true);
    expect(inscribed(harness)).toEqual(moons(6));
    expect(harness.service.chain.doubleSpends).toEqual([]);
    expect(t.wallet.reservations()).toEqual([]);
  });

  it('after the service was away for ten minutes', { tags: 'long' }, async () => {
    const clock = new StillClock(START);
    const t = await openCollection(harness, 5, { clock });
    const tick = () => clock.advance(500);
    const id = await startRun(t);
    await reachRun(harness, t, id, ({ minted }) => minted >= 1, tick);
    harness.service.fault(/token\/v1/, 503, { times: Number.POSITIVE_INFINITY });
    const waiting = await reachRun(harness, t, id, ({ waits }) => waits, tick);
    expect(waiting).toMatchObject({ state: 'paused', failed: 0, failure: { code: 'upstream-error' } });
    const since = clock.now();
    const still = await reachRun(
      harness,
      t,
      id,
      () => clock.now() - since >= TEN_MINUTES,
      () => clock.advance(5_000),
    );
    expect(still).toMatchObject({ state: 'paused', waits: true, failed: 0, failure: { code: 'upstream-error' } });
    expect(still.minted).toBeLessThan(6);
    harness.service.faults.length = 0;
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 6, failed: 0, failure: null });
    expect(inscribed(harness)).toEqual(moons(6));
    expect(harness.service.chain.doubleSpends).toEqual([]);
  });

  it('once a full disk has room again, and reports the full disk meanwhile', async () => {
    const clock = new StillClock(START);
    const t = await openCollection(harness, 5, { clock });
    const tick = () => clock.advance(500);
    const id = await startRun(t);
    await reachRun(harness, t, id, ({ minted }) => minted >= 1, tick);
    // What SQLite does where the disk has no room left.
    t.store.sqlite.exec('CREATE TABLE IF NOT EXISTS filler (bytes BLOB)');
    t.store.sqlite.pragma(`max_page_count = ${t.store.sqlite.pragma('page_count', { simple: true })}`);
    const fill = t.store.sqlite.prepare('INSERT INTO filler VALUES (zeroblob(4000))');
    // Pages that migrations left free are used up first.
    expect(() => {
      for (;;) fill.run();
    }).toThrow(/full/);
    const waiting = await reachRun(harness, t, id, ({ waits }) => waits, tick);
    expect(waiting).toMatchObject({ state: 'paused', failed: 0, failure: { code: 'disk-full' } });
    t.store.sqlite.pragma('max_page_count = 1000000');
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 6, failed: 0, failure: null });
    expect(inscribed(harness)).toEqual(moons(6));
    expect(harness.service.chain.doubleSpends).toEqual([]);
  });
});

describe('a run waits for another approval', () => {
  it('where the coins that were to be divided are spent elsewhere: the rest is planned anew', async () => {
    const { t, id, split, splitTxid, tick, drop } = await withDroppedSplit(new StillClock(START));
    spendElsewhere(split);
    t.wallet.add(harness.service.chain.fund(OWN_SCRIPT, [300_000]));
    drop();
    const paused = await reachRun(harness, t, id, ({ state, waits }) => state === 'paused' && !waits, tick);
    expect(paused).toMatchObject({
      canApprove: true,
      canResume: false,
      minted: 0,
      failure: { id: 'run.split-dropped' },
    });
    await t.studio.runs.approve({ id, digest: paused.digest });
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 6, failed: 0, failure: null });
    expect(done.splitTxid).not.toBe(splitTxid);
    expect(inscribed(harness)).toEqual(moons(6));
    expect(t.wallet.reservations()).toEqual([]);
  });

  it('and sends no split if the rest is cancelled instead', async () => {
    const { t, id, split, tick, drop } = await withDroppedSplit(new StillClock(START), true);
    const { chain } = harness.service;
    spendElsewhere(split);
    t.wallet.add(chain.fund(OWN_SCRIPT, [300_000]));
    drop();
    await reachRun(harness, t, id, ({ failure }) => failure?.id === 'run.split-dropped', tick);
    const before = { sent: chain.transactions.size, spendable: t.wallet.balance().spendable };
    await t.studio.runs.cancel({ id });
    const done = await reachRun(harness, t, id, ({ state }) => state === 'done', tick);
    expect(done).toMatchObject({ minted: 1, failed: 0, cancelled: 5, failure: null, splitTxid: null });
    expect({ sent: chain.transactions.size, spendable: t.wallet.balance().spendable }).toEqual(before);
    expect(t.wallet.reservations()).toEqual([]);
  });
});

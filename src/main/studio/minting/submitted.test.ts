import { describe, expect, it } from 'vitest';
import { parseTx, serializeTx, type Utxo } from '../../../chain/index.ts';
import type { MintJob } from '../../../contract/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { signWith } from '../test-support/file-wallet.ts';
import { approved, MintHarness, reach } from '../test-support/mint-harness.ts';
import type { TestStudio } from '../test-support/test-studio.ts';

const harness = MintHarness.forTests();
const START = Date.parse('2026-11-22T12:00:00Z');

/** A mint that the network had and dropped; it is sent again within a minute of the clock. */
async function dropped() {
  const clock = new StillClock(START);
  const t = await harness.ready(1, { clock });
  const id = await approved(t, t.itemIds);
  const reached = (done: (job: MintJob) => boolean) => whileTimePasses(t, clock, id, done);
  const { txid } = await reached(({ state }) => state === 'seen');
  const { chain } = harness.service;
  const raw = chain.transactions.get(txid as string) as Uint8Array;
  chain.transactions.delete(txid as string);
  chain.mempool.delete(txid as string);
  const sent = harness.service.count(/miner\/submit/);
  const again = () => harness.service.count(/miner\/submit/) - sent;
  return { t, clock, id, txid: txid as string, raw, reached, again };
}

function whileTimePasses(t: TestStudio, clock: StillClock, id: string, done: (job: MintJob) => boolean) {
  return reach(t, id, (job) => {
    if (done(job)) return true;
    clock.advance(1_000);
    return false;
  });
}

/** Spends a coin of a transaction elsewhere, so that no node takes it. @returns a function that undoes this */
function spendOtherwise(raw: Uint8Array): () => void {
  const { chain } = harness.service;
  const tx = parseTx(raw);
  const [input] = tx.inputs as [(typeof tx.inputs)[number]];
  const coin = chain.output(input.txid, input.vout) as Utxo;
  const other = { ...tx, inputs: [{ ...input, script: new Uint8Array(0) }], outputs: tx.outputs.slice(0, 1) };
  const txid = chain.accept(signWith(serializeTx(other), [coin]));
  return () => {
    chain.transactions.delete(txid);
    chain.mempool.delete(txid);
  };
}

describe('a submitted mint that the network dropped', () => {
  it('stops where it is refused when it is sent again, and goes on by a retry once it is taken', async () => {
    const { t, clock, id, txid, raw, reached, again } = await dropped();
    const takeBack = spendOtherwise(raw);
    const refused = await reached(({ active }) => !active);
    expect(refused).toMatchObject({ state: 'submitted', txid, retryAt: null, failure: { code: 'rejected' } });
    expect(again()).toBe(1);
    clock.advance(3_600_000);
    await expect(t.studio.mint.retry({ id })).rejects.toMatchObject({ code: 'rejected' });
    expect(t.studio.jobs()).toMatchObject([{ state: 'submitted', active: false, failure: { code: 'rejected' } }]);
    expect(again()).toBe(2);
    takeBack();
    expect(await t.studio.mint.retry({ id })).toMatchObject({ state: 'submitted', active: true, failure: null });
    await reached(({ state }) => state === 'seen');
    expect(again()).toBe(3);
    expect(harness.minted()).toHaveLength(1);
  });

  it('is sent again and again if the miner refuses the client, which says nothing about the transaction', async () => {
    const { id, txid, reached, again, t } = await dropped();
    harness.service.fault(/miner\/submit/, 401, { times: 2 });
    await reached(({ state, failure }) => state === 'submitted' && failure !== null);
    expect(t.studio.jobs()).toMatchObject([{ id, active: true, failure: { code: 'unauthorized' } }]);
    expect(await reached(({ state }) => state === 'seen')).toMatchObject({ txid, failure: null });
    expect(again()).toBe(3);
  });

  it('is sent again at once where the clock was put back since', async () => {
    const { t, clock, id, txid, reached, again } = await dropped();
    await reached(({ state }) => state === 'submitted');
    clock.advance(-3_600_000);
    const seen = await reach(t, id, ({ state }) => {
      t.tip.announce();
      return state === 'seen';
    });
    expect(seen).toMatchObject({ txid, failure: null });
    expect(again()).toBe(1);
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseTx } from '../../../chain/index.ts';
import { TrackedNode } from '../test-support/tracked-node.ts';
import { ancestorsOf } from './ancestors.ts';
import { SpentOutputs } from './spent-outputs.ts';

let tracked: TrackedNode;
beforeEach(async () => {
  tracked = await TrackedNode.open();
});
afterEach(() => tracked.remove());

/** Puts payments of a coin into the mempool, each of the one before. @returns the last one's coin */
async function chainOf(length: number, coin: Awaited<ReturnType<TrackedNode['coins']>>[0]) {
  let last = coin;
  for (let n = 0; n < length; n++) {
    const { rawTx, txid, tx } = tracked.payment(last);
    expect(await tracked.opened.node.submit(rawTx)).toMatchObject({ ok: true });
    const { satoshis, script } = tx.outputs[0] as (typeof tx.outputs)[0];
    last = { txid, vout: 0, satoshis, lockingScript: script };
  }
  return last;
}

async function lengthOf(rawTx: Uint8Array, txid: string): Promise<number | undefined> {
  const transaction = { txid, raw: rawTx, tx: parseTx(rawTx), spent: [], place: 0, format: 'raw' as const };
  const spent = await new SpentOutputs(tracked.chainData, {
    rawOf: async () => new Map(),
    spendersOf: async () => [],
  }).of([transaction], []);
  return (await ancestorsOf(tracked.chainData, [transaction], spent)).get(txid);
}

it('the check of ancestors counts the longest chain of unmined ancestors, not how many there are', async () => {
  const coins = await tracked.coins(3);
  const [a, b, c] = coins as [(typeof coins)[0], (typeof coins)[0], (typeof coins)[0]];
  const ends = [await chainOf(3, a), await chainOf(2, b), c];
  // joins both chains: five ancestors, of which three are in a row
  const joined = tracked.joined(ends);
  expect(await tracked.opened.node.submit(joined.rawTx)).toMatchObject({ ok: true });
  const { satoshis, script } = joined.tx.outputs[0] as (typeof joined.tx.outputs)[0];
  const next = tracked.payment({ txid: joined.txid, vout: 0, satoshis, lockingScript: script });
  expect(await lengthOf(next.rawTx, next.txid)).toBe(4);
});

it('the check of ancestors counts all ancestors where the node does not say what each depends on, and none where it does not answer', async () => {
  const [coin] = await tracked.coins(1);
  const { rawTx, txid } = tracked.payment(await chainOf(2, coin as NonNullable<typeof coin>));
  const answer = (value: unknown) => {
    tracked.answer = (method) => (method === 'getmempoolancestors' ? value : undefined);
  };
  answer(['11'.repeat(32), '22'.repeat(32), '33'.repeat(32)]);
  expect(await lengthOf(rawTx, txid)).toBe(4);
  answer(new Error('away'));
  expect(await lengthOf(rawTx, txid)).toBe(1);
});

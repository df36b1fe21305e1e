import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainData } from '../../ports/chain-data.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { TrackedNode } from '../test-support/tracked-node.ts';
import { minedStep } from './block-follower.ts';

let tracked: TrackedNode;
beforeEach(async () => {
  tracked = await TrackedNode.open();
});
afterEach(() => tracked.remove());

const missing = new NodeRpcError(-5, 'No such mempool or blockchain transaction');
const block = { hash: 'b'.repeat(64), height: 120 };
const proof = {
  bump: new Uint8Array(1),
  header: new Uint8Array(80),
  blockHash: block.hash,
  height: block.height,
  index: 0,
};

const output = { value: 1, confirmations: 1, scriptPubKey: { hex: '51' } };

/** During which answer of the node the proof arrives, and what the look would have made of the transaction. */
const moments = [
  ['gettxout', 'manual', 'sent it again', output],
  ['gettxout', 'mint', 'left it to its service', output],
  ['getmempoolentry', 'manual', 'found it in the mempool', {}],
  ['getmempoolentry', 'manual', 'postponed it', missing],
] as const;

describe('a check of what waits for a block', () => {
  it.each(moments)(
    'leaves what was proven during %s (%s) where it would have %s',
    async (during, origin, _, answer) => {
      const [coin] = await tracked.coins(1);
      const { txid, rawTx } = tracked.payment(coin as NonNullable<typeof coin>);
      await tracked.submit(rawTx, origin);
      // The last two are looked at while their miner may still hand them to the node.
      if (during === 'gettxout') await tracked.settle();
      const looked = during === 'gettxout' ? 'seen' : 'submitted';
      expect(await tracked.state(txid)).toBe(looked);
      let proven: Promise<void> | undefined;
      tracked.answer = async (method, [asked]) => {
        if (method === 'getrawmempool') return [];
        const isIt = asked === txid || method === 'gettxout';
        if (method === during && isIt) {
          proven ??= tracked.tracker.change([txid], () => minedStep(block, proof));
          await proven;
          return answer;
        }
        if (method === 'gettxout') return output;
        return isIt && (method === 'getmempoolentry' || method === 'getrawtransaction') ? missing : undefined;
      };
      tracked.opened.clock.advance(looked === 'seen' ? 700_000 : 1_000);
      await tracked.follower.check();
      expect(proven).toBeDefined();
      expect(await tracked.state(txid)).toBe('proven');
      // Nothing is left to look at.
      tracked.calls = [];
      tracked.opened.clock.advance(700_000);
      await tracked.follower.check();
      expect(tracked.calls).not.toContain('getmempoolentry');
    },
  );
});

it.each([
  ['in a block', 'double-spent'],
  ['nowhere', 'seen'],
] as const)(
  'the tracker compares a transaction that services still have with the one that a miner says spends its coin: %s',
  async (where, state) => {
    const [coin] = await tracked.coins(1);
    const ours = tracked.payment(coin as NonNullable<typeof coin>);
    const rival = tracked.payment(coin as NonNullable<typeof coin>, 700);
    await tracked.submit(ours.rawTx);
    await tracked.settle();
    expect(await tracked.state(ours.txid)).toBe('seen');
    const verdict = {
      txid: ours.txid,
      status: 'double-spend-attempted',
      word: '',
      reason: null,
      failure: null,
      block: null,
      bump: null,
      conflicts: [{ txid: rival.txid, rawTx: null }],
      raw: '',
      signature: 'none',
    } as const;
    const isMined = where === 'in a block';
    const services: Partial<ChainData> = {
      withoutLists: true,
      until: () => tracked.chainData,
      isInMempool: async () => ({ basis: 'told', value: true }),
      transaction: async (txid) =>
        txid === rival.txid ? { basis: 'proven', value: rival.rawTx } : { basis: 'unknown' },
      placeOf: async (txid) => ({ basis: 'told', value: txid === rival.txid && isMined ? block : null }),
      spends: async () => ({ spender: undefined, claimedBy: [], deniedBy: [], silent: [] }),
    };
    Object.assign(tracked.chainData, services);
    await tracked.tracker.answered({ id: 'm', name: 'm', kind: 'arc' }, 'callback', [verdict]);
    await tracked.follower.check();
    expect(await tracked.tracker.get(ours.txid)).toMatchObject({ state, doubleSpentBy: rival.txid });
  },
);

it('the tracker looks at what is to be looked at by a clock that was put back since', async () => {
  const [coin] = await tracked.coins(1);
  const { txid, rawTx } = tracked.payment(coin as NonNullable<typeof coin>);
  await tracked.submit(rawTx);
  await tracked.settle();
  const { clock } = tracked.opened;
  const looksAt = async (dueAt: number) => {
    await tracked.tracker.change([txid], () => ({ change: { dueAt }, events: [] }));
    tracked.calls = [];
    await tracked.follower.check();
    return tracked.calls.includes('getmempoolentry');
  };
  expect(await looksAt(clock.now() + 3_600_000)).toBe(false);
  expect(await looksAt(clock.now() + 30 * 86_400_000)).toBe(true);
});

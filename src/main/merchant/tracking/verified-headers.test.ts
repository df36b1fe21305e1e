import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainHeader } from '../../ports/headers.ts';
import { TrackedNode } from '../test-support/tracked-node.ts';

let tracked: TrackedNode;
beforeEach(async () => {
  tracked = await TrackedNode.open();
});
afterEach(() => tracked.remove());

const node = () => tracked.opened.node;

describe('following submitted transactions with verified headers', () => {
  const headerOf = (hash: string, height: number): ChainHeader => ({ hash, height, header: new Uint8Array(80) });

  it('believes no block that is not among them, and goes on once they have it', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.submit(rawTx);
    await tracked.settle();
    const [hash] = (await node().mine(1)) as [string];
    const { height } = node().tip();
    const { headers } = tracked;
    headers.tip = headerOf('ab'.repeat(32), height);
    headers.at = (at) => (at === height ? (headers.tip as ChainHeader) : undefined);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('seen');
    // they were on the branch that the node had left
    headers.refresh = async () => {
      headers.tip = headerOf(hash, height);
    };
    await tracked.settle();
    expect(await tracked.statesOf(txid)).toEqual(['queued', 'submitted', 'seen', 'mined', 'proven']);
  });

  it('believes a block above them that shows its work, and reads them first if they lack few blocks', async () => {
    const [first, second] = await tracked.coins(2);
    const { headers } = tracked;
    let refreshes = 0;
    headers.refresh = async () => {
      refreshes += 1;
    };
    for (const [coin, lacking] of [
      [first!, 3],
      [second!, 500],
    ] as const) {
      const { txid, rawTx } = tracked.payment(coin);
      await tracked.submit(rawTx);
      await tracked.settle();
      headers.tip = headerOf('ab'.repeat(32), node().tip().height + 1 - lacking);
      refreshes = 0;
      await node().mine(1);
      await tracked.settle();
      expect(await tracked.state(txid)).toBe('proven');
      expect(refreshes).toBe(lacking === 3 ? 1 : 0);
    }
  });

  it('takes no proof that leads to a block that left them', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.submit(rawTx);
    await tracked.settle();
    const [hash] = (await node().mine(1)) as [string];
    const { height } = node().tip();
    const header = await tracked.call<object>('getblockheader', [hash, true]);
    tracked.answer = (method, [asked, verbose]) => {
      if (method === 'getmerkleproof2') tracked.headers.at = () => headerOf('ab'.repeat(32), height);
      // its transactions are not listed but asked for one by one
      return method === 'getblockheader' && asked === hash && verbose === true
        ? { ...header, num_tx: 200_001 }
        : undefined;
    };
    await tracked.settle();
    expect((await tracked.transactions.get({ txid })).proof).toBeNull();
    expect(await tracked.state(txid)).not.toBe('proven');
  });
});

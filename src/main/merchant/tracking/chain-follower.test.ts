import { MerklePath } from '@bsv/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPath, fromHex, parseHeader } from '../../../chain/index.ts';
import { createProofVerifier } from '../../chain-data/headers/proof-verifier.ts';
import type { MinerVerdict } from '../../ports/merchant/miners.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { TrackedNode } from '../test-support/tracked-node.ts';
import { takeProofs } from './reported-proofs.ts';

let tracked: TrackedNode;
beforeEach(async () => {
  tracked = await TrackedNode.open();
});
afterEach(() => tracked.remove());

const node = () => tracked.opened.node;

describe('following submitted transactions', () => {
  it('goes from queued to proven, and stores a proof that another library accepts', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    expect(await tracked.submit(rawTx)).toBe(txid);
    expect(await tracked.state(txid)).toBe('submitted');
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('seen');
    const [hash] = await node().mine(1);
    await tracked.settle();
    expect(await tracked.statesOf(txid)).toEqual(['queued', 'submitted', 'seen', 'mined', 'proven']);
    const { proof, block, confirmations } = await tracked.transactions.get({ txid });
    expect(block).toEqual({ hash, height: node().tip().height });
    expect(confirmations).toBe(1);
    const path = MerklePath.fromBinary([...fromHex(proof!.bump)]);
    expect(path.computeRoot(txid)).toBe(parseHeader(fromHex(proof!.header)).merkleRoot);
    expect(path.blockHeight).toBe(block!.height);
  });

  it('looks at what was submitted a moment later, without being asked', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.settle();
    await tracked.submit(rawTx);
    for (let step = 0; step < 10; step++) {
      tracked.opened.clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => tracked.state(txid), { timeout: 60_000, interval: 5 }).toBe('seen');
  });

  it('asks for the proof of each in a block with too many transactions to list', async () => {
    const coins = await tracked.coins(3);
    const payments = coins.map((coin) => tracked.payment(coin));
    for (const { rawTx } of payments) await tracked.submit(rawTx);
    await tracked.settle();
    const [hash] = await node().mine(1);
    const header = await tracked.call<object>('getblockheader', [hash, true]);
    tracked.answer = (method, [asked, verbose]) =>
      method === 'getblockheader' && asked === hash && verbose === true ? { ...header, num_tx: 200_001 } : undefined;
    tracked.calls = [];
    await tracked.settle();
    expect(tracked.calls).not.toContain('getblock');
    // for its block, then for the proof in it
    expect(tracked.calls.filter((method) => method === 'getmerkleproof2')).toHaveLength(6);
    expect(tracked.calls).not.toContain('getrawtransaction');
    for (const { txid } of payments) {
      const { state, proof, block } = await tracked.transactions.get({ txid });
      expect({ state, block: block?.hash }).toEqual({ state: 'proven', block: hash });
      expect(MerklePath.fromBinary([...fromHex(proof!.bump)]).computeRoot(txid)).toBe(proof!.merkleRoot);
    }
  });

  it('makes the proof from the list of a block that was searched before, where the node makes none', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.submit(rawTx);
    await tracked.settle();
    const [hash] = await node().mine(1);
    const header = await tracked.call<object>('getblockheader', [hash, true]);
    let isLarge = true;
    tracked.answer = (method, [asked, verbose]) => {
      if (method === 'getmerkleproof2') return new NodeRpcError(-32601, 'Method not found');
      const isCounted = method === 'getblockheader' && asked === hash && verbose === true && isLarge;
      return isCounted ? { ...header, num_tx: 200_001 } : undefined;
    };
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('mined');
    expect(await tracked.tracker.proofOf(txid)).toBeUndefined();
    isLarge = false;
    for (let look = 0; look < 10; look++) await tracked.settle();
    expect(await tracked.state(txid)).toBe('proven');
    const proof = await tracked.tracker.proofOf(txid);
    expect(proof).toMatchObject({ hash, height: node().tip().height, path: { txid } });
    expect(checkPath(proof!.path).root).toBe(parseHeader(proof!.header).merkleRoot);
    await node().reorg(1);
    await tracked.settle();
    expect((await tracked.tracker.proofOf(txid))?.hash).not.toBe(hash);
  });

  it('writes once that a block holds a transaction, however long the node has no proof of it', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.submit(rawTx);
    await tracked.settle();
    const [hash] = await node().mine(1);
    const header = await tracked.call<object>('getblockheader', [hash, true]);
    tracked.answer = (method, [asked, verbose]) => {
      if (method === 'getmerkleproof2') return new Error('there is none');
      return method === 'getblockheader' && asked === hash && verbose === true
        ? { ...header, num_tx: 200_001 }
        : undefined;
    };
    for (let look = 0; look < 20; look++) await tracked.settle();
    expect(await tracked.state(txid)).toBe('mined');
    expect((await tracked.statesOf(txid)).filter((state) => state === 'mined')).toHaveLength(1);
    tracked.answer = () => undefined;
    for (let look = 0; look < 10; look++) await tracked.settle();
    expect(await tracked.state(txid)).toBe('proven');
  });

  it('finds many in one block with one list of its transactions', async () => {
    const coins = await tracked.coins(60);
    const payments = coins.map((coin) => tracked.payment(coin));
    await tracked.submitter.submit(payments.map(({ rawTx }) => ({ rawTx, origin: 'manual' })));
    await tracked.settle();
    tracked.calls = [];
    await node().mine(1);
    await tracked.settle();
    const counts = await tracked.transactions.counts();
    expect(counts).toEqual({ proven: 60 });
    expect(tracked.calls.filter((method) => method === 'getblock')).toHaveLength(1);
    expect(tracked.calls).not.toContain('getrawtransaction');
  });

  it('finds what was mined while it was not running', async () => {
    const coins = await tracked.coins(2);
    const [first, second] = coins.map((coin) => tracked.payment(coin));
    await tracked.submit(first!.rawTx);
    await tracked.submit(second!.rawTx);
    await tracked.stop();
    await node().mine(4);
    await tracked.start();
    expect(await tracked.state(first!.txid)).toBe('proven');
    expect(await tracked.state(second!.txid)).toBe('proven');
    expect((await tracked.tracker.get(first!.txid))?.block?.height).toBe(node().tip().height - 3);
  });

  it('takes a proof back with the block that left the chain, and finds the next one', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.submit(rawTx);
    await node().mine(2);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('proven');
    // The branch holds nothing but coinbases, so the node takes the payment back into its mempool.
    await node().reorg(2);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('seen');
    expect((await tracked.transactions.get({ txid })).proof).toBeNull();
    const [hash] = await node().mine(1);
    await tracked.settle();
    expect((await tracked.tracker.get(txid))?.block?.hash).toBe(hash);
    expect(await tracked.statesOf(txid)).toEqual([
      'queued',
      'submitted',
      'mined',
      'proven',
      'stale',
      'seen',
      'mined',
      'proven',
    ]);
  });

  it('takes a proof back that a miner sent of a block that was never searched here, once the headers left it', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    const rival = tracked.payment(coin!, 900);
    await tracked.submit(rawTx);
    await tracked.settle();
    const [hash = ''] = await node().mine(1);
    const height = node().tip().height;
    const proof = await tracked.call('getmerkleproof2', [hash, txid, false, 'header']);
    const header = fromHex(await tracked.call<string>('getblockheader', [hash, false]));
    const active = new Map([[hash, { hash, height, header }]]);
    const headers = {
      header: (asked: string) => active.get(asked),
      at: () => undefined,
      tip: { hash, height, header },
      isActive: (asked: string) => active.has(asked),
      isAgreed: true,
      refresh: async () => undefined,
      onChange: () => () => undefined,
    };
    const { tracker } = tracked;
    const verdict = { txid, status: 'mined', proof, bump: null } as unknown as MinerVerdict;
    const miner = { id: 'node', name: 'node', kind: 'mapi' } as const;
    await takeProofs({ tracker, proofs: createProofVerifier(headers) }, miner, [verdict]);
    expect(await tracked.state(txid)).toBe('proven');
    // The node leaves the block before the follower saw it; another payment of the coin is mined.
    const [, top = ''] = await node().reorg(1, { transactions: [rival.rawTx] });
    active.clear();
    const tip = { hash: top, height: height + 1, header };
    await tracked.settle();
    await tracked.follower.leave({ fork: height - 1, left: 1, tip }, headers.isActive);
    await tracked.settle();
    expect(await tracked.tracker.get(txid)).toMatchObject({ state: 'double-spent', doubleSpentBy: rival.txid });
    expect((await tracked.transactions.get({ txid })).proof).toBeNull();
  });

  it('names the transaction that spent the same coin, and takes that back as well', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    const rival = tracked.payment(coin!, 900);
    await tracked.submit(rawTx);
    await node().mine(1);
    await tracked.settle();
    await node().reorg(1, { transactions: [rival.rawTx] });
    await tracked.settle();
    expect(await tracked.tracker.get(txid)).toMatchObject({
      state: 'double-spent',
      doubleSpentBy: rival.txid,
      block: null,
      confirmations: 0,
    });
    await node().reorg(2, { transactions: [rawTx] });
    await tracked.settle();
    expect(await tracked.tracker.get(txid)).toMatchObject({ state: 'proven', doubleSpentBy: null });
  });

  it('names who spent the coin of a transaction that was refused', async () => {
    const [coin] = await tracked.coins(1);
    const rival = tracked.payment(coin!, 900);
    await node().submit(rival.rawTx);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.submit(rawTx);
    await tracked.settle();
    expect(await tracked.tracker.get(txid)).toMatchObject({ state: 'failed', reason: { code: 'double-spend' } });
    await node().mine(1);
    await tracked.settle();
    expect(await tracked.tracker.get(txid)).toMatchObject({ state: 'double-spent', doubleSpentBy: rival.txid });
  });

  it('sends what the node dropped once more, but leaves a mint to its service', async () => {
    const [first, second] = await tracked.coins(2);
    const payment = tracked.payment(first!);
    const mint = tracked.payment(second!);
    await tracked.submit(payment.rawTx);
    await tracked.submit(mint.rawTx, 'mint');
    await tracked.settle();
    expect(await tracked.state(mint.txid)).toBe('seen');
    // The node forgets its mempool after fourteen days.
    tracked.opened.clock.advance(15 * 24 * 3_600_000);
    await tracked.settle();
    await node().expire();
    tracked.opened.clock.advance(700_000);
    await tracked.settle();
    expect(await tracked.state(payment.txid)).toBe('seen');
    expect(await tracked.statesOf(payment.txid)).toEqual([
      'queued',
      'submitted',
      'seen',
      'evicted',
      'submitted',
      'seen',
    ]);
    expect(node().mempool.get(mint.txid)).toBeUndefined();
    expect(await tracked.state(mint.txid)).toBe('evicted');
  });

  it('sends what was journalled but not sent after a restart, but leaves a payment to its service', async () => {
    const [first, second] = await tracked.coins(2);
    const byHand = tracked.payment(first!);
    const payment = tracked.payment(second!);
    await tracked.tracker.track([
      { rawTx: byHand.rawTx, origin: 'manual' },
      { rawTx: payment.rawTx, origin: 'wallet' },
    ]);
    await tracked.stop();
    await tracked.start();
    await tracked.settle();
    expect(await tracked.state(byHand.txid)).toBe('queued');
    tracked.opened.clock.advance(60_000);
    await tracked.settle();
    expect(await tracked.statesOf(byHand.txid)).toEqual(['queued', 'submitted', 'seen']);
    const { events } = await tracked.transactions.get(byHand);
    expect(events.filter(({ kind }) => kind === 'retry')).toMatchObject([
      { text: 'No miner could take it; it is sent again.' },
    ]);
    expect(await tracked.state(payment.txid)).toBe('queued');
  });

  it('believes no list of transactions that does not lead to the Merkle root of the header', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.tracker.track([{ rawTx, origin: 'manual' }]);
    await node().mine(1);
    const lie = { tx: ['ab'.repeat(32), txid] };
    tracked.answer = (method, params) => (method === 'getblock' && params[1] === 1 ? lie : undefined);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('queued');
    tracked.answer = () => undefined;
    await tracked.submit(rawTx);
    await node().mine(1);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('proven');
  });

  it('goes on where it was once the node can be reached again', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin!);
    await tracked.submit(rawTx);
    await node().mine(1);
    tracked.answer = () => new Error('away');
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('submitted');
    tracked.answer = () => undefined;
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('proven');
  });

  it('asks the node seldom for what has waited long', async () => {
    const coins = await tracked.coins(40);
    await tracked.submitter.submit(coins.map((coin) => ({ rawTx: tracked.payment(coin).rawTx, origin: 'manual' })));
    await tracked.settle();
    const { clock } = tracked.opened;
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(60_000);
      await tracked.follower.check();
    }
    tracked.calls = [];
    for (let second = 0; second < 600; second++) {
      clock.advance(1_000);
      await tracked.follower.check();
    }
    const lists = tracked.calls.filter((method) => method === 'getrawmempool');
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.length).toBeLessThan(4);
  });
});

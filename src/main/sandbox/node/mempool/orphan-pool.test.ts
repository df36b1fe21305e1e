import { afterEach, describe, expect, it } from 'vitest';
import { satoshis, serializeTx, type Tx, txidOf, type Utxo } from '../../../../chain/index.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode, walletKey } from '../test-support/open-node.ts';
import { accepted, coinOf, outputCoin, spend } from '../test-support/spend.ts';
import type { MempoolLimits, SubmitOptions, SubmitResult } from '../types.ts';

const other = lockingScriptOf(otherKey);
const MISSING = { ok: false, code: 16, reason: 'missing-inputs' };

let opened: TestNode;
let told: string[];
afterEach(() => opened.remove());

async function open(limits: Partial<MempoolLimits> = {}): Promise<TestNode> {
  opened = await openTestNode({ limits });
  told = [];
  opened.node.onTransactions((transactions) => told.push(...transactions.map(({ txid }) => txid)));
  return opened;
}

const fromPeer = (tx: Tx, options: SubmitOptions = {}): Promise<SubmitResult> =>
  opened.node.submit(serializeTx(tx), { ...options, source: 'p2p' });

const idOf = (tx: Tx): string => txidOf(serializeTx(tx));

/** A line of payments that begins with a coin of the wallet. */
function line(coin: Utxo, length: number, fee = 1_000): Tx[] {
  const txs = [spend([coin], walletKey, [{ satoshis: coin.satoshis - fee, script: other }])];
  while (txs.length < length) {
    const last = txs.at(-1) as Tx;
    const output = outputCoin(last, idOf(last), 0);
    txs.push(spend([output], otherKey, [{ satoshis: output.satoshis - fee, script: other }]));
  }
  return txs;
}

describe('a transaction with an unknown parent', () => {
  it('is refused, and accepted with its own orphans when the parent arrives', async () => {
    const { node } = await open();
    const [parent, child, grandchild] = line(await coinOf(node, walletKey), 3) as [Tx, Tx, Tx];
    for (const tx of [grandchild, child, child]) expect(await fromPeer(tx)).toMatchObject(MISSING);
    expect([node.orphans.size, node.mempool.size, told]).toEqual([2, 0, []]);
    expect(node.orphans.bytes).toBe(serializeTx(child).length + serializeTx(grandchild).length);
    await accepted(node, parent);
    expect(node.mempool.txids()).toEqual([idOf(parent), idOf(child), idOf(grandchild)]);
    expect(told).toEqual(node.mempool.txids());
    expect([node.orphans.size, node.orphans.bytes]).toEqual([0, 0]);
    expect(await node.submit(serializeTx(child))).toMatchObject({ ok: true, known: true });
    expect((await opened.reopen()).mempool.txids()).toEqual([idOf(parent), idOf(child), idOf(grandchild)]);
  });

  it('is held only if a peer sent it: an RPC client gets an error', async () => {
    const { node } = await open();
    const [parent, child] = line(await coinOf(node, walletKey), 2) as [Tx, Tx];
    expect(await node.submit(serializeTx(child))).toMatchObject(MISSING);
    expect(node.orphans.size).toBe(0);
    expect(await fromPeer(child)).toMatchObject(MISSING);
    expect(await node.submit(serializeTx(child))).toMatchObject(MISSING);
    expect(node.orphans.has(idOf(child))).toBe(true);
    await accepted(node, parent);
    expect(node.mempool.txids()).toEqual([idOf(parent), idOf(child)]);
  });

  it('waits for all of its parents, in any order', async () => {
    const { node } = await open();
    const [left] = line(await coinOf(node, walletKey, 0), 1) as [Tx];
    const [right] = line(await coinOf(node, walletKey, 1), 1) as [Tx];
    const coins = [outputCoin(left, idOf(left), 0), outputCoin(right, idOf(right), 0)];
    const both = spend(coins, otherKey, [{ satoshis: coins[0]?.satoshis ?? 0, script: other }]);
    expect(await fromPeer(both)).toMatchObject(MISSING);
    await accepted(node, left);
    expect(node.orphans.has(idOf(both))).toBe(true);
    await accepted(node, right);
    expect(node.mempool.txids()).toEqual([idOf(left), idOf(right), idOf(both)]);
  });

  it('is accepted when a block contains the parent', async () => {
    const { node } = await open();
    const [parent, child] = line(await coinOf(node, walletKey), 2) as [Tx, Tx];
    expect(await fromPeer(child)).toMatchObject(MISSING);
    await node.reorg(1, { transactions: [serializeTx(parent)] });
    expect(node.mempool.txids()).toEqual([idOf(child)]);
  });

  it('is validated with its original options, and dropped if it breaks a rule', async () => {
    const { node } = await open();
    const [parent] = line(await coinOf(node, walletKey), 1) as [Tx];
    const output = outputCoin(parent, idOf(parent), 0);
    const free = spend([output], otherKey, [{ satoshis: output.satoshis, script: other }]);
    const signed = spend([output], otherKey, [{ satoshis: output.satoshis - 5_000, script: other }]);
    const forged = { ...signed, outputs: [{ satoshis: satoshis(output.satoshis - 6_000), script: other }] };
    const refusals: string[] = [];
    expect(await fromPeer(forged)).toMatchObject(MISSING);
    expect(await fromPeer(free, { checkFee: false })).toMatchObject(MISSING);
    node.onRefused(({ txid, reason }) => refusals.push(`${txid} ${reason}`));
    await accepted(node, parent);
    expect(node.mempool.txids()).toEqual([idOf(parent), idOf(free)]);
    expect(refusals).toEqual([expect.stringMatching(`^${idOf(forged)} mandatory-script-verify-flag-failed`)]);
    expect(node.orphans.size).toBe(0);
  });

  it('is not held if the parent is known but has no such output', async () => {
    const { node } = await open();
    const coin = await coinOf(node, walletKey);
    const [parent, child] = line(coin, 2) as [Tx, Tx];
    await accepted(node, parent);
    const noOutput = { ...outputCoin(parent, idOf(parent), 0), vout: 7 };
    const wrong = spend([noOutput], otherKey, [{ satoshis: 1_000, script: other }]);
    expect(await fromPeer(wrong)).toMatchObject(MISSING);
    await accepted(node, child);
    await node.mine(1);
    const late = spend([coin], walletKey, [{ satoshis: coin.satoshis - 7_000, script: other }]);
    expect(await fromPeer(late)).toMatchObject(MISSING);
    expect(node.orphans.size).toBe(0);
  });

  it('expires after twenty minutes', async () => {
    const { node, clock } = await open();
    const [parent, child, grandchild] = line(await coinOf(node, walletKey), 3) as [Tx, Tx, Tx];
    expect(await fromPeer(child)).toMatchObject(MISSING);
    clock.advance(19 * 60_000);
    expect(await fromPeer(grandchild)).toMatchObject(MISSING);
    expect(node.orphans.size).toBe(2);
    clock.advance(61_000);
    await accepted(node, parent);
    expect(node.mempool.txids()).toEqual([idOf(parent)]);
    expect(node.orphans.has(idOf(grandchild))).toBe(true);
  });

  it('is evicted for newer ones above the limit', async () => {
    const ghosts = Array.from({ length: 5 }, (_, n) => ({
      txid: `${n}`.repeat(64),
      vout: 0,
      satoshis: satoshis(9_000),
      lockingScript: other,
    }));
    const txs = ghosts.map((ghost) => spend([ghost], otherKey, [{ satoshis: 8_000, script: other }]));
    const { node } = await open({ maxOrphanBytes: 600 });
    const results = await node.submitBatch(txs.map(serializeTx), { source: 'p2p' });
    expect(results.filter(({ ok }) => ok)).toEqual([]);
    expect(txs.map((tx) => node.orphans.has(idOf(tx)))).toEqual([false, false, true, true, true]);
    expect(node.orphans.bytes).toBeLessThanOrEqual(600);
  });
});

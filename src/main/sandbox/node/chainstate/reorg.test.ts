import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatOutpoint, parseTx, satoshis, serializeBlock, serializeTx, txidOf } from '../../../../chain/index.ts';
import type { SandboxNode } from '../node.ts';
import { createNodeRpc } from '../rpc/dispatcher.ts';
import { rawBlock } from '../storage/block-bytes.ts';
import { blockAtHeight } from '../storage/chain-store.ts';
import { findBlock, undoOf } from '../storage/side-store.ts';
import { foreignBlock } from '../test-support/foreign-block.ts';
import {
  faucetKey,
  lockingScriptOf,
  openTestNode,
  otherKey,
  type TestNode,
  walletKey,
} from '../test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from '../test-support/rebuild.ts';
import { textOf } from '../test-support/rpc-world.ts';
import { accepted, coinOf, outputCoin, spend } from '../test-support/spend.ts';
import { readBlock, spentCoins } from './chainstate.ts';

const other = lockingScriptOf(otherKey);
const wallet = lockingScriptOf(walletKey);
const COIN = 5_000_000_000;

let opened: TestNode;
beforeEach(async () => {
  opened = await openTestNode();
});
afterEach(async () => {
  // whatever a test did to the chain
  expect(await storedUtxoSet(opened.node.db)).toEqual(await rebuildUtxoSet(opened.node.db));
  await opened.remove();
});

async function rpc(command: string, ...params: unknown[]): Promise<unknown> {
  return JSON.parse(await textOf(await createNodeRpc(opened.node).dispatch(command, params)));
}

describe('the node’s reorganisation', () => {
  it('replaces blocks of a chain that is ahead of the clock, since the clock was put back', async () => {
    const { node, clock } = opened;
    const day = 86_400_000;
    clock.advance(day);
    await node.mine(11);
    clock.advance(-day);
    expect(await node.reorg(1)).toHaveLength(2);
    expect(node.tip().height).toBe(132);
  });

  it('returns transactions to the mempool, in an order in which they can be mined again', async () => {
    const { node } = opened;
    const parent = spend([await coinOf(node, walletKey)], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    const parentId = await accepted(node, parent);
    const child = spend([outputCoin(parent, parentId, 0)], otherKey, [{ satoshis: COIN - 2_000, script: wallet }]);
    const childId = await accepted(node, child);
    const [first = ''] = await node.mine(1);
    const grandchild = spend([outputCoin(child, childId, 0)], walletKey, [{ satoshis: COIN - 3_000, script: other }]);
    const grandchildId = await accepted(node, grandchild);
    const [second = ''] = await node.mine(2);
    const waiting = spend([outputCoin(grandchild, grandchildId, 0)], otherKey, [
      { satoshis: COIN - 4_000, script: other },
    ]);
    const waitingId = await accepted(node, waiting);
    const events: string[] = [];
    node.onDisconnect(({ height }) => events.push(`- ${height}`));
    node.onTip(({ height }, { newest }) => events.push(`+ ${height}${newest ? ' newest' : ''}`));

    const hashes = await node.reorg(3);
    expect(hashes).toHaveLength(4);
    expect(events).toEqual(['- 123', '- 122', '- 121', '+ 121', '+ 122', '+ 123', '+ 124 newest']);
    expect(node.tip()).toMatchObject({ hash: hashes[3], height: 124 });
    expect(node.mempool.txids()).toEqual([parentId, childId, grandchildId, waitingId]);
    expect(node.mempool.get(waitingId)?.ancestors).toBe(3);
    expect(node.mempool.get(parentId)?.fee).toBe(1_000);
    expect(await node.transaction(parentId)).toMatchObject({ blockHash: null, confirmations: 0 });
    expect(await node.proof(parentId)).toBeUndefined();
    expect(await rpc('getblockheader', first)).toMatchObject({
      confirmations: -1,
      height: 121,
      status: { validity: 'scripts' },
    });
    expect(await rpc('getblock', second)).not.toHaveProperty('nextblockhash');
    expect(await rpc('getblock', first)).toMatchObject({ tx: expect.arrayContaining([parentId, childId]) });

    const before = [...node.mempool.entries()];
    const again = await opened.reopen();
    expect([...again.mempool.entries()]).toEqual(before);
    const [mined = ''] = await again.mine(1);
    for (const txid of [parentId, childId, grandchildId, waitingId]) {
      expect(await again.transaction(txid)).toMatchObject({ blockHash: mined, confirmations: 1 });
    }
  });

  it('drops transactions that conflict with the new branch, with their descendants, and reports the conflict', async () => {
    const { node } = opened;
    const coin = await coinOf(node, walletKey);
    const mined = spend([coin], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    const minedId = await accepted(node, mined);
    await node.mine(1);
    const child = spend([outputCoin(mined, minedId, 0)], otherKey, [{ satoshis: COIN - 2_000, script: other }]);
    const childId = await accepted(node, child);
    const rival = serializeTx(spend([coin], walletKey, [{ satoshis: COIN - 5_000, script: wallet }]));
    const removed: unknown[] = [];
    node.onRemoved(({ txid, reason, collidedWith }) => removed.push([txid, reason, collidedWith?.txid]));
    const [hash] = await node.reorg(1, { transactions: [rival] });
    const rivalId = txidOf(rival);
    expect(removed).toEqual([
      [minedId, 'collision-in-block-tx', rivalId],
      [childId, 'collision-in-block-tx', rivalId],
    ]);
    expect(node.mempool.txids()).toEqual([]);
    expect(await node.transaction(minedId)).toBeUndefined();
    expect(await node.transaction(rivalId)).toMatchObject({ blockHash: hash, confirmations: 2 });
  });

  it('knows what spent an output in the mempool and in blocks, after a restart and on whichever branch', async () => {
    const { node } = opened;
    const coin = await coinOf(node, walletKey);
    const outpoint = formatOutpoint(coin);
    const tx = spend([coin], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    const txid = await accepted(node, tx);
    const spender = async (from: SandboxNode) => (await from.spenders([outpoint, `${txid}_0`])).get(outpoint);
    expect(await node.spenders([outpoint, `${txid}_0`])).toEqual(
      new Map([[outpoint, { txid, input: 0, height: null }]]),
    );
    await node.mine(1);
    const { height } = node.tip();
    expect(await spender(node)).toEqual({ txid, input: 0, height });
    const again = await opened.reopen();
    expect(await spender(again)).toEqual({ txid, input: 0, height });

    const rival = serializeTx(spend([coin], walletKey, [{ satoshis: COIN - 5_000, script: wallet }]));
    const [branch = ''] = await again.reorg(1, { transactions: [rival] });
    expect(await spender(again)).toEqual({ txid: txidOf(rival), input: 0, height });
    await again.invalidateBlock(branch);
    expect(await spender(again)).toEqual({ txid, input: 0, height });
    await again.reorg(1);
    expect(await spender(again)).toEqual({ txid, input: 0, height: null });
  });

  it('drops transactions that spend a coinbase of the old branch', async () => {
    const { node } = opened;
    const { hash: fork, height } = node.tip();
    const [lost = ''] = await node.mine(1, other);
    await node.mine(99);
    const coinbase = parseTx(await firstTx(node, lost));
    const tx = spend([outputCoin(coinbase, txidOf(coinbase), 0)], otherKey, [
      { satoshis: COIN - 1_000, script: wallet },
    ]);
    const txid = await accepted(node, tx);
    const removed: string[] = [];
    node.onRemoved((one) => removed.push(`${one.txid} ${one.reason}`));
    await node.reorg(100);
    expect(await findBlock(node.db, fork)).toMatchObject({ height });
    expect(removed).toEqual([`${txid} reorg`]);
    expect(node.mempool.txids()).toEqual([]);
  });

  it('refuses a depth beyond the chain and invalid transactions, and changes nothing', async () => {
    const { node } = opened;
    await node.mine(2);
    const before = node.tip();
    for (const depth of [0, -1, 1.5, before.height, Number.NaN]) {
      await expect(node.reorg(depth)).rejects.toMatchObject({ code: 'invalid-input' });
    }
    const good = spend([await coinOf(node, walletKey)], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    const forged = serializeTx({ ...good, outputs: [{ satoshis: satoshis(COIN - 2_000), script: other }] });
    await expect(node.reorg(2, { transactions: [forged] })).rejects.toMatchObject({ code: 'invalid-input' });
    expect(node.tip()).toEqual(before);
    expect(node.chainEnds().map(({ status, branchLength }) => [status, branchLength])).toEqual([
      ['invalid', 3],
      ['active', 0],
    ]);
  });
});

async function firstTx(node: SandboxNode, hash: string): Promise<Uint8Array> {
  const raw = await rawBlock(node.db, hash);
  const coinbase = readBlock(raw ?? new Uint8Array()).transactions[0];
  return coinbase?.raw ?? new Uint8Array();
}

describe('blocks from outside', () => {
  it('stay on a side branch until it has more work; of two with equal work the first stays active', async () => {
    const { node } = opened;
    const { hash: fork } = node.tip();
    const [ours = ''] = await node.mine(1);
    const a = await foreignBlock(node, fork);
    expect(await node.submitBlock(a.raw)).toEqual({ ok: true, hash: a.hash, active: false });
    expect(node.tip().hash).toBe(ours);
    expect(await node.submitBlock(a.raw)).toEqual({ ok: false, hash: a.hash, reason: 'duplicate' });
    expect(await rpc('getchaintips')).toEqual(
      [
        { height: 121, hash: ours, branchlen: 0, status: 'active' },
        { height: 121, hash: a.hash, branchlen: 1, status: 'valid-headers' },
      ].sort((x, y) => (x.hash < y.hash ? -1 : 1)),
    );
    await opened.reopen();
    const b = await foreignBlock(opened.node, a.hash);
    expect(await opened.node.submitBlock(b.raw)).toEqual({ ok: true, hash: b.hash, active: true });
    expect(opened.node.tip()).toMatchObject({ hash: b.hash, height: 122 });
    expect(await rpc('getchaintips')).toEqual([
      { height: 122, hash: b.hash, branchlen: 0, status: 'active' },
      { height: 121, hash: ours, branchlen: 1, status: 'valid-fork' },
    ]);
    expect(await rpc('getblockheader', ours)).toMatchObject({ confirmations: -1 });
    expect(await rpc('getblockheader', a.hash)).toMatchObject({ confirmations: 2, nextblockhash: b.hash });
  });

  it('have the scripts of unknown transactions run, and the best valid branch becomes active', async () => {
    const { node } = opened;
    const good = spend([await coinOf(node, walletKey)], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    const extra = await foreignBlock(node, node.tip().hash, { transactions: [serializeTx(good)] });
    expect(await node.submitBlock(extra.raw)).toMatchObject({ ok: true, active: true });
    expect(await node.transaction(txidOf(good))).toMatchObject({ blockHash: extra.hash });
    const before = node.tip();
    const next = spend([await coinOf(node, walletKey)], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    const forged = serializeTx({ ...next, outputs: [{ satoshis: satoshis(COIN - 7), script: other }] });
    const bad = await foreignBlock(node, before.hash, { transactions: [forged] });
    expect(await node.submitBlock(bad.raw)).toMatchObject({
      ok: false,
      reason: 'blk-bad-inputs',
    });
    expect(await node.submitBlock(bad.raw)).toMatchObject({ reason: 'duplicate-invalid' });
    const onBad = await foreignBlock(node, bad.hash);
    expect(await node.submitBlock(onBad.raw)).toMatchObject({ reason: 'bad-prevblk' });
    expect(node.tip()).toEqual(before);
  });

  it('are refused with the node’s reasons', async () => {
    const { node } = opened;
    const { hash } = node.tip();
    const reason = async (raw: Uint8Array): Promise<string> => {
      const result = await node.submitBlock(raw);
      return result.ok ? 'taken' : result.reason;
    };
    expect(await reason(new Uint8Array(80))).toBe('bad-block');
    const orphan = readBlock((await foreignBlock(node, hash)).raw);
    const lost = serializeBlock({
      header: { ...orphan.header, previousHash: 'ab'.repeat(32) },
      transactions: orphan.transactions.map(({ tx }) => tx),
    });
    expect(await reason(lost)).toBe('prev-blk-not-found');
    const now = Math.floor(opened.clock.now() / 1000);
    expect(await reason((await foreignBlock(node, hash, { time: now + 7_201 })).raw)).toBe('time-too-new');
    expect(await reason((await foreignBlock(node, hash, { time: 1_300_000_000 })).raw)).toBe('time-too-old');
    const greedy = await foreignBlock(node, hash, { reward: satoshis(COIN + 1) });
    expect(await reason(greedy.raw)).toBe('bad-cb-amount');
    expect(node.tip().hash).toBe(hash);
  });
});

describe('invalidateblock and reconsiderblock', () => {
  it('disconnect blocks and reconnect them', async () => {
    const { node } = opened;
    const txid = await accepted(
      node,
      spend([await coinOf(node, walletKey)], walletKey, [{ satoshis: COIN - 900, script: other }]),
    );
    const [first = '', second = '', third = ''] = await node.mine(3);
    const before = node.tip();
    expect(await rpc('invalidateblock', second)).toBeNull();
    expect(node.tip()).toMatchObject({ hash: first, height: 121 });
    expect(await rpc('invalidateblock', first)).toBeNull();
    expect(node.tip().height).toBe(120);
    expect(node.mempool.txids()).toEqual([txid]);
    expect(await rpc('getchaintips')).toMatchObject([
      { height: 123, hash: third, branchlen: 3, status: 'invalid' },
      { height: 120, status: 'active' },
    ]);
    expect(await rpc('getblockheader', third)).toMatchObject({
      confirmations: -1,
      status: { failed: false, 'parent failed': true },
    });
    expect(await rpc('getblockheader', second)).toMatchObject({ status: { failed: true } });
    await opened.reopen();
    expect(opened.node.tip().height).toBe(120);
    expect(await rpc('reconsiderblock', third)).toBeNull();
    expect(opened.node.tip()).toEqual(before);
    expect(opened.node.mempool.txids()).toEqual([]);
    expect(await opened.node.transaction(txid)).toMatchObject({ confirmations: 3 });
  });

  it('reactivate the block that arrived first', async () => {
    const { node } = opened;
    const [first = ''] = await node.mine(1);
    await rpc('invalidateblock', first);
    const [second = ''] = await node.mine(1);
    // the same second, the same parent, and yet another block
    expect(second).not.toBe(first);
    await rpc('reconsiderblock', first);
    expect(node.tip().hash).toBe(first);
    expect(
      node
        .chainEnds()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['active', 'valid-fork']);
  });

  it('fail for unknown blocks and for the genesis block', async () => {
    await expect(rpc('invalidateblock', 'ab'.repeat(32))).rejects.toMatchObject({
      code: -5,
      message: 'Block not found',
    });
    await expect(rpc('reconsiderblock', 'nothing')).rejects.toMatchObject({ code: -5 });
    const genesis = await blockAtHeight(opened.node.db, 0);
    await expect(rpc('invalidateblock', genesis?.hash)).rejects.toMatchObject({ code: -20 });
    expect(opened.node.tip().height).toBe(120);
  });

  it('limit statistics and proofs to blocks of the main chain', async () => {
    const { node } = opened;
    await node.fund(other, satoshis(1_000));
    const [hash = ''] = await node.mine(1);
    const [, txid = ''] = readBlock((await rawBlock(node.db, hash)) ?? new Uint8Array()).transactions.map(
      (tx) => tx.txid,
    );
    const proof = await rpc('gettxoutproof', [txid], hash);
    await rpc('invalidateblock', hash);
    await expect(rpc('getblockstats', hash)).rejects.toMatchObject({ code: -8 });
    await expect(rpc('getchaintxstats', 1, hash)).rejects.toMatchObject({
      code: -8,
      message: 'Block is not in main chain',
    });
    await expect(rpc('verifytxoutproof', proof)).rejects.toMatchObject({ code: -5 });
    expect(await rpc('getblock', hash, 3)).toMatchObject({ tx: [{ vout: [{}] }] });
  });
});

describe('undo data', () => {
  it('contains the outputs that a block spent, as created by earlier blocks', async () => {
    const { node } = opened;
    for (let n = 0; n < 5; n++) await node.fund(other, satoshis(1_000 + n));
    const [hash = ''] = await node.mine(1);
    const kept = await undoOf(node.db, hash);
    expect(kept?.arrival).toBe(121);
    const block = readBlock((await rawBlock(node.db, hash)) ?? new Uint8Array());
    const fromUndo = await spentCoins(node.db, block, 121);
    expect(fromUndo.length).toBe(5);
    await node.db.deleteFrom('node_undo').where('hash', '=', hash).execute();
    expect(await spentCoins(node.db, block, 121)).toEqual(fromUndo);
    // a chain from before there was undo data is taken off as well
    await node.invalidateBlock(hash);
    expect(node.mempool.txids()).toHaveLength(5);
    expect(lockingScriptOf(faucetKey)).toEqual(fromUndo[0]?.lockingScript);
  });
});

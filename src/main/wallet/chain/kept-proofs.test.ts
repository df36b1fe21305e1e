import { beforeEach, expect, it } from 'vitest';
import { formatOutpoint, parseBeef, serializeTx, txidOf } from '../../../chain/index.ts';
import { withKept } from '../../chain-data/kept.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { coinBeef } from '../coins/coin-beef.ts';
import { findKept, keepTransactions } from '../coins/storage/kept-transactions.ts';
import { other, payment } from '../test-support/test-node.ts';
import { type Harness, WalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});
const { own, look } = opened;

/** The node as the application asks it: what is kept comes first. */
function chainData() {
  const { store, headers, node } = harness;
  return withKept(createNodeChainData(node, headers), { finders: [findKept({ network: 'sandbox', store })], headers });
}

/** A node that is pruned up to its tip. */
function prune(): void {
  const pruned = new NodeRpcError(-1, 'Block not available (pruned data)');
  const gone = new NodeRpcError(-5, 'No such mempool transaction.');
  harness.node.onCall = (method) => {
    if (method === 'getblock') throw pruned;
    if (method === 'getrawtransaction' || method === 'getmerkleproof2') throw gone;
  };
}

const beefOf = async (txid: string) =>
  parseBeef(
    await coinBeef(wallet.open().coinStore, chainData(), async () => undefined, formatOutpoint({ txid, vout: 0 })),
  );

it('coins of a node’s blocks are kept with transaction and path, so that they are exported once the node has pruned them', async () => {
  const [first, second] = [payment(own(7_000)), payment(own(3_000))];
  harness.node.mine([payment(other(5)), first, payment(other(6))]);
  harness.node.mine([second]);
  await wallet.start();
  prune();
  for (const [tx, height] of [
    [first, 1],
    [second, 2],
  ] as const) {
    const { bumps, transactions } = await beefOf(txidOf(tx));
    expect(transactions.map(({ raw }) => raw)).toEqual([serializeTx(tx)]);
    expect(bumps[0]).toMatchObject({ height, root: harness.node.blocks[height]?.block.header.merkleRoot });
  }
  const kept = await harness.store.db.selectFrom('wallet_kept_transactions').select('txid').execute();
  expect(kept.map(({ txid }) => txid).sort()).toEqual([txidOf(first), txidOf(second)].sort());
});

it('a path of a block that left the chain counts no more, and that of the new block takes its place', async () => {
  const tx = payment(own(7_000));
  harness.node.mine([tx]);
  await wallet.start();
  const before = (await beefOf(txidOf(tx))).bumps[0]?.root;
  harness.node.disconnect(1);
  harness.node.mine();
  harness.node.mine();
  await look();
  await expect(beefOf(txidOf(tx))).rejects.toThrow(expect.objectContaining({ id: 'wallet.coin-not-mined' }));
  expect(await chainData().inclusion(txidOf(tx))).toMatchObject({ basis: 'unknown' });
  harness.node.mine([payment(other(5)), tx]);
  await look();
  prune();
  const { bumps } = await beefOf(txidOf(tx));
  expect(bumps[0]).toMatchObject({ height: 3, root: harness.node.blocks[3]?.block.header.merkleRoot });
  expect(bumps[0]?.root).not.toBe(before);
});

it('transactions of coins that an earlier version stored are kept when they are first exported', async () => {
  const tx = payment(own(7_000));
  harness.node.mine([tx]);
  await wallet.start();
  await harness.store.db.deleteFrom('wallet_kept_transactions').execute();
  const outpoint = formatOutpoint({ txid: txidOf(tx), vout: 0 });
  const first = await wallet.beef(outpoint);
  prune();
  expect(await coinBeef(wallet.open().coinStore, chainData(), async () => undefined, outpoint)).toEqual(first);
});

it('transactions of a block are kept also where one SQL statement has no room for all of them', async () => {
  const where = { network: 'sandbox', store: harness.store } as const;
  const mined = Array.from({ length: 9_000 }, (_, index) => {
    const txid = index.toString(16).padStart(64, '0');
    return { txid, raw: undefined, height: 1, path: { txid, index, siblings: Array(14).fill(new Uint8Array(32)) } };
  });
  await keepTransactions(where, mined);
  expect(await findKept(where)((mined.at(-1) as (typeof mined)[0]).txid)).toMatchObject({ rawTx: null });
});

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockingScriptOf, openTestNode, otherKey, type TestNode, walletKey } from '../test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from '../test-support/rebuild.ts';
import { accepted, coinOf, spend } from '../test-support/spend.ts';

const other = lockingScriptOf(otherKey);
const COIN = 5_000_000_000;

let opened: TestNode;
const events: string[] = [];
beforeEach(async () => {
  opened = await openTestNode();
  events.length = 0;
  opened.node.onDisconnect(({ height }) => events.push(`- ${height}`));
  opened.node.onTip(({ height }) => events.push(`+ ${height}`));
  opened.node.onRemoved(({ reason }) => events.push(reason));
});
afterEach(async () => {
  expect(await storedUtxoSet(opened.node.db)).toEqual(await rebuildUtxoSet(opened.node.db));
  await opened.remove();
});

/** The disk refuses blocks of this height until the returned function is called. */
async function fullDiskAt(height: number): Promise<() => Promise<void>> {
  const { db } = opened.node;
  await sql`create trigger full_disk before insert on node_blocks when new.height = ${sql.lit(height)}
    begin select raise(abort, 'database or disk is full'); end`.execute(db);
  return async () => void (await sql`drop trigger full_disk`.execute(db));
}

describe('a reorganisation that the disk stops midway', () => {
  it('is completed before the next block is mined, and every step of it is told', async () => {
    const { node } = opened;
    await accepted(
      node,
      spend([await coinOf(node, walletKey)], walletKey, [{ satoshis: COIN - 1_000, script: other }]),
    );
    await node.mine(2);
    events.length = 0;
    const free = await fullDiskAt(122);
    await expect(node.reorg(2)).rejects.toThrow();
    expect(node.tip().height).toBe(121);
    await free();

    await node.mine(1);
    expect(events).toEqual(['- 122', '- 121', '+ 121', '+ 122', '+ 123', '+ 124']);
    expect(node.mempool.size).toBe(0);
  });

  it('does not keep the node from mining while a transaction spends a coinbase that the shorter chain makes immature', async () => {
    const { node } = opened;
    await node.mine(1, other);
    await node.mine(99);
    const coin = await coinOf(node, otherKey);
    const txid = await accepted(node, spend([coin], otherKey, [{ satoshis: coin.satoshis - 1_000, script: other }]));
    events.length = 0;
    const free = await fullDiskAt(220);
    await expect(node.reorg(1)).rejects.toThrow();
    await free();

    await node.mine(1);
    expect(events).toEqual(['- 220', '+ 220', '+ 221', '+ 222']);
    expect((await node.transaction(txid))?.blockHeight).toBe(222);
  });
});

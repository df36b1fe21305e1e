import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { dataScript, parseBlock, satoshis, serializeTx, txidOf } from '../../../../chain/index.ts';
import { openStore } from '../../../store/store.ts';
import { StillClock } from '../../../test-support/still-clock.ts';
import { type NodeTables, nodeMigrations, SandboxNode } from '../node.ts';
import {
  faucetKey,
  lockingScriptOf,
  openNodeStore,
  openTestNode,
  START,
  type TestNode,
  verifyHere,
  walletKey,
} from '../test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from '../test-support/rebuild.ts';
import { accepted, coinOf, spend } from '../test-support/spend.ts';
import { blockPieces, blockTransactions, rawBlock } from './block-bytes.ts';
import { BLOCK_PART_BYTES } from './tables.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A node whose newest block needs three pieces. */
async function withLargeBlock(): Promise<{ opened: TestNode; hash: string; raw: Uint8Array; large: string }> {
  const opened = await openTestNode();
  const { node } = opened;
  const large = spend([await coinOf(node, walletKey)], walletKey, [
    { satoshis: 0, script: dataScript([new Uint8Array(2 * BLOCK_PART_BYTES).fill(7)]) },
    { satoshis: 4_990_000_000 - 500_000, script: lockingScriptOf(walletKey) },
  ]);
  await accepted(node, large);
  await node.fund(lockingScriptOf(walletKey), satoshis(5_000));
  const [hash = ''] = await node.mine(1);
  const raw = (await rawBlock(node.db, hash)) as Uint8Array;
  return { opened, hash, raw, large: txidOf(serializeTx(large)) };
}

it('the block store reads any part of a block, and its transactions one by one', async () => {
  const { opened, hash, raw, large } = await withLargeBlock();
  closers.push(() => opened.remove());
  const { db } = opened.node;
  const last = raw.length;
  expect(last).toBeGreaterThan(2 * BLOCK_PART_BYTES);
  for (const [start, end] of [
    [0, last],
    [BLOCK_PART_BYTES - 1, BLOCK_PART_BYTES + 1],
    [2 * BLOCK_PART_BYTES, last],
    [5, 5],
  ] as const) {
    const read: Uint8Array[] = [];
    for await (const piece of blockPieces(db, hash, start, end)) read.push(piece);
    expect(Buffer.concat(read).equals(raw.subarray(start, end))).toBe(true);
  }
  const txids: string[] = [];
  for await (const tx of blockTransactions(db, hash, last)) txids.push(txidOf(tx.raw));
  expect(txids).toEqual(parseBlock(raw).transactions.map((tx) => txidOf(tx)));
  expect((await opened.node.transaction(large))?.raw.length).toBeGreaterThan(2 * BLOCK_PART_BYTES);
  await expect(blockPieces(db, hash, 0, last + 1).return(undefined)).resolves.toMatchObject({ done: true });
  const beyond = async () => {
    for await (const piece of blockPieces(db, hash, last - 1, last + 1)) expect(piece).toHaveLength(1);
  };
  await expect(beyond()).rejects.toThrow('are missing');
});

it('the block store migrates a main chain and side blocks from before blocks were split into parts', async () => {
  const { opened, hash, raw } = await withLargeBlock();
  await opened.node.reorg(1);
  const { db } = opened.node;
  const folder = mkdtempSync(join(tmpdir(), 'planchet-old-store-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'node.db');
  const old = await openStore<NodeTables>({ file, migrations: nodeMigrations.slice(0, 2), synchronous: 'full' });
  const names = ['node_blocks', 'node_side_blocks', 'node_undo', 'node_utxos', 'node_transactions'] as const;
  for (const name of names) {
    for (const row of await db.selectFrom(name).selectAll().execute()) {
      const bytes = name === 'node_blocks' || name === 'node_side_blocks';
      const values = bytes ? { ...row, raw: await rawBlock(db, (row as { hash: string }).hash) } : row;
      await old.db
        .insertInto(name)
        .values(values as never)
        .execute();
    }
  }
  await old.close();
  const expected = await storedUtxoSet(db);
  await opened.remove();

  const store = await openNodeStore(folder);
  closers.push(() => store.close());
  const node = await SandboxNode.open({
    store,
    clock: new StillClock(START),
    logger: pino({ level: 'silent' }),
    verify: verifyHere,
    genesis: { wallet: lockingScriptOf(walletKey), faucet: faucetKey },
  });
  closers.push(() => node.close());
  expect(Buffer.from((await rawBlock(node.db, hash)) ?? []).equals(raw)).toBe(true);
  expect(await storedUtxoSet(node.db)).toEqual(expected);
  expect(await rebuildUtxoSet(node.db)).toEqual(expected);
  const columns = await sql<{ name: string }>`select name from pragma_table_info('node_blocks')`.execute(node.db);
  expect(columns.rows.map(({ name }) => name)).not.toContain('raw');
  await node.reorg(2);
  expect(await storedUtxoSet(node.db)).toEqual(await rebuildUtxoSet(node.db));
});

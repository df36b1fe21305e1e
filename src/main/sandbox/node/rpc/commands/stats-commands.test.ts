import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { fromHex, headerHash, parseBlock, serializeTx, txidOf } from '../../../../../chain/index.ts';
import { StillClock } from '../../../../test-support/still-clock.ts';
import { type ChainTip, connectBlock, connectGenesis } from '../../chainstate/chainstate.ts';
import { RuleSets } from '../../consensus/rule-sets.ts';
import { SandboxNode } from '../../node.ts';
import { faucetKey, lockingScriptOf, openNodeStore, verifyHere, walletKey } from '../../test-support/open-node.ts';
import { textOf } from '../../test-support/rpc-world.ts';
import { createNodeRpc } from '../dispatcher.ts';

interface Vector {
  blocks: string[];
  mocktime: number;
  stats: { blockhash: string; height: number; [name: string]: number | string }[];
}

const vector = JSON.parse(
  readFileSync(new URL('../../../../../chain/vectors/rpc_getblockstats.json', import.meta.url), 'utf8'),
) as Vector;

it("getblockstats returns the node's statistics for the node's chain (rpc_getblockstats.json)", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-stats-'));
  const store = await openNodeStore(folder);
  await store.db.transaction().execute(async (db) => {
    let tip: ChainTip = await connectGenesis(db);
    for (const hex of vector.blocks.slice(1)) {
      const { header, transactions } = parseBlock(fromHex(hex));
      const named = transactions.map((tx) => ({ txid: txidOf(tx), tx, raw: serializeTx(tx) }));
      tip = await connectBlock(
        db,
        tip,
        { hash: headerHash(header), header, transactions: named },
        { arrival: tip.height + 1, ruleSets: new RuleSets(0) },
      );
    }
  });
  const node = await SandboxNode.open({
    store,
    clock: new StillClock(vector.mocktime * 1000),
    logger: pino({ level: 'silent' }),
    verify: verifyHere,
    genesis: { wallet: lockingScriptOf(walletKey), faucet: faucetKey },
  });
  const rpc = createNodeRpc(node);
  expect(vector.stats.length).toBe(3);
  for (const expected of vector.stats) {
    const byHash = await rpc.dispatch('getblockstats', [expected.blockhash]);
    expect(JSON.parse(await textOf(byHash))).toEqual(expected);
    expect(Object.keys(byHash as object)).toEqual(Object.keys(expected));
    expect(await rpc.dispatch('getblockstatsbyheight', { height: expected.height })).toEqual(byHash);
    const two = await rpc.dispatch('getblockstats', [expected.blockhash, ['txs', 'avgfee']]);
    expect(Object.keys(two as object)).toEqual(['avgfee', 'txs']);
  }
  for (const name of ['nope', 'constructor', '__proto__']) {
    await expect(rpc.dispatch('getblockstats', [vector.stats[0]?.blockhash, [name]])).rejects.toMatchObject({
      code: -8,
      message: `Invalid selected statistic ${name}`,
    });
  }
  await expect(rpc.dispatch('getblockstatsbyheight', [104])).rejects.toMatchObject({
    code: -8,
    message: 'Target block height 104 after current tip 103',
  });
  await expect(rpc.dispatch('getblockstatsbyheight', [-1])).rejects.toMatchObject({ code: -8 });
  await node.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

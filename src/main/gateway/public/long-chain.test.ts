import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Tx, txidOf } from '../../../chain/index.ts';
import type { FollowedChain } from '../../chain-data/create-chain-data.ts';
import { createNodeRpc, type NodeRpcDispatcher } from '../../sandbox/node/rpc/dispatcher.ts';
import { blockAtHeight, blockTxids } from '../../sandbox/node/storage/chain-store.ts';
import { prepareChain } from '../../sandbox/node/test-support/conformance/chain.ts';
import { rowsOf } from '../../sandbox/node/test-support/conformance/rows.ts';
import { lockingScriptOf, walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { accepted, coinOf, outputCoin, spend } from '../../sandbox/node/test-support/spend.ts';
import { addressOf, TestSandbox } from '../../sandbox/test-support/open-sandbox.ts';
import { publicSourcesAt } from '../../test-support/public-sources-at.ts';
import { methodNames } from '../methods/method-registry.ts';
import { type AskedCall, besideNode, textOf } from '../test-support/beside-node.ts';
import { followedChain, publicAnswers } from '../test-support/followed-chain.ts';
import { type RunningGateway, startGateway } from '../test-support/gateway.ts';

const BLOCKS = process.env.PLANCHET_LONG ? 5_000 : 24;
const ROUNDS = process.env.PLANCHET_LONG ? 100 : 2;
/** Blocks of the chain that are asked about after each round, and most that a reorganisation takes back. */
const [ASKED, DEEPEST] = [4, 6];
/** Sent in each round, each spending from the one before. */
const SENT = 3;

/** Of the coins that are sent on, so that the table's chain finds its own. */
const ownKey = PrivateKey.fromHex('66'.repeat(32));
const own = lockingScriptOf(ownKey);

let sandbox: TestSandbox;
let node: NodeRpcDispatcher;
let dataDir: string;
let followed: FollowedChain;
let gateway: RunningGateway;
/** Blocks that left the chain. */
const lost = new Set<string>();
/** By command: answers that are the node's, that lack what only a node tells, and that say that one is needed. */
const table = new Map<string, Record<'equal' | 'absent' | 'needs-node', number>>();
const different: string[] = [];

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  const { service } = sandbox;
  for (let coin = 0; coin < 3; coin++) await service.fund({ address: addressOf(walletKey), satoshis: 5_000_000_000 });
  await service.mine({ blocks: 1 });
  node = createNodeRpc(service.node);
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-long-chain-'));
  const text = publicSourcesAt(sandbox.root, ['whatsonchain', 'bananablocks', 'arcade']);
  followed = followedChain({ dataDir, publicSources: () => text });
  followed.headers.start();
  gateway = await startGateway('', { options: { withoutNode: publicAnswers(followed) } });
});
afterAll(async () => {
  await gateway?.stop();
  await followed?.headers.close();
  await sandbox.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Pseudo-random numbers that are the same in every run. */
let state = 11;
function roll(below: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return Math.floor((state / 0x8000_0000) * below);
}

async function hold(call: AskedCall): Promise<void> {
  const isOfLostBranch = [...JSON.stringify(call.params).matchAll(/[0-9a-f]{64}/g)].some(([hash]) => lost.has(hash));
  const verdict = await besideNode(node, gateway.port, call, isOfLostBranch);
  if (typeof verdict === 'object') {
    different.push(verdict.different);
    return;
  }
  const row = table.get(call.method) ?? { equal: 0, absent: 0, 'needs-node': 0 };
  row[verdict] += 1;
  table.set(call.method, row);
}

/** What is asked about a block, and about its transactions. */
async function callsAbout(height: number): Promise<AskedCall[]> {
  const { db } = sandbox.service.node;
  const { hash } = (await blockAtHeight(db, height)) as { hash: string };
  const txids = await blockTxids(db, hash);
  const of = (method: string, ...params: unknown[]): AskedCall => ({ method, params });
  return [
    of('getblockhash', height),
    of('getblockheader', hash),
    of('getblockheader', hash, 0),
    of('getblockheader', hash, 2),
    ...[0, 1, 2, 3].flatMap((level) => [of('getblock', hash, level), of('getblockbyheight', height, level)]),
    of('getblockstats', hash),
    of('getchaintxstats', 1 + roll(Math.max(1, height - 1)), hash),
    of('gettxouts', [...txids.map((txid) => ({ txid, n: 0 })), { txid: txids[0], n: 9 }], ['*'], true),
    ...txids.flatMap((txid) => [
      of('getrawtransaction', txid),
      of('getrawtransaction', txid, true),
      of('getmerkleproof', txid),
      of('getmerkleproof', txid, hash),
      of('getmerkleproof2', hash, txid, true, 'header'),
      of('gettxoutproof', [txid]),
      of('gettxoutproof', [txid], hash),
      of('gettxout', txid, 0),
      of('gettxout', txid, 1, false),
      of('getmempoolentry', txid),
    ]),
  ];
}

/** Spends in a row, of which some wait and some are mined with the next block. */
async function sendSome(coin: { tx: Tx; txid: string }): Promise<void> {
  for (let n = 0; n < SENT; n++) {
    const from = outputCoin(coin.tx, coin.txid, 0);
    coin.tx = spend([from], ownKey, [
      { satoshis: from.satoshis - 1_500, script: own },
      { satoshis: 500, script: own },
    ]);
    coin.txid = await accepted(sandbox.service.node, coin.tx);
  }
}

async function mine(blocks: number): Promise<void> {
  await sandbox.service.mine({ blocks });
}

/** Takes the newest blocks back. */
async function reorganise(depth: number): Promise<void> {
  const { node: chain } = sandbox.service;
  for (let back = 0; back < depth; back++)
    lost.add(((await blockAtHeight(chain.db, chain.tip().height - back)) as { hash: string }).hash);
  await chain.reorg(depth);
}

it(`the gateway without a node answers as the node does over ${BLOCKS} blocks with reorganisations`, async () => {
  const { node: chain } = sandbox.service;
  const first = await coinOf(chain, walletKey, 2);
  const tx = spend([first], walletKey, [{ satoshis: first.satoshis - 1_000, script: own }]);
  await accepted(chain, tx);
  const coin = { tx, txid: txidOf(tx) };
  for (let round = 0; round < ROUNDS; round++) {
    await sendSome(coin);
    await mine(1);
    await mine(BLOCKS / ROUNDS - 1);
    if (round % 3 === 1) await reorganise(1 + roll(DEEPEST));
    await sendSome(coin);
    await followed.headers.refresh();
    const { height } = chain.tip();
    const heights = [0, height, height - 1 - roll(DEEPEST), ...Array.from({ length: ASKED }, () => roll(height))];
    for (const at of heights) for (const call of await callsAbout(at)) await hold(call);
    for (const hash of [...lost].slice(-DEEPEST)) {
      await hold({ method: 'getblock', params: [hash] });
      await hold({ method: 'getblockheader', params: [hash, false] });
    }
    for (const method of ['getbestblockhash', 'getblockcount', 'getblockchaininfo', 'getdifficulty', 'getinfo'])
      await hold({ method, params: [] });
    await hold({ method: 'getblockhash', params: [height + 1] });
    await hold({ method: 'getmempoolentry', params: [coin.txid] });
    await hold({ method: 'getmempoolancestors', params: [coin.txid] });
  }
  await mine(1);
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> =>
    JSON.parse(await textOf(node, { method, params }));
  const prepared = await prepareChain(chain, ask);
  for (const hash of [prepared.stale, prepared.invalid]) lost.add(hash);
  await followed.headers.refresh();
  for (const method of methodNames) for (const row of rowsOf[method]?.(prepared) ?? []) await hold(row);
  const rows = [...table].map(([method, counts]) => `${method} ${Object.values(counts).join('/')}`);
  process.stdout.write(
    `${chain.tip().height} blocks, ${lost.size} lost; equal/absent/needs a node: ${rows.join(', ')}\n`,
  );
  expect(different).toEqual([]);
  expect(methodNames.filter((name) => !table.has(name))).toEqual([]);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toHex } from '../../../chain/index.ts';
import type { FollowedChain } from '../../chain-data/create-chain-data.ts';
import { type ChainRules, rulesOf } from '../../chain-data/headers/chain-rules.ts';
import { followedChain, publicAnswers } from '../test-support/followed-chain.ts';
import { basic, type RunningGateway, startGateway } from '../test-support/gateway.ts';
import { BLOCK_MS, PlayedChain } from '../test-support/played-chain.ts';
import { PlayedServices } from '../test-support/played-services.ts';
import { SteppedClock } from '../test-support/stepped-clock.ts';

const HOURS = process.env.PLANCHET_LONG ? 24 : 0.25;
/** Of a block. */
const TRANSACTIONS = process.env.PLANCHET_LONG ? 4_000 : 1_000;
/** Blocks before the first hour, so that there are headers to read. */
const BEFORE = 20;
const START = Date.UTC(2026, 0, 1);
/** What services allow without a key. */
const MOST_A_SECOND = 3;
/** Until a new block is known: news come at most each five seconds, and are asked about at each operator. */
const NEWS_MS = 10_000;

/** Until the longest call is answered: all transactions of a block. */
const LONGEST_MS = 200_000;

const clock = new SteppedClock(START);
const rules: ChainRules = { ...(rulesOf('sandbox', 'regtest') as ChainRules), name: 'main', followsNode: false };
const chain = new PlayedChain(rules.genesis, () => clock.now());
const services = new PlayedServices(chain, clock);
const connections = new Agent();
let dataDir: string;
let followed: FollowedChain;
let gateway: RunningGateway;
let minedAt = START;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-day-'));
  for (let n = BEFORE - 1; n >= 0; n--) chain.mine(n === 0 ? TRANSACTIONS : 1, START - n * BLOCK_MS);
  await services.start();
  followed = followedChain({
    network: 'main',
    rules,
    dataDir,
    clock,
    outbound: services.outbound,
    publicSources: () => '',
  });
  followed.headers.start();
  const withoutNode = publicAnswers({ ...followed, network: 'main', clock, mostTransactions: () => 10_000 });
  gateway = await startGateway('', { options: { withoutNode, network: 'main' }, clock });
});
afterAll(async () => {
  await gateway?.stop();
  await followed?.headers.close();
  await services.stop();
  await connections.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Calls of the tool by method, what each took at most by the clock, and answers other than the chain has. */
const calls = new Map<string, { count: number; slowestMs: number }>();
const wrong: string[] = [];

async function call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
  const since = clock.now();
  const answer = await fetch(gateway.address, {
    method: 'POST',
    headers: { authorization: basic('planchet:secret'), 'content-type': 'application/json' },
    body: JSON.stringify({ method, params, id: 1 }),
    dispatcher: connections,
  });
  const text = await answer.text();
  const { count = 0, slowestMs = 0 } = calls.get(method) ?? {};
  calls.set(method, { count: count + 1, slowestMs: Math.max(slowestMs, clock.now() - since) });
  if (answer.status !== 200) wrong.push(`${method} ${JSON.stringify(params)}: ${answer.status} ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { result: T }).result;
}

function expectEqual(what: string, answer: unknown, wanted: unknown): void {
  const [got, right] = [answer, wanted].map((value) => JSON.stringify(value) ?? 'undefined') as [string, string];
  if (got !== right) wrong.push(`${what}: ${got.slice(0, 200)} – the chain: ${right.slice(0, 200)}`);
}

/** Looks for a new block, and reads each one's header and ids; the whole of every twelfth. */
async function followBlocks(seen: { height: number }): Promise<void> {
  const [tip, isOld] = [chain.tip, clock.now() - minedAt > NEWS_MS];
  const height = await call<number>('getblockcount');
  const hash = await call<string>('getbestblockhash');
  if (isOld && tip === chain.tip) expectEqual('the newest block', [height, hash], [tip.height, tip.hash]);
  for (; seen.height < height; seen.height++) {
    const block = chain.at(seen.height + 1);
    expectEqual('getblockhash', await call('getblockhash', [seen.height + 1]), block?.hash);
    expectEqual('getblockheader', await call('getblockheader', [block?.hash, false]), block && toHex(block.header));
    expectEqual('getblock', (await call<{ tx: string[] } | null>('getblock', [block?.hash, 1]))?.tx, block?.txids);
    if ((seen.height - BEFORE) % 12 === 0) {
      const whole = await call<string | null>('getblock', [block?.hash, 0]);
      const parts = block?.txids.map((_, index) => toHex(chain.raw({ height: block.height, index })));
      expectEqual('a whole block', whole?.slice(166), parts?.join(''));
    }
  }
}

/** Reads what came into the mempool last, and follows one of it until a block holds it. */
async function readNew(awaited: { txid: string | undefined }): Promise<void> {
  const txid = chain.newest();
  const place = txid && chain.place(txid);
  if (!txid || !place) return;
  expectEqual(txid, await call('getrawtransaction', [txid]), toHex(chain.raw(place)));
  awaited.txid ??= txid;
}

async function readAwaited(awaited: { txid: string | undefined }): Promise<void> {
  const { txid } = awaited;
  if (txid === undefined) return;
  const before = chain.place(txid)?.block?.hash;
  const isOld = clock.now() - minedAt > NEWS_MS;
  const blockhash = (await call<{ blockhash?: string } | null>('getrawtransaction', [txid, true]))?.blockhash;
  // a block may come while it is answered
  if (isOld && chain.place(txid)?.block?.hash === before) expectEqual(`the block of ${txid}`, blockhash, before);
  if (blockhash !== undefined) awaited.txid = undefined;
}

/** Asks about an output that nothing spends, and one that is spent. */
async function readOutputs(turn: { count: number }): Promise<void> {
  turn.count += 1;
  const vout = turn.count % 2;
  // spent by what waits, or not yet
  const txid = chain.tip.txids[(turn.count * 37) % chain.tip.txids.length] as string;
  const spent = () => chain.spender(chain.place(txid) as { height: number; index: number }, vout) !== undefined;
  const before = spent();
  const output = await call<object | null>('gettxout', [txid, vout]);
  if (before === spent()) expectEqual(`output ${vout} of ${txid}`, output === null, before);
}

/** The most requests that left for one operator within a second. */
function busiest(times: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [index, at] of times.entries()) {
    while ((times[first] as number) <= at - 1_000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

it('the gateway without a node serves a tool that polls for a day of the main network within what services allow', async () => {
  const mine = async (): Promise<void> => {
    chain.mine(TRANSACTIONS);
    minedAt = clock.now();
    services.tellTip();
  };
  clock.every(BLOCK_MS, mine);
  await clock.goTo(START + NEWS_MS, services.settled);
  const [seen, awaited, turn] = [{ height: BEFORE }, { txid: undefined }, { count: 0 }];
  const end = START + HOURS * 3_600_000;
  const every = (ms: number, work: () => Promise<void>): void =>
    clock.every(ms, async () => {
      if (clock.now() < end) await work();
    });
  every(5_000, () => followBlocks(seen));
  every(5_000, () => readNew(awaited));
  every(30_000, () => readAwaited(awaited));
  every(10_000, () => readOutputs(turn));
  // what was begun is answered too
  await clock.goTo(end + LONGEST_MS, services.settled);
  const sent = [...services.sent].map(([host, times]) => ({ host, total: times.length, busiest: busiest(times) }));
  process.stdout.write(`${HOURS} h: ${JSON.stringify({ sent, calls: Object.fromEntries(calls) })}\n`);
  expect(wrong).toEqual([]);
  expect(seen.height).toBeGreaterThanOrEqual(BEFORE + HOURS * 6 - 1);
  for (const { busiest: most } of sent) expect(most).toBeLessThanOrEqual(MOST_A_SECOND);
  // a whole block is more than that, so something was held back
  expect(Math.max(...sent.map(({ busiest: most }) => most))).toBe(MOST_A_SECOND);
});

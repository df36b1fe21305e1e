import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createNodeChainData } from '../src/main/chain-data/node/node-chain-data.ts';
import { systemClock } from '../src/main/clock.ts';
import { clientParts, endpointsOf, settingsOf } from '../src/main/gateway/test-support/upstream.ts';
import { NodeClient } from '../src/main/gateway/upstream/client.ts';
import type { Report } from './report.ts';
import { ClientProcess } from './support/client-process.ts';
import { MemoryWatch } from './support/memory-watch.ts';
import { openWalletOverNode } from './support/wallet-over-node.ts';

/** Megabytes of the block; the long run has one of 4,000. */
const MEGABYTES = Number(process.env.BENCH_BLOCK_MB ?? 1_000);

/** Of the block that a wallet reads, unless another length is asked for: longer than a node sends as one message. */
const WALLET_MEGABYTES = Number(process.env.BENCH_BLOCK_MB ?? 140);

/** Hex of the hash of a key that somebody has. */
const KEY = '0b'.repeat(20);

/** Of a block that is searched before, so that code is compiled when memory is measured. */
const WARM_UP_MEGABYTES = 20;

/** What it takes to find the wallet's transactions in a block that is far longer than memory should be. */
export async function run(report: Report): Promise<void> {
  for (const rest of [true, false]) await search(WARM_UP_MEGABYTES, rest, 0, () => undefined);
  const idle = process.memoryUsage.rss() / 1e6;
  for (const rest of [true, false]) await search(MEGABYTES, rest, idle, report);
  await follow(WARM_UP_MEGABYTES, true, 0, () => undefined);
  const withWallet = process.memoryUsage.rss() / 1e6;
  for (const rest of [true, false]) await follow(WALLET_MEGABYTES, rest, withWallet, report);
}

async function search(megabytes: number, rest: boolean, idle: number, report: Report): Promise<void> {
  const node = await ClientProcess.start('./block-node.ts', { bytes: megabytes * 1e6, rest, key: KEY });
  const { url, hash } = (await node.ask('where')) as { url: string; hash: string };
  const client = clientOf(url);
  const chainData = createNodeChainData(client);
  const memory = new MemoryWatch();
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  try {
    const started = performance.now();
    const { value } = await chainData.search({ hash, height: 1 }, { keys: new Set([KEY]) });
    const seconds = (performance.now() - started) / 1_000;
    if (value?.transactions.length !== 2) throw new Error('the block was not searched');
    const what = `a block of ${Math.round(value.bytes / 1e6)} MB ${rest ? 'over REST' : 'as hex'}`;
    report(`${what}, searched`, value.bytes / 1e6 / seconds, 'MB/s', rest ? 'at least 40' : 'at least 20');
    report(`${what}: memory above idle, highest`, memory.highest - idle, 'MB', 'at most 64');
    report(`${what}: event loop, longest`, loop.max / 1e6, 'ms', 'at most 250');
  } finally {
    loop.disable();
    memory.end();
    await client.close();
    node.end();
  }
}

/** What it takes a wallet to follow a chain with such a block. */
async function follow(megabytes: number, rest: boolean, idle: number, report: Report): Promise<void> {
  const { wallet, use, close } = await openWalletOverNode();
  const key = wallet.keys.key.pubKeyHash;
  const node = await ClientProcess.start('./block-node.ts', { bytes: megabytes * 1e6, rest, key });
  const { url } = (await node.ask('where')) as { url: string };
  const client = clientOf(url);
  const memory = new MemoryWatch();
  try {
    use(client);
    const started = performance.now();
    await wallet.start();
    await wallet.follow();
    const seconds = (performance.now() - started) / 1_000;
    const { coinStore } = wallet.open();
    const coins = [...coinStore.coins.values()].map(({ vout, height, spentBy }) => [vout, height, spentBy === null]);
    const isRight = JSON.stringify(coins) === '[[0,1,false],[1,1,true]]' && wallet.balance().confirmed === 1_000;
    if (!isRight) throw new Error(`the wallet has ${JSON.stringify(coins)}`);
    const what = `a wallet over a node with a block of ${megabytes} MB ${rest ? 'over REST' : 'as hex'}`;
    report(`${what}: its payments are right after`, seconds, 's');
    report(`${what}: memory above idle, highest`, memory.highest - idle, 'MB', 'at most 64');
  } finally {
    memory.end();
    await close();
    await client.close();
    node.end();
  }
}

function clientOf(url: string): NodeClient {
  return new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl: url }),
    settings: settingsOf({}),
    clock: systemClock,
  });
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createNodeChainData } from '../src/main/chain-data/node/node-chain-data.ts';
import { systemClock } from '../src/main/clock.ts';
import { clientParts, endpointsOf, settingsOf } from '../src/main/gateway/test-support/upstream.ts';
import { NodeClient } from '../src/main/gateway/upstream/client.ts';
import type { Report } from './report.ts';
import { ClientProcess } from './support/client-process.ts';
import { MemoryWatch } from './support/memory-watch.ts';

/** Megabytes of the block; the long run has one of 4,000. */
const MEGABYTES = Number(process.env.BENCH_BLOCK_MB ?? 1_000);

/** Of a block that is searched before, so that code is compiled when memory is measured. */
const WARM_UP_MEGABYTES = 20;

/** What it takes to find the wallet's transactions in a block that is far longer than memory should be. */
export async function run(report: Report): Promise<void> {
  for (const rest of [true, false]) await search(WARM_UP_MEGABYTES, rest, 0, () => undefined);
  const idle = process.memoryUsage.rss() / 1e6;
  for (const rest of [true, false]) await search(MEGABYTES, rest, idle, report);
}

async function search(megabytes: number, rest: boolean, idle: number, report: Report): Promise<void> {
  const node = await ClientProcess.start('./block-node.ts', { bytes: megabytes * 1e6, rest });
  const { url, hash, key } = (await node.ask('where')) as { url: string; hash: string; key: string };
  const client = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl: url }),
    settings: settingsOf({}),
    clock: systemClock,
  });
  const chainData = createNodeChainData(client);
  const memory = new MemoryWatch();
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  try {
    const started = performance.now();
    const { value } = await chainData.search({ hash, height: 1 }, { keys: new Set([key]) });
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

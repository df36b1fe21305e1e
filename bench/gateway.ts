import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Publisher, Subscriber } from 'zeromq';
import type { Report } from './report.ts';
import { measure } from './support/load.ts';

const MILLISECONDS = 3_000;
const CALLS_FOR_MEMORY = 1_000_000;
const ZMQ_MESSAGES = 200_000;
const ZMQ_BLOCKS = 1_000;
const hash = 'cd'.repeat(32);

const script = (name: string): string => fileURLToPath(new URL(`support/${name}.ts`, import.meta.url));

async function child<T>(name: string, ...args: string[]): Promise<{ child: ChildProcess; said: T }> {
  const started = fork(script(name), args, { execArgv: ['--expose-gc'] });
  const [said] = (await once(started, 'message')) as [T];
  return { child: started, said };
}

/** The gateway beside its own upstream, in one run: ratios can be compared, figures of two machines cannot. */
export async function run(report: Report): Promise<void> {
  const zmq = new Publisher({ linger: 0, sendHighWaterMark: 0 });
  await zmq.bind('tcp://127.0.0.1:*');
  const upstream = await child<{ port: number }>('gateway-upstream');
  const gateway = await child<{ port: number; zmq: string }>(
    'gateway-child',
    `http://me:up@127.0.0.1:${upstream.said.port}/`,
    zmq.lastEndpoint as string,
  );
  if (spawnSync('nginx', ['-v']).error) console.log('  (nginx is not installed here, so it is not measured beside)');
  try {
    const sides = async (name: string, body: (n: number) => string, connections = 16) => {
      const common = { connections, milliseconds: MILLISECONDS, body };
      const direct = await measure({ ...common, port: upstream.said.port, credential: 'me:up' });
      const ours = await measure({ ...common, port: gateway.said.port, credential: 'planchet:bench' });
      report(`${name}: direct`, direct.perSecond, 'calls/s');
      return { direct, ours, ratio: ours.perSecond / direct.perSecond };
    };
    const call = (method: string, params: (n: number) => string) => (n: number) =>
      `{"jsonrpc":"1.0","id":${n},"method":"${method}","params":[${params(n)}]}`;
    const uncached = call('gettxout', (n) => `"${n.toString(16).padStart(64, '0')}",0`);

    const relayed = await sides('uncached, 16 connections', uncached);
    report('uncached, 16 connections: gateway', relayed.ours.perSecond, 'calls/s');
    report('uncached, gateway over direct', relayed.ratio, 'x', 'at least 0.75');
    const single = await sides('uncached, 1 connection', uncached, 1);
    report('uncached, 1 connection, p50 added', single.ours.p50 - single.direct.p50, 'us', 'at most 60');

    const header = call('getblockheader', () => `"${hash}",true`);
    const immutable = await sides('immutable with rising ids', header);
    report('immutable with rising ids: gateway', immutable.ours.perSecond, 'calls/s', 'at least 55,000');
    report('immutable, gateway over direct', immutable.ratio, 'x', 'at least 4');
    const tip = await sides(
      'tip-bound',
      call('getblockcount', () => ''),
    );
    report('tip-bound: gateway', tip.ours.perSecond, 'calls/s');
    report('tip-bound, gateway over direct', tip.ratio, 'x', 'at least 2');
    const batchOf = (n: number): string => `[${Array.from({ length: 100 }, (_, i) => header(n * 100 + i)).join(',')}]`;
    const batch = await sides('batch of 100', batchOf);
    report('batch of 100: gateway', batch.ours.perSecond, 'batches/s');
    report('batch of 100, gateway over direct', batch.ratio, 'x', 'at least 3');

    await memory(report, gateway, header);
    await relayZmq(report, zmq, gateway.said.zmq);
  } finally {
    zmq.close();
    gateway.child.kill();
    upstream.child.kill();
  }
}

async function memory(
  report: Report,
  gateway: { child: ChildProcess; said: { port: number } },
  body: (n: number) => string,
): Promise<void> {
  const rss = async (): Promise<number> => {
    gateway.child.send('rss');
    const [said] = (await once(gateway.child, 'message')) as [{ rss: number }];
    return said.rss / 1_048_576;
  };
  const before = await rss();
  await measure({
    port: gateway.said.port,
    connections: 16,
    answers: CALLS_FOR_MEMORY,
    credential: 'planchet:bench',
    body,
  });
  const after = await rss();
  report('memory before 1,000,000 calls', before, 'MB');
  report('memory after them, against before', ((after - before) / before) * 100, '%', 'within 10');
}

async function relayZmq(report: Report, zmq: Publisher, address: string): Promise<void> {
  const small = Buffer.alloc(32, 7);
  const block = Buffer.alloc(1_048_576, 7);
  const direct = await flood(zmq, zmq.lastEndpoint as string, 'hashtx', small, ZMQ_MESSAGES);
  const relayed = await flood(zmq, address, 'hashtx', small, ZMQ_MESSAGES);
  report('ZMQ, 32 B: direct', direct, 'messages/s');
  report('ZMQ, 32 B: gateway', relayed, 'messages/s', 'at least 120,000');
  const blocks = await flood(zmq, address, 'rawblock', block, ZMQ_BLOCKS);
  report('ZMQ, 1 MB blocks: gateway', (blocks * block.length) / 1e9, 'GB/s', 'at least 1');
}

/** @returns messages a second at the subscriber, from the first heard to the last */
async function flood(zmq: Publisher, address: string, topic: string, body: Buffer, count: number): Promise<number> {
  const socket = new Subscriber({ linger: 0, receiveHighWaterMark: 0 });
  socket.connect(address);
  socket.subscribe(topic);
  await new Promise((resolve) => setTimeout(resolve, 500));
  let heard = 0;
  let first = 0;
  let last = 0;
  const listening = (async () => {
    for await (const _ of socket) {
      last = performance.now();
      if (heard === 0) first = last;
      heard += 1;
    }
  })().catch((error: unknown) => {
    if (!socket.closed) throw error;
  });
  const sequence = Buffer.alloc(4);
  for (let n = 0; n < count; n++) {
    sequence.writeUInt32LE(n);
    await zmq.send([topic, body, Buffer.from(sequence)]);
    // no faster than the subscriber, so that nothing is dropped on the way
    while (n - heard > (body.length > 1_000 ? 20 : 20_000)) await new Promise((resolve) => setImmediate(resolve));
    if (heard === 0 && n > 100) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const end = performance.now() + 5_000;
  while (heard < count && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.close();
  await listening;
  return ((heard - 1) / (last - first)) * 1_000;
}

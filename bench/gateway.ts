import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Report } from './report.ts';
import { type Measured, measure } from './support/load/load.ts';
import { startNginx } from './support/nginx.ts';
import { lengthOf, Sink, Source } from './support/zmq-ends.ts';

const ROUNDS = 5;
const MILLISECONDS = 600;
const CALLS_FOR_MEMORY = 1_000_000;
const ZMQ_MESSAGES = 2_000_000;
const ZMQ_BLOCKS = 1_000;
/** Messages of a round that are sent one by one. */
const ZMQ_ALONE = 500;
const hash = 'cd'.repeat(32);

const script = (name: string): string => fileURLToPath(new URL(`support/${name}.ts`, import.meta.url));

async function child<T>(name: string, ...args: string[]): Promise<{ child: ChildProcess; said: T }> {
  const started = fork(script(name), args, { execArgv: ['--expose-gc', ...process.execArgv] });
  const [said] = (await once(started, 'message')) as [T];
  return { child: started, said };
}

type Body = (n: number) => string;

const call =
  (method: string, params: (n: number) => string): Body =>
  (n) =>
    `{"jsonrpc":"1.0","id":${n},"method":"${method}","params":[${params(n)}]}`;
const uncached = call('gettxout', (n) => `"${n.toString(16).padStart(64, '0')}",0`);
const header = call('getblockheader', () => `"${hash}",true`);
const height = call('getblockcount', () => '');
const headers: Body = (n) => `[${Array.from({ length: 100 }, (_, i) => header(n * 100 + i)).join(',')}]`;

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}

interface Side {
  readonly name: string;
  readonly port: number;
  readonly credential: string;
}

/** Every side in turn, some rounds, so that a disturbance of the machine meets all of them; the middle round counts. */
async function compare(
  sides: readonly Side[],
  load: { body: Body; connections: number; expect?: Body },
): Promise<Map<string, Measured>> {
  const rounds = new Map<string, Measured[]>(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, port, credential } of sides) {
      rounds.get(name)?.push(await measure({ ...load, port, credential, milliseconds: MILLISECONDS }));
    }
  }
  return new Map(
    [...rounds].map(([name, measured]) => [
      name,
      {
        perSecond: middle(measured.map((one) => one.perSecond)),
        p50: middle(measured.map((one) => one.p50)),
        answers: measured.reduce((sum, { answers }) => sum + answers, 0),
      },
    ]),
  );
}

/**
 * The gateway beside its own upstream, in one run: ratios can be compared, figures of two machines cannot. The upstream is a stand-in
 * that computes as long as a full node does; what the sandbox's node does is shown for comparison.
 */
export async function run(report: Report): Promise<void> {
  const zmq = await Source.open();
  const upstream = await child<{ port: number }>('node-stand-in');
  const sandbox = await child<{ port: number; hash: string }>('sandbox-node-child');
  const gateway = await child<{ port: number; zmq: string }>(
    'gateway-child',
    `http://me:up@127.0.0.1:${upstream.said.port}/`,
    zmq.address,
  );
  const nginx = await startNginx(upstream.said.port);
  if (nginx === undefined) console.log('  (nginx is not installed here, so it is not measured beside)');
  try {
    const sides: Side[] = [
      { name: 'direct', port: upstream.said.port, credential: 'me:up' },
      ...(nginx === undefined ? [] : [{ name: 'nginx', port: nginx.port, credential: 'me:up' }]),
      { name: 'gateway', port: gateway.said.port, credential: 'planchet:bench' },
    ];
    await sandboxSpeed(report, sandbox.said);
    sandbox.child.kill();
    const topic = async (name: string, load: { body: Body; connections?: number; expect?: Body }, target = '') => {
      const before = await gatewayFigures(gateway.child, 'cpu');
      const figures = await compare(sides, { connections: 16, ...load });
      for (const [side, { perSecond }] of figures) {
        report(`${name}: ${side}`, perSecond, '/s', side === 'gateway' ? target : '');
      }
      const after = await gatewayFigures(gateway.child, 'cpu');
      const [direct, ours] = [figures.get('direct') as Measured, figures.get('gateway') as Measured];
      report(`${name}: processor time in the gateway`, (after - before) / ours.answers, 'us/request');
      const nginx = figures.get('nginx');
      if (nginx !== undefined) report(`${name}: nginx, p50 added`, nginx.p50 - direct.p50, 'us');
      return { ratio: ours.perSecond / direct.perSecond, added: ours.p50 - direct.p50 };
    };
    const idAtEnd: Body = (n) => `"id":${n}}`;

    const relayed = await topic('uncached, 16 connections', { body: uncached, expect: idAtEnd });
    report('uncached, gateway over direct', relayed.ratio, 'x', 'at least 0.75');
    const single = await topic('uncached, 1 connection', { body: uncached, connections: 1, expect: idAtEnd });
    report('uncached, 1 connection, p50 added', single.added, 'us', 'at most 150');
    const kept = await topic('immutable with rising ids', { body: header, expect: idAtEnd }, 'at least 55,000');
    report('immutable, gateway over direct', kept.ratio, 'x', 'at least 4');
    const tip = await topic('tip-bound', { body: height, expect: idAtEnd });
    report('tip-bound, gateway over direct', tip.ratio, 'x', 'at least 2');
    const batch = await topic('batch of 100', { body: headers });
    report('batch of 100, gateway over direct', batch.ratio, 'x', 'at least 3');

    await memory(report, gateway, header);
    await relayZmq(report, zmq, gateway.said.zmq);
  } finally {
    zmq.close();
    nginx?.stop();
    gateway.child.kill();
    upstream.child.kill();
    sandbox.child.kill();
  }
}

async function sandboxSpeed(report: Report, { port, hash: tip }: { port: number; hash: string }): Promise<void> {
  const common = { port, connections: 16, credential: 'me:up', milliseconds: 1_000 };
  const count = await measure({ ...common, body: height });
  report('getblockcount: sandbox node, for comparison', count.perSecond, '/s');
  const verbose = await measure({ ...common, body: call('getblockheader', () => `"${tip}",true`) });
  report('getblockheader: sandbox node, for comparison', verbose.perSecond, '/s');
}

/** Bytes held after a collection, or microseconds of processor time since its start, of the gateway's process. */
async function gatewayFigures(gateway: ChildProcess, asked: 'rss' | 'cpu'): Promise<number> {
  gateway.send(asked);
  const [said] = (await once(gateway, 'message')) as [number];
  return said;
}

async function memory(
  report: Report,
  gateway: { child: ChildProcess; said: { port: number } },
  body: (n: number) => string,
): Promise<void> {
  const rss = async (): Promise<number> => (await gatewayFigures(gateway.child, 'rss')) / 1_048_576;
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

async function relayZmq(report: Report, source: Source, address: string): Promise<void> {
  const small = Buffer.alloc(32, 7);
  const block = Buffer.alloc(1_048_576, 7);
  const own = await Source.open();
  const ends = await flood(own, own.address, 'hashtx', small, ZMQ_MESSAGES, 500);
  report('ZMQ, 32 B: the two ends of this measurement alone', ends, 'messages/s');
  const relayed = await flood(source, address, 'hashtx', small, ZMQ_MESSAGES, 500);
  report('ZMQ, 32 B: gateway', relayed, 'messages/s', 'at least 120,000');
  const blocks = await flood(source, address, 'rawblock', block, ZMQ_BLOCKS, 2);
  report('ZMQ, 1 MB blocks: gateway', (blocks * block.length) / 1e9, 'GB/s', 'at least 1');
  const added: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const direct = await latency(own, own.address, small);
    added.push((await latency(source, address, small)) - direct);
  }
  own.close();
  report('ZMQ, 1,000 messages/s: p50 added', middle(added), 'us', 'at most 90');
  report('  lowest of the rounds', Math.min(...added), 'us');
  report('  highest of the rounds', Math.max(...added), 'us');
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @returns messages a second at the subscriber, from the first heard to the last; it is an error where one was lost */
async function flood(
  source: Source,
  address: string,
  topic: string,
  body: Buffer,
  count: number,
  atATime: number,
): Promise<number> {
  const sink = await Sink.open(address, topic);
  await pause(500);
  // what came until now was of the handshake
  sink.bytes = 0;
  const expected = lengthOf(topic, body) * count;
  await source.publish(topic, body, count, atATime);
  const end = performance.now() + 10_000;
  while (sink.bytes < expected && performance.now() < end) await pause(5);
  sink.close();
  if (sink.bytes !== expected) throw new Error(`of ${expected} bytes ${sink.bytes} came`);
  return (count / (sink.lastAt - sink.firstAt)) * 1_000;
}

/** @returns microseconds from a message's sending to its arrival, the middle one of many */
async function latency(source: Source, address: string, body: Buffer): Promise<number> {
  const sink = await Sink.open(address, 'hashtx');
  await pause(500);
  const times: number[] = [];
  for (let n = 0; n < ZMQ_ALONE; n++) {
    const arrived = new Promise<void>((resolve) => {
      sink.onBytes = resolve;
    });
    const sent = performance.now();
    await source.publish('hashtx', body, 1, 1);
    await arrived;
    times.push((sink.lastAt - sent) * 1_000);
    await pause(1);
  }
  sink.close();
  return middle(times);
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Report } from './report.ts';
import { type Measured, measure } from './support/load/load.ts';

const HEIGHT = 100_000;
const ROUNDS = 5;
const MILLISECONDS = 600;

interface Gateway {
  readonly child: ChildProcess;
  readonly port: number;
  readonly credential: string;
}

async function child<T>(name: string, ...args: string[]): Promise<{ child: ChildProcess; said: T }> {
  const script = fileURLToPath(new URL(`support/${name}.ts`, import.meta.url));
  const started = fork(script, args, { execArgv: process.execArgv });
  const [said] = (await once(started, 'message')) as [T];
  return { child: started, said };
}

const call = (method: string, params: string, id: number): string =>
  `{"jsonrpc":"1.0","id":${id},"method":"${method}","params":[${params}]}`;

/** The middle of some rounds. */
async function middleOf({ port, credential }: Gateway, body: (n: number) => string): Promise<Measured> {
  const rounds: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push(await measure({ port, credential, body, connections: 16, milliseconds: MILLISECONDS }));
  return rounds.sort((a, b) => a.perSecond - b.perSecond)[ROUNDS >> 1] as Measured;
}

/** Microseconds of processor time that a gateway has used. */
async function processorOf({ child }: Gateway): Promise<number> {
  child.send('processor');
  const [used] = (await once(child, 'message')) as [number];
  return used;
}

/** Answers for a second of each gateway's own processor time, in turns: what else runs on the machine changes it little. */
async function perProcessorSecond(...all: readonly (readonly [Gateway, (n: number) => string])[]): Promise<number[]> {
  const sums = all.map(() => ({ answers: 0, used: 0 }));
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, [gateway, body]] of all.entries()) {
      const { port, credential } = gateway;
      const before = await processorOf(gateway);
      const { answers } = await measure({ port, credential, body, connections: 16, milliseconds: MILLISECONDS });
      const sum = sums[index] as (typeof sums)[number];
      sum.answers += answers;
      sum.used += (await processorOf(gateway)) - before;
    }
  return sums.map(({ answers, used }) => (answers * 1_000_000) / used);
}

/** The gateway where there is no node: headers from the local file, and what it keeps, beside a gateway that has a node. */
export async function run(report: Report): Promise<void> {
  const alone = await child<{ port: number; txid: string; hashes: string[] }>('without-node-child', String(HEIGHT));
  const upstream = await child<{ port: number }>('node-stand-in');
  const beside = await child<{ port: number }>('gateway-child', `http://me:up@127.0.0.1:${upstream.said.port}/`);
  try {
    const { txid, hashes, port } = alone.said;
    const without: Gateway = { child: alone.child, port, credential: 'planchet:secret' };
    const withNode: Gateway = { child: beside.child, port: beside.said.port, credential: 'planchet:bench' };
    report('load of the machine before', loadavg()[0] as number, '');
    // a step that meets every height once before any a second time
    const at = (n: number): number => (n * 7_919) % HEIGHT;
    const lines = [
      ['hashes by height', (n: number) => call('getblockhash', String(at(n)), n), 'at least 20,000'],
      ['headers by hash, hex', (n: number) => call('getblockheader', `"${hashes[at(n)]}",false`, n), 'at least 20,000'],
      ['headers by hash, decoded', (n: number) => call('getblockheader', `"${hashes[at(n)]}"`, n), ''],
    ] as const;
    for (const [name, body, target] of lines) {
      report(name, (await middleOf(without, body)).perSecond, '/s', target);
      report(
        `${name}, a second of its processor time`,
        (await perProcessorSecond([without, body]))[0] as number,
        '/s',
        target,
      );
    }
    const fifty = (n: number): string => {
      const heights = Array.from({ length: 50 }, (_, place) => at(n * 50 + place));
      const calls = heights.flatMap((height) => [
        call('getblockhash', String(height), height),
        call('getblockheader', `"${hashes[height]}",false`, height),
      ]);
      return `[${calls.join(',')}]`;
    };
    const batches = await middleOf(without, fifty);
    report('headers by height, 50 in a batch with their hashes', batches.perSecond * 50, '/s', 'at least 20,000');
    const kept = (n: number): string => call('getrawtransaction', `"${txid}"`, n);
    const hash = 'cd'.repeat(32);
    const keptBeside = (n: number): string => call('getblockheader', `"${hash}",true`, n);
    report('a kept transaction', (await middleOf(without, kept)).perSecond, '/s');
    report('what a gateway with a node keeps', (await middleOf(withNode, keptBeside)).perSecond, '/s');
    const [ours = 0, theirs = 1] = await perProcessorSecond([without, kept], [withNode, keptBeside]);
    report('a kept transaction, over that, by processor time', ours / theirs, 'x', 'at least 0.9');
  } finally {
    for (const one of [alone, upstream, beside]) one.child.kill();
  }
}

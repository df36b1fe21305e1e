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

/** Answers for a second of the gateway's own processor time: what else runs on the machine changes it little. */
async function perProcessorSecond(gateway: Gateway, body: (n: number) => string): Promise<number> {
  const { port, credential } = gateway;
  const before = await processorOf(gateway);
  const { answers } = await measure({ port, credential, body, connections: 16, milliseconds: ROUNDS * MILLISECONDS });
  return (answers * 1_000_000) / ((await processorOf(gateway)) - before);
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
      report('  of its processor time', await perProcessorSecond(without, body), '/s', target);
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
    const kept = await middleOf(without, (n) => call('getrawtransaction', `"${txid}"`, n));
    report('a kept transaction', kept.perSecond, '/s');
    const hash = 'cd'.repeat(32);
    const before = await middleOf(withNode, (n) => call('getblockheader', `"${hash}",true`, n));
    report('what a gateway with a node keeps', before.perSecond, '/s');
    report('a kept transaction, over that', kept.perSecond / before.perSecond, 'x', 'at least 0.9');
  } finally {
    for (const one of [alone, upstream, beside]) one.child.kill();
  }
}

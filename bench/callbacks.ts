import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { StartedReceiver } from '../src/main/merchant/callbacks/test-support/started-receiver.ts';
import type { Report } from './report.ts';
import { ClientProcess } from './support/client-process.ts';
import type { CallbackResult, CallbackRound, CallbackTask } from './support/load/callback-load.ts';

/** Callbacks of each kind, each about a transaction of its own. */
const CALLBACKS = 50_000;
/** Sent before anything is measured. */
const WARM_UP = 5_000;
const LOOK_MS = 10;

const rounds: readonly [CallbackRound['kind'], string][] = [
  ['status', 'status callbacks of ARC'],
  ['proof', 'proofs in signed envelopes'],
];

/** Callbacks over HTTP on connections that stay open; each is on the disk before its answer. */
export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  const seed = randomBytes(32).toString('hex');
  const each = CALLBACKS + WARM_UP;
  const transactions = each * rounds.length;
  const options = { folder, seed, transactions, port: 0, oneBlock: true };
  const receiver = await StartedReceiver.start(options, process.execArgv);
  const task: CallbackTask = { url: receiver.url, seed, transactions };
  const miner = await ClientProcess.start('./load/callback-load.ts', task);
  const send = async (round: CallbackRound): Promise<CallbackResult> => (await miner.ask(round)) as CallbackResult;
  const handedOn = async (): Promise<void> => {
    while ((await receiver.figures()).waiting > 0) await wait(LOOK_MS);
  };
  try {
    for (const [at, [kind, name]] of rounds.entries()) {
      await send({ kind, from: at * each, count: WARM_UP });
      await handedOn();
      const { seconds, p99 } = await send({ kind, from: at * each + WARM_UP, count: CALLBACKS });
      const answered = performance.now();
      report(`${CALLBACKS} ${name}, stored`, CALLBACKS / seconds, 'a second', 'at least 5,000');
      report('until its answer, 99 of 100', p99, 'ms');
      await handedOn();
      const handingOn = (performance.now() - answered) / 1_000;
      report('until the tracker has them all', CALLBACKS / (seconds + handingOn), 'a second', 'at least 5,000');
    }
  } finally {
    miner.end();
    await receiver.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The callback receiver with its tracker, and nothing else of the application, in a process of its own: `receiver-process.ts
 * <ReceiverProcessOptions as JSON>`. Prints one line of JSON, a {@link ReceiverReady}, and stays until SIGTERM. Killed and started again on the
 * same folder it is the same receiver. Each line it reads is answered with a {@link ReceiverFigures}.
 */
import { createInterface } from 'node:readline';
import { txidOf } from '../../../../chain/index.ts';
import { anyTx, ReceiverHarness, TestSecrets } from './receiver-harness.ts';

export interface ReceiverProcessOptions {
  readonly folder: string;
  /** 0 at the first start. */
  readonly port: number;
  /** Of the tokens, in hex. */
  readonly seed: string;
  /** How many transactions are tracked: those of `anyTx` from 0 on. */
  readonly transactions: number;
  /** They are in one block of the active chain, in that order. */
  readonly oneBlock?: boolean;
}

export interface ReceiverReady {
  readonly url: string;
}

export interface ReceiverFigures {
  /** Messages that the tracker does not have yet. */
  readonly waiting: number;
}

const given = JSON.parse(process.argv[2] ?? '') as ReceiverProcessOptions;
const harness = await ReceiverHarness.open({
  folder: given.folder,
  settings: { callbackBind: `127.0.0.1:${given.port}` },
  secrets: new TestSecrets([['callbackKey:sandbox', Buffer.from(given.seed, 'hex')]]),
});
const numbers = Array.from({ length: given.transactions }, (_, n) => n);
const transactions = numbers.map((n) => anyTx(n));
await harness.tracker.track(transactions.map((rawTx) => ({ rawTx, origin: 'manual' as const })));
if (given.oneBlock === true) harness.headers.mine(transactions.map(txidOf));
process.once('SIGTERM', () => void harness.close().then(() => process.exit(0)));
createInterface({ input: process.stdin }).on('line', () => print({ waiting: harness.callbacks.waiting() }));
const ready: ReceiverReady = { url: harness.address ?? '' };
print(ready);

function print(line: ReceiverReady | ReceiverFigures): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

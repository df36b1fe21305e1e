import type { Command } from 'commander';
import { type CallbackNotice, PlanchetError } from '../../contract/index.ts';
import { interruptible } from './shared/interruption.ts';
import { readCount, readTxid } from './shared/numbers.ts';
import type { GlobalOptions } from './shared/run.ts';
import { requireRunning } from './shared/with-client.ts';

/** Adds `planchet callbacks`: what miners report, as it arrives, one JSON document a line. */
export function addCallbacksCommand(program: Command, { globals }: { readonly globals: () => GlobalOptions }): void {
  program
    .command('callbacks')
    .description('print what miners report by themselves to the running application, one JSON document a line')
    .option('--txid <txid>', 'only messages about this transaction', readTxid)
    .option('--count <n>', 'end after so many messages', readCount)
    .action(async ({ txid, count }: { txid?: string; count?: number }) => {
      const client = await requireRunning(globals());
      const services = await client.services.list();
      const receiver = services.find(({ name }) => name === 'callbacks');
      if (receiver?.status.state !== 'running' || receiver.status.address === undefined)
        throw new PlanchetError('cli.receiver-off');
      await interruptible(async () =>
        printCallbacks(await client.tx.callbacks(), { txid, count }, (line) => void process.stdout.write(`${line}\n`)),
      );
    });
}

/** Prints messages until the stream ends or the count is reached. */
export async function printCallbacks(
  stream: AsyncIterable<CallbackNotice>,
  { txid, count = Number.POSITIVE_INFINITY }: { txid?: string | undefined; count?: number | undefined },
  print: (line: string) => void,
): Promise<void> {
  let printed = 0;
  for await (const notice of stream) {
    if (txid !== undefined && notice.txid !== txid) continue;
    print(JSON.stringify({ ...notice, at: new Date(notice.at).toISOString() }));
    if (++printed >= count) return;
  }
}

import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { outpointSchema, PlanchetError } from '../../../contract/index.ts';
import type { Client, Output, Shell } from '../shared/run.ts';
import { confirm } from '../shared/terminal.ts';
import { reasonOfState, type TimeoutOption, waitUntil, withTimeout } from '../shared/waiting.ts';
import { withClient } from '../shared/with-client.ts';

const POLL_MS = 150;

interface SendOptions extends TimeoutOption {
  readonly wait: 'submitted' | 'mined';
  readonly yes: boolean;
}

/** Adds `planchet send OUTPOINT ADDRESS`: moves a token, whole. */
export function addSendCommand(program: Command, { globals, output }: Shell): void {
  withTimeout(program.command('send'))
    .description('send a token to another address')
    .argument('<outpoint>', 'the token, as txid_vout', tokenOutpoint)
    .argument('<address>', 'who receives it')
    .addOption(
      new Option('--wait <state>', 'return once it is in this state')
        .choices(['submitted', 'mined'])
        .default('submitted'),
    )
    .option('--yes', 'do not ask before real money is spent', false)
    .action(async (outpoint: string, address: string, options: SendOptions) => {
      const out = output();
      const sent = await withClient(globals(), (client) => sendToken(client, { outpoint, address }, options, out));
      out.result(sent, `${sent.outpoint}  ${sent.fee} satoshis in fees`);
    });
}

/** @throws InvalidArgumentError, which also helps who means to send coins */
function tokenOutpoint(text: string): string {
  if (outpointSchema.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be a token, as txid_vout. "planchet wallet send" sends coins.');
}

async function sendToken(
  client: Client,
  request: { outpoint: string; address: string },
  { wait, yes, ...limit }: SendOptions,
  output: Output,
): Promise<{ txid: string | null; outpoint: string; fee: number }> {
  let job = await client.tokens.send.prepare({ ...request, idempotencyKey: randomUUID() });
  const { id, review } = job;
  try {
    const refused = review.checks.filter(({ passed }) => !passed);
    if (refused.length > 0) {
      throw new PlanchetError('wallet.send-review-failed', { reasons: refused.map(({ text }) => text).join(' ') });
    }
    output.note(
      `  You send the token ${request.outpoint} to ${request.address} and pay ${review.fee} satoshis in fees.`,
    );
    if (review.network === 'main' && !yes && !(await confirm('This spends real money. Sign and send it?'))) {
      throw new PlanchetError('cli.nothing-signed');
    }
    job = await client.tokens.send.approve({ id, digest: review.digest });
  } catch (error) {
    await client.tokens.send.cancel({ id }).catch(() => {});
    throw error;
  }
  job = await waitUntil(job, {
    what: 'The token',
    every: POLL_MS,
    look: () => client.tokens.send.get({ id }),
    isOver: ({ failure, state }) => failure !== null || state === 'mined' || state === wait,
    reason: ({ state }) => reasonOfState('The token', state),
    note: output.note,
    ...limit,
  });
  if (job.failure !== null) throw new PlanchetError(job.failure);
  return { txid: job.txid, outpoint: `${job.txid}_0`, fee: review.fee };
}

import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { outpointSchema } from '../../../contract/index.ts';
import type { Client, Output, Shell } from '../shared/run.ts';
import { confirmSpending } from '../shared/terminal.ts';
import { waitForState, withTimeout } from '../shared/waiting.ts';
import { withClient } from '../shared/with-client.ts';
import { requirePassed, type SubmitOptions, submitting } from './paying.ts';

/** Adds `planchet send OUTPOINT ADDRESS`: moves a token, whole. */
export function addSendCommand(program: Command, { globals, output }: Shell): void {
  submitting(withTimeout(program.command('send')))
    .description('send a token to another address')
    .argument('<outpoint>', 'the token, as txid_vout', tokenOutpoint)
    .argument('<address>', 'who receives it')
    .action(async (outpoint: string, address: string, options: SubmitOptions) => {
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
  { wait, yes, timeout }: SubmitOptions,
  output: Output,
): Promise<{ txid: string | null; outpoint: string; fee: number }> {
  let job = await client.tokens.send.prepare({ ...request, idempotencyKey: randomUUID() });
  const { id, review } = job;
  try {
    requirePassed(review.checks, 'wallet.send-review-failed');
    output.note(
      `  You send the token ${request.outpoint} to ${request.address} and pay ${review.fee} satoshis in fees.`,
    );
    await confirmSpending(review.network, yes);
    job = await client.tokens.send.approve({ id, digest: review.digest });
  } catch (error) {
    await client.tokens.send.cancel({ id }).catch(() => {});
    throw error;
  }
  const look = () => client.tokens.send.get({ id });
  job = await waitForState(job, { what: 'The token', look, note: output.note, wait, timeout });
  return { txid: job.txid, outpoint: `${job.txid}_0`, fee: review.fee };
}

import { type Command, Option } from 'commander';
import { PlanchetError, type WalletSend } from '../../../contract/index.ts';
import { wholeNumber } from '../shared/numbers.ts';
import type { Client, Output } from '../shared/run.ts';
import { confirmSpending } from '../shared/terminal.ts';
import { type TimeoutOption, waitForState, withTimeout } from '../shared/waiting.ts';

/** Checks whose findings a person has to know before the approval. */
const TOLD = ['outputs', 'paymail', 'paymail-key', 'transactions', 'dust'];

export interface SubmitOptions extends TimeoutOption {
  readonly wait: 'submitted' | 'mined';
  readonly yes: boolean;
}

/** Adds the options of every command that signs something and submits it. */
export function submitting(
  command: Command,
  whenDone = 'return once it is in this state',
  unasked = 'do not ask before real money is spent',
): Command {
  return command
    .addOption(new Option('--wait <state>', whenDone).choices(['submitted', 'mined']).default('submitted'))
    .option('--yes', unasked, false);
}

export interface SendOptions extends SubmitOptions {
  feeRate?: number;
  coin?: string[];
}

/** Adds the options of every command that sends money. */
export function spending(command: Command): Command {
  const text = "satoshis for 1,000 bytes (default: the miner's quote)";
  return submitting(withTimeout(command).option('--fee-rate <satoshis>', text, wholeNumber));
}

/** @throws PlanchetError with what the checks found that did not pass */
export function requirePassed(
  checks: WalletSend['review']['checks'],
  id: 'cli.review-failed' | 'wallet.send-review-failed' = 'cli.review-failed',
): void {
  const failed = checks.filter(({ passed }) => !passed);
  if (failed.length > 0) throw new PlanchetError(id, { reasons: failed.map(({ text }) => text).join(' ') });
}

/** Prepares a payment, has it approved and submits it. */
export async function send(
  client: Client,
  prepare: (client: Client) => Promise<WalletSend>,
  { wait, yes, ...limit }: SendOptions,
  output: Output,
): Promise<void> {
  let payment = await prepare(client);
  const { id, review } = payment;
  try {
    await approveByPerson(payment, yes, output);
    payment = await client.wallet.send.approve({ id, digest: review.digest });
  } catch (error) {
    await client.wallet.send.cancel({ id }).catch(() => {});
    throw error;
  }
  payment = await waitForState(payment, {
    what: 'The payment',
    look: () => client.wallet.send.get({ id }),
    note: output.note,
    wait,
    ...limit,
  });
  const { txid, state, blockHash, blockHeight, transactions } = payment;
  const txids = transactions?.map((one) => one.txid);
  const lines = (txids ?? [txid]).join('\n');
  output.result(
    { txid, ...(txids && { txids }), fee: review.fee, state, blockHash, blockHeight },
    `${lines}  ${review.fee} satoshis in fees`,
  );
}

/** Prints the findings of the checks first; real money is spent only after a person's yes. */
async function approveByPerson({ review }: WalletSend, yes: boolean, output: Output): Promise<void> {
  requirePassed(review.checks);
  for (const { id, text } of review.checks) if (TOLD.includes(id)) output.note(`  ${text}`);
  output.note(`  ${review.fee} satoshis in fees; ${review.checks.length} checks passed.`);
  await confirmSpending(review.network, yes);
}

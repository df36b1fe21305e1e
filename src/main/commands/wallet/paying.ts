import { type Command, Option } from 'commander';
import { PlanchetError, type WalletSend } from '../../../contract/index.ts';
import { wholeNumber } from '../shared/numbers.ts';
import type { Client, Output } from '../shared/run.ts';
import { confirm } from '../shared/terminal.ts';
import { reasonOfState, type TimeoutOption, waitUntil, withTimeout } from '../shared/waiting.ts';

const POLL_MS = 150;

/** Checks whose findings a person has to know before the approval. */
const TOLD = ['outputs', 'paymail', 'paymail-key', 'transactions', 'dust'];

export interface SendOptions extends TimeoutOption {
  wait: 'submitted' | 'mined';
  yes: boolean;
  feeRate?: number;
  coin?: string[];
}

/** Adds the options of every command that sends money. */
export function spending(command: Command): Command {
  return withTimeout(command)
    .option('--fee-rate <satoshis>', "satoshis for 1,000 bytes (default: the miner's quote)", wholeNumber)
    .addOption(
      new Option('--wait <state>', 'return once it is in this state')
        .choices(['submitted', 'mined'])
        .default('submitted'),
    )
    .option('--yes', 'do not ask before real money is spent', false);
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
  payment = await waitUntil(payment, {
    what: 'The payment',
    every: POLL_MS,
    look: () => client.wallet.send.get({ id }),
    isOver: ({ failure, state }) => failure !== null || state === 'mined' || state === wait,
    reason: ({ state }) => reasonOfState('The payment', state),
    note: output.note,
    ...limit,
  });
  if (payment.failure !== null) throw new PlanchetError(payment.failure);
  const { txid, state, blockHash, blockHeight, transactions } = payment;
  const txids = transactions?.map((one) => one.txid);
  const lines = (txids ?? [txid]).join('\n');
  output.result(
    { txid, ...(txids && { txids }), fee: review.fee, state, blockHash, blockHeight },
    `${lines}  ${review.fee} satoshis in fees`,
  );
}

/** What the checks say comes first; real money is spent only after a person's yes. */
async function approveByPerson({ review }: WalletSend, yes: boolean, output: Output): Promise<void> {
  const failed = review.checks.filter(({ passed }) => !passed);
  if (failed.length > 0) {
    throw new PlanchetError('cli.review-failed', { reasons: failed.map(({ text }) => text).join(' ') });
  }
  for (const { id, text } of review.checks) if (TOLD.includes(id)) output.note(`  ${text}`);
  output.note(`  ${review.fee} satoshis in fees; ${review.checks.length} checks passed.`);
  if (review.network !== 'main' || yes) return;
  if (await confirm('This spends real money. Sign and send it?')) return;
  throw new PlanchetError('cli.nothing-signed');
}

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import {
  PlanchetError,
  type SendManyRow,
  type SentToken,
  sentTokens,
  type TokenMove,
  type WalletSend,
} from '../../../contract/index.ts';
import { unreadable } from '../shared/new-file.ts';
import type { Client, Output, Shell } from '../shared/run.ts';
import { confirm, confirmSpending } from '../shared/terminal.ts';
import { waitForState, withTimeout } from '../shared/waiting.ts';
import { withClient } from '../shared/with-client.ts';
import { requirePassed, type SubmitOptions, submitting } from './paying.ts';

const POLL_MS = 300;

interface SendManyOptions extends SubmitOptions {
  readonly file: string;
  readonly token: readonly string[];
}

/** Adds `planchet send-many --file LIST`: sends many tokens, each to an address of a list. */
export function addSendManyCommand(program: Command, { globals, output }: Shell): void {
  const command = withTimeout(program.command('send-many'))
    .description('send many tokens, each to an address of a list: reviewed once, each token once')
    .requiredOption('--file <list>', 'one address a line, or a table (XLSX, CSV, TSV) with a column of tokens too')
    .option('--token <outpoint...>', 'tokens for the addresses in their order, where the list names none', []);
  const unasked = 'do not ask where a line is doubtful, or before real money is spent';
  submitting(command, 'return once all are in this state', unasked).action(async (options: SendManyOptions) => {
    const out = output();
    const sent = await withClient(globals(), (client) => sendMany(client, options, out));
    const lines = sent.tokens.map(({ outpoint, address, txid, state }) => [outpoint, address, txid, state].join(','));
    out.result(sent, ['token,address,txid,state', ...lines].join('\n'));
  });
}

/** @throws PlanchetError `file-not-found` */
async function readList(path: string): Promise<Blob> {
  try {
    return new Blob([new Uint8Array(await readFile(path))]);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The moves of a list without a fault. @throws PlanchetError `invalid-input` that names the first lines with one, `cancelled` */
async function movesOf(client: Client, { file, token, yes }: SendManyOptions, output: Output): Promise<TokenMove[]> {
  const list = await client.tokens.sendMany.read({
    list: await readList(file),
    name: basename(file),
    tokens: [...token],
  });
  const lineOf = ({ line }: SendManyRow, index: number): string => `Line ${line ?? index + 1}`;
  const told = (severity: 'error' | 'warning'): string[] =>
    list.rows.flatMap((row, index) =>
      row.problems
        .filter((problem) => problem.severity === severity)
        .map(({ text }) => `${lineOf(row, index)}: ${row.address} ${text}`),
    );
  const errors = told('error');
  for (const error of errors) output.note(`  ${error}`);
  const [first] = errors;
  if (first !== undefined) {
    const count = list.rows.filter(({ problems }) => problems.some(({ severity }) => severity === 'error')).length;
    throw new PlanchetError('cli.list-faults', { count, first });
  }
  const warnings = told('warning');
  for (const warning of warnings) output.note(`  ${warning}`);
  if (list.left.length > 0)
    output.note(`  Of the chosen tokens, ${list.left.length} stay: the list has fewer addresses.`);
  if (warnings.length > 0 && !yes && !(await confirm('Go on with these lines as they are?')))
    throw new PlanchetError('cli.nothing-signed');
  return list.rows.flatMap(({ token: found, address }) =>
    found === null ? [] : [{ outpoint: found.outpoint, address }],
  );
}

async function sendMany(
  client: Client,
  options: SendManyOptions,
  output: Output,
): Promise<{ id: string; fee: number; tokens: SentToken[] }> {
  const { wait, yes, timeout } = options;
  const moves = await movesOf(client, options, output);
  let job: WalletSend = await client.tokens.sendMany.prepare({ moves, idempotencyKey: randomUUID() });
  const { id, review, transactions = [job] } = job;
  try {
    requirePassed(review.checks, 'wallet.send-review-failed');
    output.note(
      `  You send ${moves.length} tokens in ${transactions.length} transactions and pay ${review.fee} satoshis in fees.`,
    );
    await confirmSpending(review.network, yes, 'them');
    job = await client.tokens.send.approve({ id, digest: review.digest });
  } catch (error) {
    // Signed transactions are still sent; the rest is approved in the window, or by the same list again.
    const now = await client.tokens.send.get({ id }).catch(() => undefined);
    if (now !== undefined && sentTokens(now).every(({ txid }) => txid === null))
      await client.tokens.send.cancel({ id }).catch(() => {});
    throw error;
  }
  const look = () => client.tokens.send.get({ id });
  job = await waitForState(job, { what: 'The tokens', every: POLL_MS, look, note: output.note, wait, timeout });
  return { id, fee: review.fee, tokens: sentTokens(job) };
}

import { readFile } from 'node:fs/promises';
import { isDefinedError } from '@orpc/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  MAX_TRANSACTIONS_A_PAGE,
  PlanchetError,
  SUBMISSION_PART,
  type SubmittedTransaction,
  type TrackedTransaction,
  type TransactionOrigin,
  type TransactionState,
  transactionOrigins,
  transactionStates,
  UPLOAD_PIECE_BYTES,
} from '../../contract/index.ts';
import { endsWithin } from '../clock.ts';
import { minerNamed } from './miners.ts';
import { unreadable } from './shared/new-file.ts';
import { readCount, readTxid } from './shared/numbers.ts';
import type { Client, Output, Shell } from './shared/run.ts';
import { Deadline, SILENT_MS, type TimeoutOption, withTimeout } from './shared/waiting.ts';
import { withClient } from './shared/with-client.ts';

interface SubmitCommandOptions extends TimeoutOption {
  endpoint: string[];
  wait?: 'seen' | 'mined';
  label: string;
  force: boolean;
}

interface ListCommandOptions {
  state: TransactionState[];
  origin: TransactionOrigin[];
  search?: string;
  limit: number;
}

/** What `tx submit` prints of a transaction. */
type Submitted = Pick<SubmittedTransaction, 'txid' | 'state' | 'endpoints'> &
  Partial<Pick<SubmittedTransaction, 'checks'>> & { reason?: string; advice?: string };

/** Adds `planchet tx …`: transactions handed to miners, and what became of all that were. */
export function addTransactionCommands(program: Command, { globals, output }: Shell): void {
  const tx = program.command('tx').description('submit transactions to miners and follow them');
  withTimeout(tx.command('submit'))
    .argument('<transactions>', 'a file, "-" for what is piped in, or hex; raw, extended format or BEEF, one or many')
    .option('--endpoint <name>', 'name or id of a miner; may be repeated (default: all in order)', collect, [])
    .addOption(new Option('--wait <state>', 'return once all are in this state, or failed').choices(['seen', 'mined']))
    .option('--label <text>', 'a note for the history', '')
    .option('--force', 'send what a check would keep back, where that check can be left out', false)
    .description('submit signed transactions to miners')
    .action(async (given: string, options: SubmitCommandOptions) => {
      await withClient(globals(), (client) => submit(client, given, options, output()));
    });
  tx.command('retry')
    .argument('<txid...>', 'transactions that were submitted from here, and those that the checks kept back')
    .option('--endpoint <name>', 'name or id of a miner; may be repeated (default: all in order)', collect, [])
    .description('send transactions again exactly as they are, without the checks')
    .action(async (txids: string[], { endpoint }: Pick<SubmitCommandOptions, 'endpoint'>) => {
      const results = await withClient(globals(), async (client) => {
        const minerIds = await minersNamed(client, endpoint);
        return client.tx.retry({ txids: txids.map((txid) => txid.toLowerCase()), ...(minerIds && { minerIds }) });
      });
      print(results, undefined, output());
    });
  tx.command('status')
    .argument('<txid>')
    .description('what became of a transaction, with every answer of every miner')
    .action(async (txid: string) => {
      const detail = await withClient(globals(), (client) => client.tx.get({ txid: txid.toLowerCase() }));
      const events = detail.events.map(
        ({ at, kind, state, text, answer }) =>
          `  ${new Date(at).toISOString()}  ${[kind, state, answer && `${answer.name}: ${answer.status}`, text].filter(Boolean).join('  ')}`,
      );
      output().result(
        detail,
        [trackedText(detail), ...reasonLines(detail.reason), ...nextAttemptLines(detail), ...events].join('\n'),
      );
      if (hasFailed(detail.state)) process.exitCode = 1;
    });
  tx.command('list')
    .option('--state <state>', 'only those in this state; may be repeated', collectOf(transactionStates.names), [])
    .option(
      '--origin <origin>',
      'only those of this part of Planchet; may be repeated',
      collectOf(transactionOrigins),
      [],
    )
    .option('--search <text>', 'a txid or its beginning, or a part of a label')
    .option('--limit <count>', 'how many at most', readCount, 100)
    .description('the submitted transactions, newest first')
    .action(async (options: ListCommandOptions) => {
      const list = await withClient(globals(), (client) => listAll(client, options));
      output().result(list, list.map(trackedText).join('\n'));
    });
  tx.command('watch')
    .argument('[txid...]', 'only these transactions', collectTxid, [])
    .option('--count <lines>', 'end after so many lines', readCount)
    .description('print each transaction that enters another state, as a line of JSON with --json')
    .action(async (txids: string[], { count }: { count?: number }) => {
      const wanted = new Set(txids);
      await withClient(globals(), async (client) => {
        let left = count ?? Number.POSITIVE_INFINITY;
        for await (const event of await client.events.subscribe()) {
          if (event.type === 'snapshot') output().note('Watching; stop it with Ctrl+C.');
          if (event.type !== 'transaction') continue;
          for (const transaction of event.transactions) {
            if (wanted.size > 0 && !wanted.has(transaction.txid)) continue;
            output().result(transaction, trackedText(transaction));
            left -= 1;
            if (left <= 0) return;
          }
        }
      });
    });
}

type Note = Output['note'];

/** Submits transactions, waits if asked to, and prints the result of each, also of those before an error. */
export async function submit(
  client: Client,
  given: string,
  options: SubmitCommandOptions,
  output: Output,
): Promise<void> {
  const { wait, label, force } = options;
  const uploadId = await upload(client, await readTransactions(given));
  const minerIds = await minersNamed(client, options.endpoint);
  const waiting = wait && new Waiting(client, wait);
  try {
    await waiting?.ready;
    const input = { source: { uploadId }, label, force, ...(minerIds && { minerIds }) };
    const results: SubmittedTransaction[] = [];
    try {
      await submitInParts(client, input, output.note, results);
      await waiting?.until(results, options, output.note);
    } finally {
      if (results.length > 0) print(results, waiting?.known, output);
    }
  } finally {
    waiting?.end();
  }
}

/** @param known states that are newer than the results */
function print(
  results: readonly SubmittedTransaction[],
  known: ReadonlyMap<string, TrackedTransaction> | undefined,
  output: Output,
): void {
  const printed = results.map(({ txid, state, reason, advice, checks, endpoints }): Submitted => {
    const now = known?.get(txid);
    const why = now === undefined ? reason : now.reason;
    return {
      txid,
      state: now?.state ?? state,
      ...(why && { reason: why.text }),
      ...(why && (why.advice || advice) && { advice: why.advice || (advice as string) }),
      ...(checks.length > 0 && { checks }),
      endpoints,
    };
  });
  output.result(printed, printed.map(submittedText).join('\n'));
  if (printed.some(({ state }) => hasFailed(state))) process.exitCode = 1;
}

/**
 * Submits all of a source, part after part, and reports the progress.
 * @param results takes one for each transaction, also for those of the parts before an error
 * @returns the same results, parents first
 */
export async function submitInParts(
  { tx }: { readonly tx: Pick<Client['tx'], 'submit' | 'decode'> },
  input: Parameters<Client['tx']['submit']>[0],
  note: Note,
  results: SubmittedTransaction[] = [],
): Promise<SubmittedTransaction[]> {
  results.push(...(await tx.submit({ ...input, offset: 0, limit: SUBMISSION_PART })));
  if (results.length < SUBMISSION_PART) return results;
  const { total } = await tx.decode({ source: input.source, limit: 1 });
  try {
    while (results.length < total) {
      note(`${results.length} of ${total} sent`);
      results.push(...(await tx.submit({ ...input, offset: results.length, limit: SUBMISSION_PART })));
    }
  } catch (error) {
    note(
      `Stopped after ${results.length} of ${total}. To submit the same again is safe: miners know a transaction by its id.`,
    );
    throw error;
  }
  return results;
}

/** Bytes of a file, of what is piped in, or of hex as text. @throws PlanchetError `not-found` */
async function readTransactions(given: string): Promise<Uint8Array> {
  if (given === '-') {
    const pieces: Buffer[] = [];
    for await (const piece of process.stdin) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  }
  if (/^(?:[0-9a-f]{2}){10,}$/i.test(given)) return new TextEncoder().encode(given);
  try {
    return await readFile(given);
  } catch (error) {
    throw unreadable(given, error);
  }
}

async function upload(client: Client, bytes: Uint8Array): Promise<string> {
  let uploadId: string | undefined;
  let at = 0;
  do {
    const piece = new Blob([bytes.slice(at, at + UPLOAD_PIECE_BYTES)]);
    ({ uploadId } = await client.tx.upload({ piece, ...(uploadId !== undefined && { uploadId }) }));
    at += UPLOAD_PIECE_BYTES;
  } while (at < bytes.length);
  return uploadId;
}

/** @throws PlanchetError `not-found` for a name that no miner has */
async function minersNamed(client: Client, names: readonly string[]): Promise<string[] | undefined> {
  if (names.length === 0) return undefined;
  const miners = await client.miners.list();
  return names.map((name) => minerNamed(miners, name).id);
}

/** Follows the live events, from before the transactions are sent, until all have come far enough. */
class Waiting {
  /** Settled with the first event. @throws PlanchetError `not-running` where the host ends before */
  readonly ready: Promise<void>;
  readonly #lost: Promise<void>;
  readonly #client: Client;
  readonly #flag: 'onNetwork' | 'mined';
  readonly #abort = new AbortController();
  readonly #known = new Map<string, TrackedTransaction>();
  #changed: () => void = () => undefined;
  #isComplete = true;

  constructor(client: Client, wait: 'seen' | 'mined') {
    this.#client = client;
    this.#flag = wait === 'seen' ? 'onNetwork' : 'mined';
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lost = this.#follow(resolve);
    this.ready = Promise.race([promise, this.#lost]);
    // Handled where it is awaited, which is only after the transactions were sent.
    this.#lost.catch(() => undefined);
  }

  /** The last known state of each transaction. */
  get known(): ReadonlyMap<string, TrackedTransaction> {
    return this.#known;
  }

  /** Waits until all that were sent have come far enough. @throws PlanchetError `not-running` where the host ends before */
  async until(results: readonly SubmittedTransaction[], limit: TimeoutOption, note: Note): Promise<void> {
    const deadline = new Deadline(limit);
    let told = '';
    let open = results.filter(({ sent }) => sent).map(({ txid }) => txid);
    // Asks once for what changed between sending and the first event.
    this.#isComplete = false;
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      if (!this.#isComplete) {
        this.#isComplete = true;
        for (const txid of open) this.#known.set(txid, await this.#client.tx.get({ txid }));
      }
      open = open.filter((txid) => !this.#isSettled(this.#known.get(txid)));
      if (open.length === 0) return;
      const reason = `${open.length} of ${results.length} wait for ${this.#flag === 'mined' ? 'a block' : 'a node or miner that has them'}.`;
      deadline.check('The submission', reason);
      const isQuiet = !(await endsWithin(Promise.race([changed, this.#lost]), Math.min(deadline.left, SILENT_MS)));
      if (isQuiet && reason !== told) note(`  ${reason}`);
      if (isQuiet) told = reason;
    }
  }

  end(): void {
    this.#abort.abort();
  }

  #isSettled(transaction: TrackedTransaction | undefined): boolean {
    if (transaction === undefined) return false;
    return transactionStates.is(transaction.state, this.#flag) || hasFailed(transaction.state);
  }

  /** Ends only with the abort. If the host ends, this rejects, so that nothing waits for ever. */
  async #follow(started: () => void): Promise<void> {
    try {
      for await (const event of await this.#client.events.subscribe(undefined, { signal: this.#abort.signal })) {
        if (event.type === 'snapshot') started();
        // No event reports what happened before a snapshot.
        if (event.type === 'snapshot' || (event.type === 'transaction' && !event.isComplete)) this.#isComplete = false;
        if (event.type === 'transaction') {
          for (const transaction of event.transactions) this.#known.set(transaction.txid, transaction);
        }
        this.#changed();
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      if (error instanceof Error && isDefinedError(error)) throw error;
      throw new PlanchetError('cli.host-ended', {}, { cause: error });
    }
    if (!this.#abort.signal.aborted) throw new PlanchetError('cli.host-ended');
  }
}

async function listAll(
  client: Client,
  { state, origin, search, limit }: ListCommandOptions,
): Promise<TrackedTransaction[]> {
  const list: TrackedTransaction[] = [];
  let after: string | undefined;
  do {
    const page = await client.tx.list({
      limit: Math.min(MAX_TRANSACTIONS_A_PAGE, limit - list.length),
      ...(after !== undefined && { after }),
      ...(state.length > 0 && { states: state }),
      ...(origin.length > 0 && { origins: origin }),
      ...(search !== undefined && { search }),
    });
    list.push(...page.transactions);
    after = page.next ?? undefined;
  } while (after !== undefined && list.length < limit);
  return list;
}

function hasFailed(state: TransactionState): boolean {
  return state === 'failed' || state === 'kept-back' || state === 'double-spent';
}

function trackedText({ txid, state, origin, label, block, confirmations }: TrackedTransaction): string {
  const place = block === null ? '' : ` in block ${block.height} (${confirmations})`;
  return `${txid}  ${state}${place}  ${origin}${label === '' ? '' : `  ${label}`}`;
}

function submittedText({ txid, state, reason, advice, endpoints }: Submitted): string {
  const lines = [
    `${txid}  ${state}`,
    ...reasonLines(reason === undefined ? null : { text: reason, advice: advice ?? '' }),
  ];
  for (const { name, status } of endpoints) lines.push(`  ${name}: ${status}`);
  return lines.join('\n');
}

function reasonLines(reason: { text: string; advice: string } | null): string[] {
  if (reason === null) return [];
  return [`  ${reason.text}`, ...(reason.advice === '' ? [] : [`  → ${reason.advice}`])];
}

function nextAttemptLines({ nextAttemptAt }: TrackedTransaction): string[] {
  return nextAttemptAt === undefined ? [] : [`  sent again by itself at ${new Date(nextAttemptAt).toISOString()}`];
}

function collectTxid(text: string, previous: string[]): string[] {
  return [...previous, readTxid(text)];
}

function collect(text: string, previous: string[]): string[] {
  return [...previous, text];
}

function collectOf<Name extends string>(names: readonly Name[]): (text: string, previous: Name[]) => Name[] {
  return (text, previous) => {
    const found = names.find((name) => name === text);
    if (found !== undefined) return [...previous, found];
    throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
  };
}

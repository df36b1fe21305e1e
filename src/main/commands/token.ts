import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { PlanchetError, type TokenJob, type TokenRequest, tokenDesignSchema } from '../../contract/index.ts';
import type { Client, Output, Shell } from './shared/run.ts';
import { confirmSpending } from './shared/terminal.ts';
import { waitForState, withTimeout } from './shared/waiting.ts';
import { withClient } from './shared/with-client.ts';
import { requirePassed, type SubmitOptions, submitting } from './wallet/paying.ts';

/** Stands for the wallet's own address of tokens. */
const OWN = 'self';

interface Destination {
  address: string;
  satoshis: number;
}

/** Adds `token …`: one command for each function of the token library, over the active wallet. */
export function addTokenCommands(program: Command, shell: Shell): void {
  const token = program.command('token').description('redeemable tokens: contract, issue, move, redeem');
  const act = (name: string, what: string): Command => submitting(withTimeout(token.command(name))).description(what);
  const send = (options: SubmitOptions, make: (own: string) => TokenRequest): Promise<void> =>
    withClient(shell.globals(), (client) => sendOne(client, make, options, shell.output()));

  act('contract', 'reserve the supply of a new token')
    .requiredOption('--schema <file>', 'JSON file: symbol, satsPerToken, totalSupply, name, …')
    .action((options: SubmitOptions & { schema: string }) => {
      const schema = readSchema(options.schema);
      return send(options, () => ({ action: 'contract', schema }));
    });
  act('issue', 'make the tokens of a contract')
    .argument('<contract>', 'txid_vout of the contract')
    .argument('<address=satoshis...>', `first owners; "${OWN}" is this wallet`, collectDestination, [])
    .option('--unsplittable', 'tokens that cannot be split', false)
    .action((contract: string, to: Destination[], options: SubmitOptions & { unsplittable: boolean }) =>
      send(options, (own) => ({ action: 'issue', contract, splittable: !options.unsplittable, to: named(to, own) })),
    );
  act('transfer', 'give a whole token to another owner')
    .argument('<token>', 'txid_vout')
    .argument('<address>')
    .action((one: string, to: string, options: SubmitOptions) =>
      send(options, (own) => ({ action: 'transfer', token: one, to: to === OWN ? own : to })),
    );
  act('split', 'divide a token')
    .argument('<token>', 'txid_vout')
    .argument('<address=satoshis...>', `owners; "${OWN}" is this wallet`, collectDestination, [])
    .action((one: string, to: Destination[], options: SubmitOptions) =>
      send(options, (own) => ({ action: 'split', token: one, to: named(to, own) })),
    );
  act('merge', 'make two tokens into one')
    .argument('<token>', 'txid_vout')
    .argument('<other>', 'txid_vout')
    .argument('[address]', 'owner of the merged token', OWN)
    .action((one: string, other: string, address: string, options: SubmitOptions) =>
      send(options, (own) => ({ action: 'merge', tokens: [one, other], to: address === OWN ? own : address })),
    );
  act('merge-split', 'merge two tokens and split the sum again')
    .argument('<token>', 'txid_vout')
    .argument('<other>', 'txid_vout')
    .argument('<address=satoshis...>', `one or two owners; "${OWN}" is this wallet`, collectDestination, [])
    .action((one: string, other: string, to: Destination[], options: SubmitOptions) =>
      send(options, (own) => ({ action: 'mergeSplit', tokens: [one, other], to: named(to, own) })),
    );
  act('redeem-split', 'redeem all but the named amounts')
    .argument('<token>', 'txid_vout')
    .argument(
      '<address=satoshis...>',
      `owners and the amounts they keep; "${OWN}" is this wallet`,
      collectDestination,
      [],
    )
    .action((one: string, to: Destination[], options: SubmitOptions) =>
      send(options, (own) => ({ action: 'redeemSplit', token: one, to: named(to, own) })),
    );
  act('redeem', 'give a whole token back to its issuer')
    .argument('<token>', 'txid_vout')
    .action((one: string, options: SubmitOptions) => send(options, () => ({ action: 'redeem', token: one })));

  token
    .command('list')
    .description('contracts and tokens of the wallet')
    .action(() =>
      withClient(shell.globals(), async (client) => {
        const { address, issuer, contracts, holdings } = await client.redeemableTokens.overview();
        const lines = [
          `receive tokens at ${address ?? 'no wallet'}`,
          ...contracts.map(
            (one) => `contract  ${one.schema?.symbol ?? '(not readable)'}  ${one.satoshis}  ${one.outpoint}`,
          ),
          ...holdings.flatMap(({ symbol, tokens }) =>
            tokens.map((one) => `${symbol}  ${one.satoshis}  ${one.outpoint}`),
          ),
        ];
        shell.output().result({ address, issuer, contracts, holdings }, lines.join('\n'));
      }),
    );
  token
    .command('history')
    .description('the life of a token, from its contract on')
    .argument('<token>', 'txid_vout of a token or a contract')
    .action((outpoint: string) =>
      withClient(shell.globals(), async (client) => {
        const history = await client.redeemableTokens.history({ outpoint });
        const lines = history.steps.map(
          ({ action, txid, outputs }) =>
            `${action.padEnd(11)} ${txid}  ${outputs.map((out) => out.satoshis).join(' + ')}`,
        );
        shell.output().result(history, lines.join('\n'));
      }),
    );
}

async function sendOne(
  client: Client,
  make: (own: string) => TokenRequest,
  { wait, yes, timeout }: SubmitOptions,
  output: Output,
): Promise<void> {
  const { address } = await client.redeemableTokens.overview();
  const request = make(address ?? OWN);
  let job = await client.redeemableTokens.prepare({ request, idempotencyKey: randomUUID() });
  const { review } = job;
  try {
    await approveByPerson(job, yes, output);
    job = await client.redeemableTokens.approve({ id: job.id, digest: review.digest });
  } catch (error) {
    await client.redeemableTokens.cancel({ id: job.id }).catch(() => {});
    throw error;
  }
  const look = () => client.redeemableTokens.get({ id: job.id });
  job = await waitForState(job, { what: 'The token', look, note: output.note, wait, timeout });
  const outputs = review.outputs
    .filter(({ kind }) => kind !== 'change')
    .map(({ index, kind, satoshis, address: owner }) => ({ outpoint: `${job.txid}_${index}`, kind, satoshis, owner }));
  output.result(
    {
      action: request.action,
      symbol: job.symbol,
      txid: job.txid,
      state: job.state,
      blockHash: job.blockHash,
      blockHeight: job.blockHeight,
      fee: review.fee,
      outputs,
    },
    outputs.map((one) => `${one.kind.padEnd(10)} ${one.satoshis}  ${one.outpoint}`).join('\n'),
  );
}

/** Requires the checks to pass first; real money is spent only after a person's yes. */
async function approveByPerson({ review, request }: TokenJob, yes: boolean, output: Output): Promise<void> {
  requirePassed(review.checks);
  output.note(
    `  ${request.action} of ${review.symbol}: ${review.fee} satoshis in fees; ${review.checks.length} checks passed.`,
  );
  await confirmSpending(review.network, yes);
}

function readSchema(file: string): ReturnType<typeof tokenDesignSchema.parse> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const isJson = error instanceof SyntaxError;
    throw new PlanchetError(isJson ? 'cli.schema-not-json' : 'cli.schema-unreadable', { file }, { cause: error });
  }
  const parsed = tokenDesignSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PlanchetError('cli.schema-invalid', { field: issue?.path.join('.') ?? '', reason: issue?.message ?? '' });
}

function named(to: readonly Destination[], own: string): Destination[] {
  return to.map(({ address, satoshis }) => ({ address: address === OWN ? own : address, satoshis }));
}

function collectDestination(text: string, previous: Destination[]): Destination[] {
  const match = /^([^=]+)=([1-9]\d{0,15})$/.exec(text);
  if (!match) throw new InvalidArgumentError('Write it as address=satoshis.');
  return [...previous, { address: match[1] as string, satoshis: Number(match[2]) }];
}

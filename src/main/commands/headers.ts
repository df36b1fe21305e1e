import { type Command, InvalidArgumentError } from 'commander';
import { type HeaderSourceStatus, type HeadersStatus, headersFault } from '../../contract/index.ts';
import type { Shell } from './shared/run.ts';
import { waitUntil } from './shared/waiting.ts';
import { printAnswer, withClient } from './shared/with-client.ts';

const LOOK_MS = 500;

/** Adds `planchet headers …`: the block headers that everything else is verified against. */
export function addHeadersCommands(program: Command, shell: Shell): void {
  const { globals, output } = shell;
  const headers = program.command('headers').description('the block headers that proofs are verified against');
  headers
    .command('status')
    .description('which headers are stored, and what each source says')
    .action(() => printAnswer(shell, (client) => client.headers.status(), headersText));
  headers
    .command('sync')
    .option('--from <height>', 'read older headers as well, from this height on; 0 reads all', heightOf)
    .description('read what is new; an interrupted reading goes on where it was')
    .action(async ({ from }: { from?: number }) => {
      const out = output();
      const status = await withClient(globals(), async (client) =>
        waitUntil(await client.headers.sync({ from: from ?? null }), {
          what: 'Reading the headers',
          every: LOOK_MS,
          look: () => client.headers.status(),
          isOver: ({ isReading }) => !isReading,
          reason: progressOf,
          note: (text) => out.note(text),
        }),
      );
      out.result(status, headersText(status));
      if (status.failure !== null || !status.isAgreed) process.exitCode = 1;
    });
}

function progressOf({ tip, target, lowest, downTo }: HeadersStatus): string | null {
  if (target !== null) return `Reading headers: ${tip?.height ?? 0} of ${target}`;
  return downTo === null ? null : `Reading older headers: ${lowest}, down to ${downTo}`;
}

const unsettled = {
  silent: 'Nobody who knows the chain answers, so what is known may be old. Is this computer on the internet?',
  'not-agreed': 'No two operators agree on the newest block, so nothing counts as settled.',
};

/** A line that says why the known headers may be old; empty if they are up to date. */
export function unsettledLines(status: HeadersStatus): string[] {
  const fault = headersFault(status);
  return fault === undefined ? [] : [unsettled[fault]];
}

function headersText(status: HeadersStatus): string {
  const { chain, tip, lowest, bytes, work, sources, failure } = status;
  const lines = [
    tip === null ? 'No headers are stored.' : `${chain}: ${lowest} to ${tip.height}, ${bytes} bytes`,
    ...(tip === null ? [] : [`  ${tip.hash} of ${new Date(tip.time).toISOString()}`]),
    ...(work === null ? [] : [`  work ${work}`]),
    ...sources.map(sourceText),
    ...unsettledLines(status),
    ...(failure === null ? [] : [failure.message]),
  ];
  return lines.join('\n');
}

function sourceText({ name, operator, height, agreesTo, refused, failure }: HeaderSourceStatus): string {
  const says = height === null ? 'has not answered' : `is at ${height}, agrees to ${agreesTo ?? 'nothing'}`;
  const lies = refused === 0 ? '' : `, refused ${refused} times`;
  return `  ${name}${operator === null ? '' : ` (${operator})`} ${says}${lies}${failure === null ? '' : `: ${failure.message}`}`;
}

function heightOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(text);
}

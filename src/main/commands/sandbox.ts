import { resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import {
  PlanchetError,
  type SandboxFault,
  sandboxFaultAreas,
  sandboxFaultNames,
  sandboxFaultSchema,
} from '../../contract/index.ts';
import { wholeNumber } from './shared/numbers.ts';
import type { Shell } from './shared/run.ts';
import { printAnswer, withClient } from './shared/with-client.ts';

/** Adds `planchet sandbox …`: the controls of the embedded network. */
export function addSandboxCommands(program: Command, shell: Shell): void {
  const { globals, output } = shell;
  const sandbox = program.command('sandbox').description('controls of the embedded network');
  sandbox
    .command('status')
    .description('the tip, the clock, the faults that are on, the snapshots')
    .action(() => printAnswer(shell, (client) => client.sandbox.status(), indented));
  sandbox
    .command('mine')
    .argument('<blocks>', 'how many', wholeNumber)
    .description('mine blocks now')
    .action((blocks: number) => printAnswer(shell, (client) => client.sandbox.mine({ blocks }), hashLines));
  sandbox
    .command('fund')
    .argument('<address>')
    .argument('<satoshis>', 'how many', wholeNumber)
    .description('send coins of the sandbox to an address')
    .action((address: string, satoshis: number) =>
      printAnswer(shell, (client) => client.sandbox.fund({ address, satoshis }), txidOf),
    );
  sandbox
    .command('reorg')
    .argument('<blocks>', 'how many of the newest blocks are replaced', wholeNumber)
    .description('replace the newest blocks by a longer branch')
    .action((depth: number) => printAnswer(shell, (client) => client.sandbox.reorg({ depth }), hashLines));
  sandbox
    .command('double-spend')
    .argument('<txid>')
    .option('--attempt', 'only offer the other transaction to the node, which refuses it', false)
    .description('spend what a transaction spends a second time, in a block')
    .action((txid: string, { attempt }: { attempt: boolean }) =>
      printAnswer(shell, (client) => client.sandbox.doubleSpend({ txid, mined: !attempt }), txidOf),
    );
  sandbox
    .command('relay')
    .argument('<rawtx>', 'a transaction in hex')
    .description('submit a transaction as a peer of the node would; one whose parents are missing waits for them')
    .action(async (rawTx: string) => {
      const { txid, outcome, reason } = await withClient(globals(), (client) => client.sandbox.relay({ rawTx }));
      output().result({ txid, outcome, reason }, [outcome, txid, reason].filter((part) => part !== null).join(' '));
    });
  sandbox
    .command('fault')
    .addArgument(new Argument('<name>', 'what fails, or "off" for nothing').choices([...sandboxFaultNames, 'off']))
    .argument(
      '[value]',
      'milliseconds of latency and slow-drip, status of http-error, blocks of pruned-blocks',
      wholeNumber,
    )
    .option('--off', 'turn it off, everywhere or in the given area alone', false)
    .option('--times <count>', 'how often it happens (default: until it is turned off)', wholeNumber)
    .option('--area <area>', `which requests it affects: ${sandboxFaultAreas.join(', ')} (default: all)`)
    .description('make the sandbox fail until it is turned off or stopped')
    .action(async (name: string, value: number | undefined, options: FaultOptions) => {
      const faults = await withClient(globals(), (client) => {
        if (name === 'off') return client.sandbox.faults.clear({});
        const fault = readFault(name, value, options);
        if (!options.off) return client.sandbox.faults.set(fault);
        return client.sandbox.faults.clear({ name: fault.name, ...(options.area ? { area: fault.area } : {}) });
      });
      output().result(faults, faults.length === 0 ? 'no fault is on' : faults.map(faultLine).join('\n'));
    });
  sandbox
    .command('clock')
    .argument('<time>', 'a time such as 2026-12-24T18:00:00Z, or "real"')
    .option('--freeze', 'stop the clock at that time', false)
    .description('set the time of the sandbox')
    .action(async (time: string, { freeze }: { freeze: boolean }) => {
      await withClient(globals(), (client) => client.sandbox.clock({ at: readTime(time), frozen: freeze }));
      output().result({ time }, 'The clock is set.');
    });
  sandbox
    .command('key')
    .option('--new-user', 'for a user of its own', false)
    .description('make another API key')
    .action(async ({ newUser }: { newUser: boolean }) => {
      const made = await withClient(globals(), (client) => client.sandbox.createKey({ newUser }));
      output().result(made, made.apiKey);
    });
  sandbox
    .command('snapshot')
    .argument('<name>')
    .option('--remove', 'remove it', false)
    .description('save the present state of the network')
    .action(async (name: string, { remove }: { remove: boolean }) => {
      await withClient(globals(), async ({ sandbox: { snapshots } }) => {
        if (remove) await snapshots.remove({ name });
        else await snapshots.take({ name });
      });
      output().result({ name }, remove ? `${name} is removed.` : `${name} is saved.`);
    });
  sandbox
    .command('revert')
    .argument('<name>', 'of a snapshot')
    .description('restore the network to a snapshot')
    .action(async (name: string) => {
      await withClient(globals(), (client) => client.sandbox.snapshots.revert({ name }));
      output().result({ name }, `The sandbox is as it was at ${name}.`);
    });
  sandbox
    .command('reset')
    .option('--seed <text>', 'makes the same keys and first blocks each time')
    .description('begin a new network; snapshots stay')
    .action(async (options: { seed?: string }) => {
      await withClient(globals(), (client) => client.sandbox.reset(options));
      output().result({}, 'The sandbox starts over.');
    });
  sandbox
    .command('export')
    .argument('<file>', 'a new file')
    .description('write the network to one file')
    .action(async (file: string) => {
      const written = await withClient(globals(), (client) => client.sandbox.export({ file: resolve(file) }));
      output().result({ file, ...written }, `${file}: ${written.bytes} bytes`);
    });
  sandbox
    .command('import')
    .argument('<file>')
    .description('put an exported network in the place of this one')
    .action(async (file: string) => {
      await withClient(globals(), (client) => client.sandbox.import({ file: resolve(file) }));
      output().result({ file }, `The sandbox is the one of ${file}.`);
    });
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2);
const txidOf = ({ txid }: { txid: string }): string => txid;
const hashLines = ({ hashes }: { hashes: string[] }): string => hashes.join('\n');

interface FaultOptions {
  readonly off: boolean;
  readonly times?: number;
  readonly area?: string;
}

function readFault(name: string, value: number | undefined, { times, area }: FaultOptions): SandboxFault {
  const read = sandboxFaultSchema.safeParse({ name, value, times, area });
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new PlanchetError('cli.fault-invalid', {
    field: issue?.path.join('.') ?? '',
    reason: issue?.message ?? '',
    names: sandboxFaultNames.join(', '),
  });
}

function faultLine({ name, value, times, area }: SandboxFault): string {
  return `${name}${value === 0 ? '' : ` ${value}`} (${area}${times === null ? '' : `, ${times} times`})`;
}

function readTime(text: string): number | null {
  if (text === 'real') return null;
  const at = Date.parse(text);
  // other forms are read, too, such as a bare number, which would be a month or a year
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(at)) return at;
  throw new PlanchetError('cli.time-invalid', { text });
}

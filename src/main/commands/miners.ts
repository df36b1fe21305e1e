import { type Command, Option } from 'commander';
import {
  type KeyStyle,
  keyStyleSchema,
  type Miner,
  type MinerKind,
  type MinerPreset,
  type MinerTest,
  type MinerTestStep,
  merchantKeyValueSchema,
  minerKindSchema,
  minerProtocols,
  PlanchetError,
} from '../../contract/index.ts';
import type { Client, Shell } from './shared/run.ts';
import { readSecret } from './shared/terminal.ts';
import { printAnswer, withClient } from './shared/with-client.ts';

interface SetupOptions {
  kind: MinerKind;
  apiKey: boolean;
  apiKeyFile?: string;
  keyStyle: KeyStyle;
  publicKey?: string;
  off: boolean;
}

/** Adds `planchet miners …`: the miners that transactions are submitted to. */
export function addMinersCommands(program: Command, shell: Shell): void {
  const { globals, output } = shell;
  const miners = program.command('miners').description('the miners that transactions are submitted to');
  miners
    .command('list')
    .option('--ask', 'ask each miner for its quote or policy first', false)
    .description('the miners in the order in which they are tried')
    .action(async ({ ask }: { ask: boolean }) => {
      const list = await withClient(globals(), async (client) => {
        const known = await client.miners.list();
        return ask ? Promise.all(known.map(({ id }) => client.miners.refresh({ id }))) : known;
      });
      output().result(list, list.map(minerText).join('\n'));
    });
  miners
    .command('presets')
    .description('public miners that `miners add --preset` takes')
    .action(async () => {
      const presets = await withClient(globals(), (client) => client.miners.presets());
      output().result(presets, presets.map(presetText).join('\n') || 'This network has none.');
    });
  withSetup(miners.command('add'))
    .argument('[name]', 'of a preset where left out')
    .argument('[url]', 'address of the API with its path: the part in front of /feeQuote, or of /policy')
    .option('--preset <name>', 'a public miner that `miners presets` names')
    .option('--off', 'switched off at first', false)
    .description('add a miner; it comes last')
    .action(async (name: string | undefined, url: string | undefined, options: SetupOptions & { preset?: string }) => {
      const { kind, keyStyle, off, preset } = options;
      if (preset === undefined && (name === undefined || url === undefined))
        throw new PlanchetError('miners.add-incomplete');
      const apiKey = await apiKeyOf(options);
      const pinnedKey = publicKeyOf(options) ?? null;
      const miner = await withClient(globals(), async (client) => {
        const chosen = preset === undefined ? undefined : await presetOf(client, preset);
        if (chosen?.needsKey && apiKey === undefined)
          throw new PlanchetError('miners.preset-key', { name: chosen.name });
        return client.miners.add({
          name: name ?? chosen?.name ?? '',
          kind: chosen?.kind ?? kind,
          url: url ?? chosen?.url ?? '',
          keyStyle,
          pinnedKey,
          enabled: !off,
          ...(apiKey !== undefined && { apiKey }),
        });
      });
      output().result(miner, minerText(miner));
    });
  for (const [verb, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    miners
      .command(verb)
      .argument('<miner>', 'name or id')
      .description(
        enabled ? 'switch a miner on' : 'switch a miner off: nothing is sent to it and it is asked for nothing',
      )
      .action((named: string) => {
        const update = async (client: Client): Promise<Miner> =>
          client.miners.update({ id: (await find(client, named)).id, enabled });
        return printAnswer(shell, update, minerText);
      });
  }
  miners
    .command('remove')
    .argument('<miner>', 'name or id')
    .description('remove a miner and its API key')
    .action(async (named: string) => {
      const { id, name } = await withClient(globals(), async (client) => {
        const miner = await find(client, named);
        await client.miners.remove({ id: miner.id });
        return miner;
      });
      output().result({ removed: id, name }, `${name} is removed.`);
    });
  withSetup(miners.command('test'))
    .argument('<miner>', 'name or id of a miner, or an address to try before it is added')
    .description('try a miner step by step; nothing is changed')
    .action(async (named: string, options: SetupOptions) => {
      const apiKey = await apiKeyOf(options);
      const typed = { ...(apiKey !== undefined && { apiKey }), pinnedKey: publicKeyOf(options) };
      const tested = await withClient(globals(), async (client) => {
        if (/^https?:\/\//i.test(named))
          return client.miners.test({ kind: options.kind, url: named, keyStyle: options.keyStyle, ...typed });
        return client.miners.test({ id: (await find(client, named)).id, ...typed });
      });
      output().result(tested, testText(tested));
      if (!tested.passed) process.exitCode = 1;
    });
}

function withSetup(command: Command): Command {
  return command
    .addOption(new Option('--kind <kind>', 'API that it speaks').choices(minerKindSchema.options).default('mapi'))
    .option('--api-key', 'read its API key from the terminal or what is piped in', false)
    .option('--api-key-file <file>', 'file that holds its API key')
    .addOption(
      new Option(
        '--key-style <style>',
        'how the API key is sent: Authorization: Bearer, Api-Key, or bare Authorization',
      )
        .choices(keyStyleSchema.options)
        .default('bearer'),
    )
    .option('--public-key <hex>', 'the only key that its answers may be signed with');
}

async function apiKeyOf({ apiKey, apiKeyFile }: SetupOptions): Promise<string | undefined> {
  return apiKey || apiKeyFile !== undefined ? readSecret('API key: ', apiKeyFile) : undefined;
}

function publicKeyOf({ publicKey }: SetupOptions): string | undefined {
  if (publicKey === undefined) return undefined;
  const key = merchantKeyValueSchema.safeParse(publicKey.toLowerCase());
  if (key.success && key.data !== null) return key.data;
  throw new PlanchetError('merchant.key-malformed', { text: publicKey });
}

async function find(client: Client, named: string): Promise<Miner> {
  return minerNamed(await client.miners.list(), named);
}

/** The one with this id or name. @throws PlanchetError `not-found` */
export function minerNamed(miners: readonly Miner[], named: string): Miner {
  const miner =
    miners.find(({ id }) => id === named) ?? miners.find(({ name }) => name.toLowerCase() === named.toLowerCase());
  if (miner === undefined) throw new PlanchetError('merchant.miner-unknown', { id: named });
  return miner;
}

/** @throws PlanchetError `not-found` */
async function presetOf(client: Client, named: string): Promise<MinerPreset> {
  const presets = await client.miners.presets();
  const preset = presets.find(({ id, name }) => [id, name.toLowerCase()].includes(named.toLowerCase()));
  if (preset !== undefined) return preset;
  throw new PlanchetError('miners.preset-unknown', {
    name: named,
    presets: presets.map(({ id }) => id).join(', ') || '–',
  });
}

function presetText({ id, name, operator, kind, url, needsKey, isAdded }: MinerPreset): string {
  const marks = [minerProtocols[kind].name, operator, ...(needsKey ? ['own key'] : []), ...(isAdded ? ['added'] : [])];
  return `${id}: ${name} (${marks.join(', ')})\n  ${url}`;
}

function minerText({ name, kind, url, enabled, builtIn, quote, failure, id }: Miner): string {
  const marks = [minerProtocols[kind].name, enabled ? 'on' : 'off', ...(builtIn ? ['built in'] : [])];
  const lines = [`${name} (${marks.join(', ')})`, `  ${url || 'no address'}`, `  id ${id}`];
  if (quote !== null) {
    const { standard, data } = quote;
    lines.push(
      `  ${standard.satoshis} satoshis for ${standard.bytes} bytes; data ${data.satoshis} for ${data.bytes} bytes`,
    );
  }
  if (failure !== null) lines.push(`  ${failure.message}`);
  return lines.join('\n');
}

const marks: Readonly<Record<MinerTestStep['outcome'], string>> = {
  passed: '✓',
  warning: '!',
  failed: '✗',
  skipped: '-',
};

function testText({ address, steps }: MinerTest): string {
  const lines = steps.map(({ step, outcome, message, failure }) => {
    const hint = failure?.hint === undefined ? '' : `\n    → ${failure.hint}`;
    return `  ${marks[outcome]} ${step}: ${message}${hint}`;
  });
  return [address, ...lines].join('\n');
}

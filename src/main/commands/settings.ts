import type { Command } from 'commander';
import {
  type ImportedSetting,
  type Network,
  networkNeedNames,
  networkNeeds,
  networks,
  PlanchetError,
  type SettingEntry,
  settingVariable,
} from '../../contract/index.ts';
import { readTextFile, writeNewFile } from './shared/new-file.ts';
import type { Shell } from './shared/run.ts';
import { joined, printAnswer, withClient } from './shared/with-client.ts';

/** Adds `settings list|get|set`. */
export function addSettingsCommands(program: Command, shell: Shell): void {
  const { globals, output } = shell;
  const settings = program.command('settings').description('read and change settings');
  settings
    .command('list')
    .description('every setting with its value, and where it comes from')
    .action(() => printAnswer(shell, (client) => client.settings.list(), joined(entryLine)));
  settings
    .command('get')
    .argument('<key>')
    .description('one setting')
    .action(async (key: string) => {
      const entries = await withClient(globals(), (client) => client.settings.list());
      const entry = entries.find((candidate) => candidate.key === key);
      if (!entry) throw new PlanchetError('settings.unknown-key', { key });
      output().result(entry, shownValue(entry));
    });
  settings
    .command('set')
    .argument('<key>')
    .argument('<value>', 'for secrets: "-" reads it from the terminal or what is piped in')
    .description('change a setting')
    .option('--yes-main', 'for "network main": change to real money, whatever is missing there yet', false)
    // The setting itself refuses a value such as -5s, and says what it accepts.
    .allowUnknownOption()
    .action(async (key: string, value: string, { yesMain }: { yesMain: boolean }) => {
      const network = key === 'network' ? networks.find((name) => name === value) : undefined;
      if (network !== undefined) return setNetwork(network, yesMain, shell);
      const { readSecret } = await import('./shared/terminal.ts');
      const text = value === '-' ? await readSecret(`${key}: `) : value;
      const { entry, restarts } = await withClient(globals(), (client) => client.settings.set({ key, value: text }));
      output().result(entry, `${key} is set.${whenInForce(entry, restarts)}`);
    });
  settings
    .command('reset')
    .argument('[key...]', 'settings to put back; without one, all except secrets and the network')
    .description('put settings back to their defaults')
    .action(async (keys: string[]) => {
      const { entries } = await withClient(globals(), (client) =>
        client.settings.reset(keys.length === 0 ? {} : { keys }),
      );
      output().result(entries, entries.map(({ key }) => `${key} is back at its default.`).join('\n') || NOTHING);
    });
  settings
    .command('export')
    .option('--out <file>', 'the new file (default: print it)')
    .description('the saved settings as a file, without secrets')
    .action(async ({ out }: { out?: string }) => {
      const { text } = await withClient(globals(), (client) => client.settings.export());
      if (out === undefined) output().result(JSON.parse(text), text.trimEnd());
      else {
        writeNewFile(out, text, 0o600);
        output().result({ file: out }, out);
      }
    });
  settings
    .command('import')
    .argument('<file>', 'a file written by "settings export"')
    .option('--dry-run', 'say what would change, and change nothing', false)
    .description('take the settings of a file')
    .action(async (file: string, { dryRun }: { dryRun: boolean }) => {
      const text = readTextFile(file);
      const lines = await withClient(globals(), async (client) => {
        const preview = await client.settings.previewImport({ text });
        if (!dryRun) await client.settings.import({ text });
        return preview.filter(({ effect }) => effect !== 'same');
      });
      output().result(lines, lines.map(importLine).join('\n') || NOTHING);
      // A file cannot change the network, so that refusal is no failure.
      if (lines.some(({ key, effect }) => effect === 'refused' && key !== 'network')) process.exitCode = 1;
    });
}

const NOTHING = 'Nothing changes.';

function importLine({ key, from, to, effect, reason }: ImportedSetting): string {
  return effect === 'refused' ? `${key} is left out: ${reason}` : `${key}: ${String(from)} → ${String(to)}`;
}

/** The change to the main network needs its confirmation. What is missing on a network is printed in any case. */
async function setNetwork(network: Network, yesMain: boolean, { globals, output }: Shell): Promise<void> {
  const word = yesMain && network === 'main' ? network : '';
  const { missing, restarts } = await withClient(globals(), (client) =>
    client.networks.switch({ network, without: [...networkNeeds], word }),
  );
  const note = missing.length > 0 ? ` Missing there: ${missing.map((need) => networkNeedNames[need]).join(', ')}.` : '';
  output().result(
    { network, missing },
    `network is set.${restarts ? ` Planchet starts on the ${network} network now.` : ''}${note}`,
  );
}

function entryLine(entry: SettingEntry): string {
  return `${entry.key} = ${shownValue(entry)}${originNote(entry)}`;
}

function shownValue({ secret, isSet, value }: SettingEntry): string {
  if (secret) return isSet ? '(set)' : '(not set)';
  return String(value);
}

function originNote({ key, origin }: SettingEntry): string {
  if (origin === 'environment') return `   (environment: ${settingVariable(key)})`;
  if (origin === 'command-line') return '   (command line)';
  return origin === 'file' ? '   (settings file)' : '';
}

function whenInForce({ key, origin }: SettingEntry, restarts: readonly string[]): string {
  if (origin === 'environment') return ` Until ${settingVariable(key)} is gone from the environment, that one holds.`;
  if (origin === 'command-line') return ` Until Planchet is started without --set ${key}=…, that one holds.`;
  return restarts.length > 0 ? ` Takes effect when this restarts: ${restarts.join(', ')}.` : '';
}

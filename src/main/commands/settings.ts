import type { Command } from 'commander';
import { PlanchetError, type SettingEntry, settingVariable } from '../../contract/index.ts';
import type { GlobalOptions, Output } from './shared/run.ts';
import { withClient } from './shared/with-client.ts';

interface Shell {
  globals(): GlobalOptions;
  output(): Output;
}

/** Adds `settings list|get|set`. */
export function addSettingsCommands(program: Command, { globals, output }: Shell): void {
  const settings = program.command('settings').description('read and change settings');
  settings
    .command('list')
    .description('every setting with its value, and where it comes from')
    .action(async () => {
      const entries = await withClient(globals(), (client) => client.settings.list());
      const lines = entries.map((entry) => `${entry.key} = ${shownValue(entry)}${originNote(entry)}`);
      output().result(entries, lines.join('\n'));
    });
  settings
    .command('get')
    .argument('<key>')
    .description('one setting')
    .action(async (key: string) => {
      const entries = await withClient(globals(), (client) => client.settings.list());
      const entry = entries.find((candidate) => candidate.key === key);
      if (!entry) {
        throw new PlanchetError('settings.unknown-key', { key });
      }
      output().result(entry, shownValue(entry));
    });
  settings
    .command('set')
    .argument('<key>')
    .argument('<value>', 'for secrets: "-" reads it from the terminal or what is piped in')
    .description('change a setting')
    // The setting itself refuses a value such as -5s, and says what it accepts.
    .allowUnknownOption()
    .action(async (key: string, value: string) => {
      const { readSecret } = await import('./shared/terminal.ts');
      const text = value === '-' ? await readSecret(`${key}: `) : value;
      const { entry, restarts } = await withClient(globals(), (client) => client.settings.set({ key, value: text }));
      output().result(entry, `${key} is set.${whenInForce(entry, restarts)}`);
    });
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

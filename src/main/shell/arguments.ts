import { parseArgs } from 'node:util';
import { PlanchetError } from '../../contract/index.ts';

export interface ShellArguments {
  dataDir: string | undefined;
  overrides: Record<string, string>;
  safeMode: boolean;
  /** Started at login: the window stays in the tray. */
  hidden: boolean;
}

/**
 * Reads the options the desktop application shares with the command line: `--data-dir`, `--network`, `--set key=value`, `--safe-mode`; and its own `--hidden`.
 * Switches of Electron's own among them are passed over.
 * @param args without the program's name
 * @throws PlanchetError `usage`
 */
export function parseShellArguments(args: readonly string[]): ShellArguments {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      'data-dir': { type: 'string' },
      network: { type: 'string' },
      set: { type: 'string', multiple: true },
      'safe-mode': { type: 'boolean' },
      hidden: { type: 'boolean' },
    },
  });
  const overrides: Record<string, string> = {};
  for (const pair of values.set ?? []) {
    const at = typeof pair === 'string' ? pair.indexOf('=') : -1;
    if (typeof pair !== 'string' || at < 1) throw new PlanchetError('cli.set-usage');
    overrides[pair.slice(0, at)] = pair.slice(at + 1);
  }
  if (typeof values.network === 'string') overrides.network = values.network;
  const dataDir = values['data-dir'];
  // empty, it would be the default folder, where the real money is
  if (dataDir !== undefined && (typeof dataDir !== 'string' || dataDir.trim() === ''))
    throw new PlanchetError('usage.value-missing', {
      name: '--data-dir',
      pattern: '--data-dir <folder>',
      command: 'planchet',
      suggestion: '',
    });
  return { dataDir, overrides, safeMode: values['safe-mode'] === true, hidden: values.hidden === true };
}

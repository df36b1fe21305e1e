import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication } from '@playwright/test';
import { electronBinary, hasDisplay } from '../../scripts/electron-binary.ts';
import { root } from '../../scripts/paths.ts';
import { freePorts } from './host.ts';

/** Why the desktop application cannot be started here; undefined if it can. */
export function noDesktop(): string | undefined {
  if (electronBinary() === undefined)
    return "Electron's program is not in node_modules/electron: it is fetched on the first use.";
  return hasDisplay() ? undefined : 'There is no display to open a window on.';
}

/**
 * Starts the desktop application with free ports.
 * @param set settings that replace the defaults
 * @param options.dataDir a new one by default
 * @param options.args further arguments
 */
export async function openDesktop(
  set: Readonly<Record<string, string>> = {},
  options: { dataDir?: string; args?: readonly string[] } = {},
): Promise<{ application: ElectronApplication; dataDir: string }> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'planchet-desktop-'));
  const settings = Object.entries({ ...freePorts, ...set }).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const application = await _electron.launch({
    executablePath: electronBinary() as string,
    args: [root, '--data-dir', dataDir, ...settings, ...(options.args ?? [])],
  });
  return { application, dataDir };
}

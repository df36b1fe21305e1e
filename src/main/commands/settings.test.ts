import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callCommand } from '../test-support/hosts/call-command.ts';
import type { Ended } from '../test-support/hosts/command-line.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-settings-command-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const planchet = (...args: string[]): Promise<Ended> => callCommand(['--data-dir', dataDir, 'settings', ...args]);

it('saves settings to a file, puts them back to their defaults, and takes them from the file', async () => {
  const file = join(dataDir, 'mine.json');
  await planchet('set', 'theme', 'dark');
  expect(await planchet('export', '--out', file)).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ planchetSettings: 1, settings: { theme: 'dark' } });
  expect((await planchet('reset', 'theme')).out.trim()).toBe('theme is back at its default.');
  expect((await planchet('import', '--dry-run', file)).out.trim()).toBe('theme: system → dark');
  expect((await planchet('get', 'theme')).out.trim()).toBe('system');
  expect(await planchet('import', file)).toMatchObject({ code: 0 });
  expect((await planchet('get', 'theme')).out.trim()).toBe('dark');
  writeFileSync(file, 'no settings');
  expect((await planchet('import', file)).code).not.toBe(0);
  expect((await planchet('import', join(dataDir, 'missing.json'))).err).toContain('cannot be read');
});

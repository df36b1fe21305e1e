import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCommand } from '../test-support/hosts/call-command.ts';
import type { Ended } from '../test-support/hosts/command-line.ts';
import { startHere } from '../test-support/hosts/start-here.ts';

let folder: string;
let dataDir: string;
let host: Awaited<ReturnType<typeof startHere>>;
// commands beside a host: alone each would start one
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-settings-command-'));
  dataDir = join(folder, 'data');
  host = await startHere({ dataDir });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const planchet = (...args: string[]): Promise<Ended> => callCommand(['--data-dir', dataDir, 'settings', ...args]);

it('planchet settings saves settings to a file, puts them back to their defaults, and takes them from the file', async () => {
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
  expect((await planchet('import', join(dataDir, 'missing.json'))).err).toContain('There is no file');
});

it('planchet settings fails where a setting of a file is refused, but for the network', { tags: 'long' }, async () => {
  const file = join(dataDir, 'refused.json');
  const importing = (settings: object, ...options: string[]): Promise<Ended> => {
    writeFileSync(file, JSON.stringify({ planchetSettings: 1, settings }));
    return planchet('import', file, ...options);
  };
  for (const options of [[], ['--dry-run']]) {
    const refused = await importing({ theme: 'pink', nothing: 1 }, ...options);
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('theme is left out') as string });
    expect(await importing({ network: 'test' }, ...options)).toMatchObject({ code: 0 });
  }
});

describe.each([
  ['settings export', ['settings', 'export']],
  ['diagnostics', ['diagnostics']],
])('%s --out', (_, command) => {
  const write = (out: string): Promise<Ended> =>
    callCommand(['--data-dir', dataDir, ...command, '--out', out, '--json']);

  it('writes a new file that only its owner reads, and never overwrites one', async () => {
    const file = join(folder, `${command.join('-')}.file`);
    expect(await write(file)).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'mine');
    const again = await write(file);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.err)).toMatchObject({ error: { code: 'conflict', message: `${file} exists already.` } });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('names a file that cannot be written', async () => {
    const nowhere = await write(join(dataDir, 'none', 'out.file'));
    expect(JSON.parse(nowhere.err)).toMatchObject({ error: { code: 'invalid-input' } });
    const folder = await write(dataDir);
    expect(JSON.parse(folder.err)).toMatchObject({ error: { code: 'conflict' } });
  });
});

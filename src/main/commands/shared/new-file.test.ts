import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeFreeFile, writeNewFile } from './new-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-new-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a new file is one that only its owner reads, and leaves one that is there as it is', () => {
  const file = join(folder, 'words');
  writeNewFile(file, 'secret', 0o600);
  expect(() => writeNewFile(file, 'other')).toThrow(expect.objectContaining({ id: 'cli.file-exists' }));
  expect(readFileSync(file, 'utf8')).toBe('secret');
  expect(readdirSync(folder)).toEqual(['words']);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a new file takes the first free name', () => {
  const file = join(folder, 'report.zip');
  writeFileSync(join(folder, 'report-2.zip'), 'mine');
  expect(writeFreeFile(file, 'first')).toBe(file);
  expect(writeFreeFile(file, 'second')).toBe(join(folder, 'report-3.zip'));
  expect(readFileSync(join(folder, 'report-2.zip'), 'utf8')).toBe('mine');
  expect(readdirSync(folder).sort()).toEqual(['report-2.zip', 'report-3.zip', 'report.zip']);
});

it('a refusal to write a new file names the file', () => {
  const file = join(folder, 'missing', 'report.zip');
  expect(() => writeNewFile(file, '')).toThrow(expect.objectContaining({ id: 'cli.file-unwritable' }));
});

// A shell's limit for the size of a file breaks a write off in its middle, as a full disk does.
it.skipIf(process.platform === 'win32')('a write of a new file that breaks off leaves nothing behind', () => {
  const code = `import { writeNewFile } from ${JSON.stringify(new URL('./new-file.ts', import.meta.url).href)};
    try { writeNewFile(${JSON.stringify(join(folder, 'report.zip'))}, new Uint8Array(200_000)); }
    catch ({ id, cause }) { console.log(id, cause.code); }`;
  const limited = 'trap "" XFSZ; ulimit -f 40; exec "$0" --input-type=module -e "$1"';
  const { stdout, stderr } = spawnSync('sh', ['-c', limited, process.execPath, code], { encoding: 'utf8' });
  expect(stdout.trim(), stderr).toBe('cli.file-unwritable EFBIG');
  expect(readdirSync(folder)).toEqual([]);
});

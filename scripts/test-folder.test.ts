import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { makeTestFolder } from './test-folder.ts';

let folder: string | undefined;
afterEach(() => {
  vi.unstubAllEnvs();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

it('the folder for tests is below the configured temporary folder', () => {
  const wanted = mkdtempSync(join(tmpdir(), 'planchet-wanted-'));
  vi.stubEnv('TMPDIR', wanted);
  folder = makeTestFolder();
  expect(dirname(folder)).toBe(wanted);
  rmSync(wanted, { recursive: true });
});

it.skipIf(process.platform === 'win32')(
  'the folder for tests can run programs, lets other users pass, and removes what an earlier run left in memory',
  () => {
    vi.stubEnv('TMPDIR', undefined);
    const abandoned = '/dev/shm/planchet-test-4194305-abandoned';
    // The highest process id is lower.
    if (process.platform === 'linux') mkdirSync(abandoned, { recursive: true });
    folder = makeTestFolder();
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\necho ran\n', { mode: 0o700 });
    expect(execFileSync(program).toString()).toBe('ran\n');
    if (!folder.startsWith('/dev/shm')) return;
    expect(statSync(folder).mode & 0o777).toBe(0o711);
    expect(statSync(abandoned, { throwIfNoEntry: false })).toBeUndefined();
  },
);

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm';
/** Space that a run may need there, and the memory to leave for the programs, in bytes. */
const ROOM = 3 * 1_073_741_824;
/** The programs of PostgreSQL run as another user, who needs to traverse the folder. */
const PASSED_BY_ALL = 0o711;

/**
 * Makes the folder for the temporary files of a test run, which is removed with the process. It is in memory if there is room: tests open thousands
 * of databases, whose every commit would otherwise wait for the disk.
 */
export function makeTestFolder(): string {
  const folder = inMemory() ?? mkdtempSync(join(tmpdir(), 'planchet-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @returns undefined if files cannot be stored in memory, or programs not run there, or there is too little of it */
function inMemory(): string | undefined {
  if (process.env.TMPDIR !== undefined) return undefined;
  let folder: string | undefined;
  try {
    removeAbandoned();
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize < ROOM || availableMemory() < 2 * ROOM) return undefined;
    folder = mkdtempSync(join(IN_MEMORY, `planchet-test-${process.pid}-`));
    chmodSync(folder, PASSED_BY_ALL);
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    if (spawnSync(program).status === 0) return folder;
  } catch {
    // It does not exist here, or is not accessible.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return undefined;
}

/** Removes folders of runs that were killed, which would stay in memory. */
function removeAbandoned(): void {
  for (const name of readdirSync(IN_MEMORY)) {
    const pid = /^planchet-test-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}

/** Bytes that programs can allocate without swapping. */
function availableMemory(): number {
  return 1_024 * Number(/^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0);
}

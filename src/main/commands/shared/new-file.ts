import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parse } from 'node:path';
import { PlanchetError } from '../../../contract/index.ts';

/** @throws PlanchetError `invalid-input` where it cannot be read */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Why a file that was named on the command line cannot be read: it is not there, or the system refuses it. */
export function unreadable(path: string, error: unknown): PlanchetError {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return new PlanchetError(missing ? 'cli.file-missing' : 'cli.file-unreadable', { path }, { cause: error });
}

/**
 * Writes a new file; one that is there already is never overwritten. The content is written under another name beside it, so a write that breaks
 * off, as on a full disk, leaves nothing behind.
 * @param mode permissions of a file that only its owner reads
 * @throws PlanchetError `conflict` where it exists, `invalid-input` where it cannot be written
 */
export function writeNewFile(file: string, content: string | Uint8Array, mode?: 0o600): void {
  if (!wroteNew(file, content, mode)) throw new PlanchetError('cli.file-exists', { file });
}

/**
 * Writes a new file under the first free name: `report.zip`, else `report-2.zip` and so on.
 * @returns the name it has
 * @throws PlanchetError `invalid-input` where it cannot be written
 */
export function writeFreeFile(file: string, content: string | Uint8Array, mode?: 0o600): string {
  const { name, ext } = parse(file);
  const before = file.slice(0, file.length - name.length - ext.length);
  for (let n = 1; ; n++) {
    const free = n === 1 ? file : `${before}${name}-${n}${ext}`;
    if (wroteNew(free, content, mode)) return free;
  }
}

/** @returns false where a file of that name is there already */
function wroteNew(file: string, content: string | Uint8Array, mode?: 0o600): boolean {
  if (existsSync(file)) return false;
  const part = `${file}.${randomUUID()}.part`;
  try {
    // Flushed to the disk before it gets its name.
    writeFileSync(part, content, { flag: 'wx', mode, flush: true });
    return named(part, file);
  } catch (error) {
    throw new PlanchetError('cli.file-unwritable', { file }, { cause: error });
  } finally {
    rmSync(part, { force: true });
  }
}

/** Gives a finished file its name, which no other process may have taken since. */
function named(part: string, file: string): boolean {
  try {
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // A file system without hard links, as many memory sticks have.
    renameSync(part, file);
  }
  return true;
}

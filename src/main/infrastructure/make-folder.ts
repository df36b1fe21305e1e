import { existsSync, mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, one by one: the recursive `mkdirSync` of Node never ends where the system says of a folder in one that
 * exists that there is none, as below `/proc` or on a mount point of autofs.
 * @throws the error of the system
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // another process was first
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Has a folder on the disk, and with it the names in it. Windows cannot open a folder as a file; its renames are durable without it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

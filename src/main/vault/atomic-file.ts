import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDiskFull, PlanchetError } from '../../contract/index.ts';
import { syncFolder } from '../infrastructure/make-folder.ts';

const OWNER_ONLY = 0o600;

/**
 * Replaces a file so that at any moment, also after a power cut, the path holds either all of the old bytes or all of the new ones:
 * a temporary file in the same folder is written, synced and renamed over it, then the folder is synced. The file is readable by its owner only.
 * @throws PlanchetError `disk-full` when there is no room, `store-failed` when the file cannot be written; the old file stays.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', OWNER_ONLY);
    try {
      // The mode given to open() is narrowed by the umask but never widened by it, so it is set again explicitly.
      await file.chmod(OWNER_ONLY);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    if (isDiskFull(error)) throw new PlanchetError('vault.disk-full', { path }, { cause: error });
    throw new PlanchetError('vault.unwritable', { path, reason: (error as Error).message }, { cause: error });
  }
}

/** Removes temporary files that a killed {@link replaceFile} left next to `path`. */
export async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length)))
      await rm(join(folder, name), { force: true });
  }
}

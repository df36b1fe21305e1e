import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Copies an installer into a folder of ours, by version, so that a later version can go back to it: the library empties its cache with the
 * next download, and moves an AppImage to its place. Only this installer and that of the version that is known to start are kept.
 * @param path of the downloaded installer
 * @returns path of the copy
 */
export async function keepInstaller(
  folder: string,
  path: string,
  { version, good }: { version: string; good: string | undefined },
): Promise<string> {
  await mkdir(join(folder, version), { recursive: true, mode: 0o700 });
  const kept = join(folder, version, basename(path));
  await copyFile(path, kept, constants.COPYFILE_FICLONE);
  for (const name of await readdir(folder)) {
    if (name !== version && name !== good) await rm(join(folder, name), { recursive: true, force: true });
  }
  return kept;
}

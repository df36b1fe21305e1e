import { lstat } from 'node:fs/promises';
import { basename, extname, isAbsolute } from 'node:path';
import { PlanchetError, phrase } from '../../../../contract/index.ts';
import { openFile, openFolder, unreadable } from './disk.ts';
import { type Source, type SourceEntry, withoutCommonFolder } from './source.ts';
import { openZip } from './zip.ts';

/**
 * Opens folders, archives and single files as one list of files.
 * @param paths full paths of this machine
 * @throws PlanchetError `import.path-missing` | `import.path-unreadable` | `import.archive-damaged` | `import.archive-too-large`
 */
export async function openSources(paths: readonly string[]): Promise<Source> {
  const opened: { path: string; source: Source }[] = [];
  const close = async (): Promise<void> => {
    for (const { source } of opened) await source.close();
  };
  try {
    for (const path of paths) opened.push({ path, source: await openOne(path) });
    const several = opened.filter(({ source }) => source.entries.length > 1).length > 1;
    const entries = opened.flatMap(({ path, source }) => {
      const own = withoutCommonFolder(source.entries);
      // Several folders may hold the same names.
      return several && own.length > 1 ? own.map((entry) => inFolder(entry, basename(path))) : own;
    });
    return {
      entries: await unpacked(entries, opened),
      findings: opened.flatMap(({ source }) => source.findings),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openOne(path: string): Promise<Source> {
  if (!isAbsolute(path)) throw new PlanchetError('import.path-relative', { path });
  const info = await lstat(path).catch((error: unknown) => {
    throw unreadable(error, path);
  });
  if (info.isDirectory()) return openFolder(path);
  if (!info.isFile()) throw new PlanchetError('import.path-unreadable', { path, reason: phrase('reason.no-file') });
  return isZip(path) ? openZip(path) : openFile(path);
}

function isZip(path: string): boolean {
  return extname(path).toLowerCase() === '.zip';
}

/** Opens archives among the files as well: a browser sends an archive as a file. */
async function unpacked(
  entries: readonly SourceEntry[],
  opened: { path: string; source: Source }[],
): Promise<SourceEntry[]> {
  const result: SourceEntry[] = [];
  const isArchive = ({ origin, path }: SourceEntry): boolean => origin !== null && isZip(path);
  const several = entries.filter(isArchive).length > 1;
  for (const entry of entries) {
    if (entry.origin === null || !isZip(entry.path)) {
      result.push(entry);
      continue;
    }
    const source = await openZip(entry.origin.path);
    opened.push({ path: entry.origin.path, source });
    const own = withoutCommonFolder(source.entries);
    // Several archives may hold the same names.
    result.push(...(several ? own.map((one) => inFolder(one, entry.path)) : own));
  }
  return result;
}

function inFolder(entry: SourceEntry, folder: string): SourceEntry {
  return { ...entry, path: `${folder}/${entry.path}` };
}

import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Phrase, PlanchetError, phrase } from '../../../../contract/index.ts';
import { type Finding, UnreadableFile } from '../model.ts';
import { isLeftOut, MAX_FILES, type Source, type SourceEntry } from './source.ts';

/**
 * A folder with all folders in it. Links are not followed: they could lead anywhere.
 * @throws PlanchetError `import.path-unreadable` | `import.too-many-files`
 */
export async function openFolder(folder: string): Promise<Source> {
  const entries: SourceEntry[] = [];
  const findings: Finding[] = [];
  const pending: [absolute: string, relative: string][] = [[folder, '']];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [absolute, relative] = next;
    try {
      for await (const child of await opendir(absolute)) {
        const path = relative === '' ? child.name : `${relative}/${child.name}`;
        if (isLeftOut(child.name)) continue;
        const full = join(absolute, child.name);
        if (child.isDirectory()) pending.push([full, path]);
        else if (child.isFile()) entries.push(await diskEntry(full, path));
        else findings.push({ code: 'file-not-regular', values: { file: child.name }, file: path });
        if (entries.length > MAX_FILES) throw new PlanchetError('import.too-many-files', { limit: MAX_FILES });
      }
    } catch (error) {
      throw unreadable(error, absolute);
    }
  }
  return { entries, findings, close: async () => {} };
}

/** @throws PlanchetError `import.path-missing` | `import.path-unreadable` */
export async function openFile(path: string): Promise<Source> {
  try {
    return { entries: [await diskEntry(path, basename(path))], findings: [], close: async () => {} };
  } catch (error) {
    throw unreadable(error, path);
  }
}

async function diskEntry(full: string, path: string): Promise<SourceEntry> {
  const info = await lstat(full);
  return {
    path,
    bytes: info.size,
    origin: { path: full, modified: Math.trunc(info.mtimeMs) },
    read: (limit) => readBounded(full, limit),
  };
}

/** @throws Error where the file is longer than the limit or is no file any more */
async function readBounded(path: string, limit: number): Promise<Uint8Array> {
  // A file that was replaced by a link since the folder was listed is not followed.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const info = await file.stat();
    if (!info.isFile()) throw new UnreadableFile(phrase('reason.not-a-file'));
    if (info.size > limit) throw new UnreadableFile(phrase('reason.file-grew'));
    const bytes = await file.readFile();
    if (bytes.length > limit) throw new UnreadableFile(phrase('reason.file-grew'));
    return bytes;
  } finally {
    await file.close();
  }
}

export function unreadable(error: unknown, path: string): PlanchetError {
  if (error instanceof PlanchetError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ENOENT') return new PlanchetError('import.path-missing', { path }, { cause: error });
  return new PlanchetError('import.path-unreadable', { path, reason: reasonOf(error) }, { cause: error });
}

/** Why a file could not be read, for a person. */
export function reasonOf(error: unknown): string | Phrase {
  if (error instanceof UnreadableFile) return error.reason;
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'EACCES' || code === 'EPERM') return phrase('import.word.forbidden');
  if (code === 'ENOENT') return phrase('import.word.gone');
  if (code === 'ELOOP') return phrase('import.word.link');
  if (code === 'EIO' || code === 'ENXIO' || code === 'ESTALE') return phrase('import.word.drive');
  if (code !== undefined) return phrase('import.word.system', { code });
  return error instanceof Error ? error.message : String(error);
}

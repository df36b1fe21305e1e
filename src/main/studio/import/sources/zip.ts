import { stat } from 'node:fs/promises';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { type Phrase, PlanchetError, phrase } from '../../../../contract/index.ts';
import { baseName, type Finding } from '../model.ts';
import { unreadable } from './disk.ts';
import { isLeftOut, MAX_FILES, type Source, type SourceEntry, safePath } from './source.ts';

const MAX_UNPACKED_BYTES = 8_000_000_000;
/** Pictures do not compress further, and text compresses to a tenth. A better ratio over megabytes is a zip bomb. */
const MAX_RATIO = 200;
const RATIO_FROM_BYTES = 10_000_000;

/**
 * A zip file. Its list is read and checked whole; each entry is unpacked only when it is read, and never beyond its declared size.
 * @throws PlanchetError `import.archive-damaged` | `import.archive-too-large` | `import.too-many-files`
 */
export async function openZip(path: string): Promise<Source> {
  const size = await stat(path).then(
    (info) => info.size,
    (error: unknown) => {
      throw unreadable(error, path);
    },
  );
  const file = baseName(path.replaceAll('\\', '/'));
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: true,
    });
    const open = zip;
    const { entries, findings } = await listEntries(open, file, size);
    return { entries, findings, close: async () => open.close() };
  } catch (error) {
    zip?.close();
    if (error instanceof PlanchetError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlanchetError('import.archive-damaged', { file, reason }, { cause: error });
  }
}

async function listEntries(zip: ZipFile, file: string, size: number) {
  if (zip.entryCount > MAX_FILES * 2) throw new PlanchetError('import.too-many-files', { limit: MAX_FILES });
  const entries: SourceEntry[] = [];
  const findings: Finding[] = [];
  const seen = new Set<string>();
  let unpacked = 0;
  let packed = 0;
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry);
    if (name.endsWith('/') || name.endsWith('\\')) continue;
    const path = safePath(name);
    if (path === undefined) {
      findings.push({ code: 'path-refused', values: { file: printable(name) }, file: printable(name) });
      continue;
    }
    if (isLeftOut(path)) continue;
    if (isLink(entry)) {
      findings.push({ code: 'file-not-regular', values: { file: baseName(path) }, file: path });
      continue;
    }
    if (!entry.canDecodeFileData()) {
      const reason = phrase(entry.isEncrypted() ? 'import.word.encrypted' : 'import.word.compression');
      findings.push({ code: 'file-unreadable', values: { file: baseName(path), reason }, file: path });
      continue;
    }
    if (seen.has(path.toLowerCase())) {
      findings.push({ code: 'name-twice', values: { file: path }, file: path });
      continue;
    }
    seen.add(path.toLowerCase());
    unpacked += entry.uncompressedSize;
    packed += entry.compressedSize;
    if (packed > size) throw tooLarge(file, phrase('reason.parts-overlap'));
    if (unpacked > MAX_UNPACKED_BYTES)
      throw tooLarge(file, phrase('reason.too-many-bytes', { bytes: MAX_UNPACKED_BYTES }));
    if (isTooTight(unpacked, packed)) throw tooLarge(file, phrase('import.word.packed-tightly'));
    if (isTooTight(entry.uncompressedSize, entry.compressedSize)) {
      const reason = phrase('import.word.packed-tightly');
      findings.push({ code: 'file-unreadable', values: { file: baseName(path), reason }, file: path });
      continue;
    }
    if (entries.length === MAX_FILES) throw new PlanchetError('import.too-many-files', { limit: MAX_FILES });
    entries.push({ path, bytes: entry.uncompressedSize, origin: null, read: (limit) => readEntry(zip, entry, limit) });
  }
  return { entries, findings };
}

function isTooTight(unpacked: number, packed: number): boolean {
  return unpacked > RATIO_FROM_BYTES && unpacked > packed * MAX_RATIO;
}

/** The content of an entry. @param limit bytes at most. @throws Error where it is longer or shorter than the archive says */
export async function readEntry(zip: ZipFile, entry: Entry, limit: number): Promise<Uint8Array> {
  if (entry.uncompressedSize > limit) throw new Error('it is too large');
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    length += (piece as Buffer).length;
    if (length > entry.uncompressedSize) throw new Error('it is longer than the archive says');
    pieces.push(piece as Buffer);
  }
  if (length !== entry.uncompressedSize) throw new Error('it is shorter than the archive says');
  return Buffer.concat(pieces, length);
}

function nameOf(entry: Entry): string {
  return getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
}

function printable(name: string): string {
  return name
    .slice(0, 200)
    .replaceAll(/\p{Cc}/gu, '?')
    .toWellFormed();
}

/** The upper half has the Unix mode of the file, if any. */
function isLink(entry: Entry): boolean {
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000;
  return kind !== 0 && kind !== 0o100000;
}

function tooLarge(file: string, reason: Phrase): PlanchetError {
  return new PlanchetError('import.archive-too-large', { file, reason });
}

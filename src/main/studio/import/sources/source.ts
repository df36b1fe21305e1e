import type { Finding } from '../model.ts';

/** Files of one import at most. */
export const MAX_FILES = 100_000;

/** One file of what was brought. */
export interface SourceEntry {
  /** Path with `/` inside what was brought. */
  readonly path: string;
  readonly bytes: number;
  /** Where it lies on the disk; null inside an archive. */
  readonly origin: { readonly path: string; readonly modified: number } | null;
  /** All of it. @param limit bytes, never more are held */
  readonly read: (limit: number) => Promise<Uint8Array>;
}

/** A folder, an archive or single files. */
export interface Source {
  readonly entries: readonly SourceEntry[];
  readonly findings: readonly Finding[];
  close(): Promise<void>;
}

const LEFT_OUT = new Set(['thumbs.db', 'desktop.ini', '__macosx', 'ehthumbs.db', '$recycle.bin']);

/** Files that operating systems leave in folders and archives, and a spreadsheet beside a table that is open. */
export function isLeftOut(path: string): boolean {
  return path.split('/').some((part) => /^(?:\.|~\$)/.test(part) || LEFT_OUT.has(part.toLowerCase()));
}

/**
 * A path that stays inside its folder, with `/` between its parts.
 * @returns undefined for an absolute path, one that climbs out, and one with control characters
 */
export function safePath(name: string): string | undefined {
  const path = name.replaceAll('\\', '/');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (path === '' || path.length > 1_024 || /^(?:\/|[a-z]:)|[\x00-\x1f]/i.test(path) || !path.isWellFormed())
    return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? undefined : parts.join('/');
}

/** Cuts off the folders that all files have in common. */
export function withoutCommonFolder(entries: readonly SourceEntry[]): SourceEntry[] {
  let parts = entries[0]?.path.split('/').slice(0, -1) ?? [];
  for (const { path } of entries) {
    const own = path.split('/').slice(0, -1);
    let same = 0;
    while (same < parts.length && parts[same] === own[same]) same++;
    parts = parts.slice(0, same);
  }
  if (parts.length === 0) return [...entries];
  const cut = parts.join('/').length + 1;
  return entries.map((entry) => ({ ...entry, path: entry.path.slice(cut) }));
}

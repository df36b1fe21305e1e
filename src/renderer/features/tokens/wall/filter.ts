import { type TokenFilter, type TokenSort, type TokenSource, tokenSources } from '../../../../contract/index.ts';
import type { TileSort } from '../../../components/tiles/sort-control.tsx';

export const sources = ['all', ...tokenSources] as const;

export interface WallFilter {
  readonly source: 'all' | TokenSource;
  readonly text: string;
  readonly projectUid: string | null;
  /** Values of one trait are alternatives; different traits must all fit. */
  readonly traits: readonly { readonly name: string; readonly value: string }[];
}

export const NO_FILTER: WallFilter = { source: 'all', text: '', projectUid: null, traits: [] };

export const NEWEST_FIRST: TileSort<TokenSort> = { by: 'time', reversed: false };

/** What the host is asked for. */
export function askedOf(
  { source, text, projectUid, traits }: WallFilter,
  { by, reversed }: TileSort<TokenSort>,
): TokenFilter {
  return {
    ...(source === 'all' ? {} : { source }),
    ...(text.trim() === '' ? {} : { text: text.trim() }),
    ...(projectUid === null ? {} : { projectUid }),
    ...(traits.length === 0 ? {} : { traits: [...traits] }),
    sort: by,
    reversed,
  };
}

export function isFiltered({ source, text, projectUid, traits }: WallFilter): boolean {
  return source !== 'all' || text.trim() !== '' || projectUid !== null || traits.length > 0;
}

export function traitKey({ name, value }: { name: string; value: string }): string {
  return JSON.stringify([name, value]);
}

/** What `traitKey` was made of. */
export function traitOf(key: string): { name: string; value: string } {
  const [name = '', value = ''] = JSON.parse(key) as [string, string];
  return { name, value };
}

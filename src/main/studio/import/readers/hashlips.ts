import type { ReadRecord } from '../model.ts';
import { baseName, stemOf } from '../model.ts';
import type { JsonObject } from './json.ts';

/** Written by the art engine beside the files of the single tokens; it holds the same tokens again. */
export function isCombinedFile(path: string): boolean {
  return ['_metadata.json', 'metadata.json', '_combined.json'].includes(baseName(path).toLowerCase());
}

export function isHashLips(token: JsonObject): boolean {
  return token.has('edition') && (token.has('dna') || token.has('compiler'));
}

/** What names a token in both layouts: its edition, else the number of its file. */
function identityOf(record: ReadRecord): string {
  const value = (name: string): string => record.fields.find(([field]) => field === name)?.[1] ?? '';
  const edition = value('edition');
  if (edition !== '') return `#${edition}`;
  const image = value('image');
  return image === '' ? `=${value('name')}` : stemOf(image.split(/[?#]/)[0] as string);
}

/** Tokens of the combined file that no single file has. */
export function onlyInCombined(combined: readonly ReadRecord[], single: readonly ReadRecord[]): ReadRecord[] {
  const known = new Set(single.map(identityOf));
  const stems = new Set(single.map(({ source }) => stemOf(source)));
  return combined.filter((record) => {
    const identity = identityOf(record);
    return !known.has(identity) && !stems.has(identity.replace(/^#/, ''));
  });
}

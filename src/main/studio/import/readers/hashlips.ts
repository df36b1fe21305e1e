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

/** What tokens there are with a file each, to tell those that a combined file alone has. */
export class SingleTokens {
  readonly #known = new Set<string>();
  readonly #stems = new Set<string>();

  add(record: ReadRecord): void {
    this.#known.add(identityOf(record));
    this.#stems.add(stemOf(record.source));
  }

  has(record: ReadRecord): boolean {
    const identity = identityOf(record);
    return this.#known.has(identity) || this.#stems.has(identity.replace(/^#/, ''));
  }
}

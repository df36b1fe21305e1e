import type { ReadRecord } from '../model.ts';
import { baseName, stemOf } from '../model.ts';
import type { JsonObject } from './json.ts';

/** Files that the art engine writes in addition to one file a token, with the same tokens. */
export function isCombinedFile(path: string): boolean {
  return ['_metadata.json', 'metadata.json', '_combined.json'].includes(baseName(path).toLowerCase());
}

export function isHashLips(token: JsonObject): boolean {
  return token.has('edition') && (token.has('dna') || token.has('compiler'));
}

/** Identifies a token in both layouts: by its edition, else by the number of its file. */
function identityOf(record: ReadRecord): string {
  const value = (name: string): string => record.fields.find(([field]) => field === name)?.[1] ?? '';
  const edition = value('edition');
  if (edition !== '') return `#${edition}`;
  const image = value('image');
  return image === '' ? `=${value('name')}` : stemOf(image.split(/[?#]/)[0] as string);
}

/** The tokens that have a file each, to find those that only a combined file has. */
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

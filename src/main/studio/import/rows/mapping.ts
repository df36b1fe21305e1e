import type { ImportField, ImportTarget } from '../../../../contract/index.ts';
import type { SourceRecord } from '../model.ts';
import { damageOf } from '../readers/csv.ts';

/** Whether one column alone can have this meaning. */
export function isForOne(target: ImportTarget): boolean {
  return target !== 'trait' && target !== 'key' && target !== 'ignore';
}

/** Usual names of columns and keys, without case, blanks and underscores. */
const known: Readonly<Record<string, ImportTarget>> = {
  name: 'name',
  title: 'name',
  tokenname: 'name',
  description: 'description',
  desc: 'description',
  file: 'file',
  filename: 'file',
  filepath: 'file',
  path: 'file',
  image: 'file',
  imagefile: 'file',
  animationurl: 'file',
  media: 'file',
  edition: 'number',
  tokenid: 'number',
  id: 'number',
  number: 'number',
  no: 'number',
  '#': 'number',
  mintnumber: 'number',
  rank: 'rank',
  rarityrank: 'rank',
  rarity: 'rarityLabel',
  raritylabel: 'rarityLabel',
  collectionid: 'collectionId',
  collection: 'collectionName',
  collectionname: 'collectionName',
  'collection.name': 'collectionName',
  contenttype: 'contentType',
  mimetype: 'contentType',
  sellerfeebasispoints: 'royaltyBasisPoints',
  'properties.creators': 'creators',
};

/** What describes a file's history or a web page rather than the token. */
const leftOut = new Set([
  'externalurl',
  'external_link',
  'backgroundcolor',
  'youtubeurl',
  'dna',
  'date',
  'compiler',
  'symbol',
  'imagedata',
  'image_data',
  'createdat',
  'url',
]);

/** Where several columns could be the file or the number, the one that stands further in front here is. */
const preferred: readonly string[] = ['file', 'filename', 'filepath', 'image', 'animationurl', 'media', 'path'];
const preferredNumbers: readonly string[] = ['mintnumber', 'edition', 'number', 'tokenid', 'id', 'no', '#'];

const plain = (field: string): string => field.toLowerCase().replace(/[\s_-]+/g, '');

/** A field a person decided about. */
export interface FieldChoice {
  readonly target: ImportTarget;
  readonly trait: string;
}

/**
 * Proposes what each field of a table becomes. Columns of a CSV that have no usual name are traits; unknown keys of JSON are left out.
 * @param chosen what a person decided, by field
 */
export function proposeMapping(
  records: readonly SourceRecord[],
  format: string,
  chosen: ReadonlyMap<string, FieldChoice>,
): ImportField[] {
  const columns = new Map<string, string[]>();
  for (const { fields } of records) {
    for (const [field, value] of fields) {
      const values = columns.get(field);
      if (values === undefined) columns.set(field, value === '' ? [] : [value]);
      else if (value !== '') values.push(value);
    }
  }
  const names = [...columns.keys()];
  const fileField = first(names, preferred);
  const numberField = first(names, preferredNumbers);
  const once = new Set<ImportTarget>();
  return names.map((field) => {
    const values = columns.get(field) ?? [];
    let { target, trait } = proposal(field, format);
    if (target === 'file' && field !== fileField) target = 'ignore';
    if (target === 'number' && field !== numberField) target = 'ignore';
    if (target === 'rarityLabel' && values.length > 0 && values.every((value) => /^\d+$/.test(value))) target = 'rank';
    // Two columns of one meaning: the first one counts.
    if (isForOne(target)) {
      if (once.has(target)) target = 'ignore';
      once.add(target);
    }
    const decided = chosen.get(field);
    return {
      field,
      target: decided?.target ?? target,
      trait: decided?.trait || trait,
      example: (values[0] ?? '').slice(0, 200).toWellFormed(),
      count: values.length,
      damaged: format === 'csv' ? damageOf(values) : null,
    };
  });
}

function first(names: readonly string[], order: readonly string[]): string | undefined {
  for (const wanted of order) {
    const found = names.find((name) => plain(name) === wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

function proposal(field: string, format: string): FieldChoice {
  const usual = plain(field);
  // `attributes[Eyes]`, `trait:Eyes`
  const named = /^(?:attributes?|traits?|properties)\s*(?:\[\s*(.+?)\s*\]|[:.]\s*(.+))$/i.exec(field);
  // A column may be called `constructor`.
  if (Object.hasOwn(known, usual)) return { target: known[usual] as ImportTarget, trait: field };
  if (named !== null && !/^properties\./i.test(field)) return { target: 'trait', trait: named[1] ?? named[2] ?? field };
  const junk = leftOut.has(usual) || leftOut.has(field.toLowerCase());
  return { target: format === 'csv' && !junk ? 'trait' : 'ignore', trait: field };
}

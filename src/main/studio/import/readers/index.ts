import { phrase } from '../../../../contract/index.ts';
import { extensionOf, MAX_TABLE_ROWS, type ReadRecord, type ReadTable, UnreadableFile } from '../model.ts';
import { isHashLips } from './hashlips.ts';
import { type Json, type JsonObject, readJson } from './json.ts';
import { isMapCollection, isMapMetadata, readMapToken } from './map-metadata.ts';
import { isCollectionFile, isMetaplex } from './metaplex.ts';
import { isToken, readToken } from './opensea.ts';
import { readCsv } from './tables/csv.ts';
import { readXlsx } from './tables/xlsx.ts';

/** A metadata file of at most this size is read; a table of 50,000 rows has some 10 MB. */
export const MAX_TABLE_BYTES = 64_000_000;

type ReadATable = (path: string, bytes: Uint8Array, headed: boolean) => ReadTable | Promise<ReadTable>;

/** Readers of tables, by file extension. */
const tables: ReadonlyMap<string, ReadATable> = new Map<string, ReadATable>([
  ['.csv', readCsv],
  ['.tsv', readCsv],
  ['.tab', readCsv],
  ['.xlsx', readXlsx],
]);

/** Files that are read as metadata and never become a token by themselves. */
export function isMetadataFile(path: string): boolean {
  const extension = extensionOf(path);
  return extension === '.json' || tables.has(extension);
}

function isObject(value: Json): value is JsonObject {
  return value instanceof Map;
}

export type MetadataFile =
  | { readonly kind: 'table'; readonly table: ReadTable }
  | { readonly kind: 'token'; readonly format: ReadTable['format']; readonly record: ReadRecord }
  | { readonly kind: 'collection'; readonly record: ReadRecord }
  /** JSON that is not metadata of tokens. */
  | { readonly kind: 'other' };

/**
 * Reads a metadata file of any known form.
 * @param headed whether the first line of a table names its columns
 * @throws Error with the reason, in words a person can use
 */
export async function readMetadata(path: string, bytes: Uint8Array, headed = true): Promise<MetadataFile> {
  const readTable = tables.get(extensionOf(path));
  if (readTable !== undefined) return { kind: 'table', table: await readTable(path, bytes, headed) };
  const json = readJson(bytes);
  if (json instanceof Map) {
    const list = listInside(json);
    if (list !== undefined && list.length > MAX_TABLE_ROWS)
      throw new UnreadableFile(phrase('import.word.rows', { limit: MAX_TABLE_ROWS }));
    if (list !== undefined) return { kind: 'table', table: readList(list, path) };
    if (isCollectionFile(path) || (isMapMetadata(json) && isMapCollection(json))) {
      return { kind: 'collection', record: readAny(json, path) };
    }
    if (!isToken(json) && !isMapMetadata(json)) return { kind: 'other' };
    return { kind: 'token', format: formatOf(json), record: readAny(json, path) };
  }
  if (!Array.isArray(json)) return { kind: 'other' };
  const tokens = json.filter(isObject);
  if (tokens.length === 0 || !tokens.some((one) => isToken(one) || isMapMetadata(one) || one.has('name'))) {
    return { kind: 'other' };
  }
  return { kind: 'table', table: readList(tokens, path) };
}

/** Some tools wrap the list: `{collection: …, items: […]}`. */
function listInside(json: JsonObject): JsonObject[] | undefined {
  if (isToken(json)) return undefined;
  for (const key of ['items', 'tokens', 'nfts', 'metadata', 'collection']) {
    const list = json.get(key);
    if (Array.isArray(list) && list.length > 0 && list.every((one: Json) => isToken(one))) return list as JsonObject[];
  }
  return undefined;
}

function readList(tokens: readonly JsonObject[], path: string): ReadTable {
  return {
    format: formatOf(tokens[0] as JsonObject),
    records: tokens
      .filter((token) => !(isMapMetadata(token) && isMapCollection(token)))
      .map((token, index) => ({ ...readAny(token, path), line: index + 1 })),
  };
}

function readAny(token: JsonObject, path: string): ReadRecord {
  return isMapMetadata(token) ? readMapToken(token, path) : readToken(token, path);
}

function formatOf(token: JsonObject): ReadTable['format'] {
  if (isMapMetadata(token)) return '1sat';
  if (isMetaplex(token)) return 'metaplex';
  return isHashLips(token) ? 'hashlips' : 'opensea';
}

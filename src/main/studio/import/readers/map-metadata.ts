import type { ReadRecord } from '../model.ts';
import { type Json, type JsonObject, readJson, textOf } from './json.ts';
import { readAttributes } from './opensea.ts';

/** The keys of a 1Sat token that are the protocol's own. */
const PROTOCOL = new Set(['app', 'type', 'subType', 'subTypeData', 'royalties']);

/** Metadata as a 1Sat token carries it in its MAP part. */
export function isMapMetadata(token: JsonObject): boolean {
  return token.get('type') === 'ord' && (token.has('subType') || token.has('subTypeData') || token.has('app'));
}

/** Whether it describes a collection, not one of its tokens. */
export function isMapCollection(token: JsonObject): boolean {
  return token.get('subType') === 'collection';
}

/** Fields of `subTypeData` become fields of their own; further keys are the token's. */
export function readMapToken(token: JsonObject, source: string): ReadRecord {
  const data = subTypeData(token.get('subTypeData'));
  const fields: [string, string][] = [];
  for (const [key, value] of token) if (!PROTOCOL.has(key)) fields.push([key, textOf(value)]);
  const known = new Set(fields.map(([key]) => key));
  for (const [key, value] of data) {
    if (key !== 'traits' && !known.has(key)) fields.push([key, textOf(value)]);
  }
  if (token.has('royalties')) fields.push(['royalties', textOf(token.get('royalties'))]);
  return { source, line: null, fields, traits: readAttributes(data.get('traits')) };
}

/** Usually JSON as text; some tools write an object. */
function subTypeData(value: Json | undefined): JsonObject {
  if (value instanceof Map) return value;
  if (typeof value !== 'string') return new Map();
  try {
    const parsed = readJson(Buffer.from(value, 'utf8'));
    return parsed instanceof Map ? parsed : new Map();
  } catch {
    return new Map();
  }
}

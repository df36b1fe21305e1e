import type { RawTrait, ReadRecord } from '../model.ts';
import { type Json, type JsonObject, textOf } from './json.ts';

/** Most keys of one token that are read. */
const MAX_FIELDS = 1_000;

/** Keys that are read as traits and not as fields. */
const STRUCTURE = new Set(['attributes', 'traits']);

/**
 * One token in the form of ERC-721 and OpenSea: `name, description, image, attributes[{trait_type, value}]`. Other generators' forms
 * are this one with more keys.
 * @param source file it stands in
 */
export function readToken(token: JsonObject, source: string): ReadRecord {
  const fields: [string, string][] = [];
  for (const [key, value] of token) {
    if (STRUCTURE.has(key) || (typeof value === 'string' && embeddedContent(value) !== undefined)) continue;
    for (const field of flatten(key, value)) fields.push(field);
  }
  const attributes = token.get('attributes') ?? token.get('traits');
  return {
    source,
    line: null,
    fields: fields.slice(0, MAX_FIELDS),
    traits: readAttributes(attributes),
    content: contentOf(token),
  };
}

/** Objects one level down are fields of their own: `collection.name`. */
function flatten(key: string, value: Json): [string, string][] {
  if (!(value instanceof Map)) return [[key, textOf(value)]];
  return [...value].map(([inner, one]): [string, string] => [`${key}.${inner}`, textOf(one)]);
}

/** A list of `{trait_type, value}`, or an object of names and values. */
export function readAttributes(attributes: Json | undefined): RawTrait[] {
  if (attributes instanceof Map) return [...attributes].map(([name, value]) => ({ name, value: valueText(value) }));
  if (!Array.isArray(attributes)) return [];
  return attributes.flatMap((one): RawTrait[] => {
    if (!(one instanceof Map)) return one === null ? [] : [{ name: 'Property', value: valueText(one) }];
    const name = textOf(one.get('trait_type') ?? one.get('name')).trim();
    return [{ name: name === '' ? 'Property' : name, value: shaped(one) }];
  });
}

/** An empty value is a value too: it is kept and counted. */
function valueText(value: Json | undefined): string {
  return value === null ? 'None' : textOf(value);
}

/** A value in the form that its `display_type` asks for. */
function shaped(attribute: JsonObject): string {
  const value = attribute.get('value');
  const text = valueText(value);
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const most = textOf(attribute.get('max_value'));
  switch (textOf(attribute.get('display_type'))) {
    case 'date':
      return dateText(Number(text)) ?? text;
    case 'boost_percentage':
      return `${signed(text)}%`;
    case 'boost_number':
      return signed(text);
    default:
      return most === '' ? text : `${text}/${most}`;
  }
}

function signed(text: string): string {
  return text.startsWith('-') ? text : `+${text}`;
}

/** Unix time in seconds as a day. */
function dateText(seconds: number): string | undefined {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10);
}

/** Content that stands in the file itself: a data URI, or an SVG as text. */
function contentOf(token: JsonObject): ReadRecord['content'] {
  for (const key of ['image_data', 'image', 'animation_url']) {
    const value = token.get(key);
    if (typeof value !== 'string') continue;
    const content = embeddedContent(value);
    if (content !== undefined) return content;
  }
  return undefined;
}

/** @returns undefined for what is the name or address of a file */
function embeddedContent(text: string): ReadRecord['content'] {
  if (/^\s*(?:<\?xml[^>]*>\s*)?<svg[\s>]/i.test(text)) {
    return { bytes: Buffer.from(text, 'utf8'), contentType: 'image/svg+xml', name: 'embedded.svg' };
  }
  const match = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)((?:;[^,;]*)*?)(;base64)?,/i.exec(text.slice(0, 1_024));
  if (match === null) return undefined;
  // many write `;utf8`, which is no parameter: entries without a value are ignored
  const parameters = (match[2] ?? '').split(';').filter((one) => one.includes('='));
  const contentType = [(match[1] ?? '').toLowerCase(), ...parameters].join(';');
  const body = unescaped(text.slice(match[0].length));
  const bytes = match[3] === undefined ? body : Buffer.from(body.toString('latin1'), 'base64');
  return { bytes, contentType, name: 'embedded' };
}

/** The bytes of the body of a data URI, as a browser reads them: a `%` that escapes nothing is a character like any other. */
function unescaped(body: string): Buffer {
  const text = Buffer.from(body, 'utf8').toString('latin1');
  const plain = text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, 'latin1');
}

/** Keys that only the metadata of a token has. */
const TOKEN_KEYS = [
  ...['attributes', 'traits', 'image', 'image_data', 'animation_url', 'edition'],
  ...['file', 'file_name', 'filename'],
];

/** Whether an object looks like the metadata of a token. */
export function isToken(value: Json): boolean {
  if (!(value instanceof Map)) return false;
  const has = (key: string): boolean => value.has(key);
  return TOKEN_KEYS.some(has) || (has('name') && (has('description') || has('symbol')));
}

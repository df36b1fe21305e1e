import { phrase } from '../../../../contract/index.ts';
import { UnreadableFile } from '../model.ts';
import { decodeText } from './text.ts';

const MAX_DEPTH = 32;

/** A JSON value whose numbers are the text they were written as. */
export type Json = string | boolean | null | NumberText | Json[] | JsonObject;
export type JsonObject = Map<string, Json>;

/** `1.50` stays `1.50`. */
class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Reads JSON and keeps numbers as written. Objects become maps, so a key such as `__proto__` is a key like any other.
 * @throws UnreadableFile with the reason, in words a person can use
 */
export function readJson(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = decodeText(bytes);
  } catch {
    throw new UnreadableFile(phrase('import.word.not-unicode'));
  }
  let depthReached = false;
  try {
    const value = JSON.parse(
      text.replace(/^\uFEFF/, ''),
      withNumberTexts as (this: unknown, key: string, value: unknown) => unknown,
    );
    return toMaps(value, 0);
  } catch (error) {
    depthReached = error instanceof RangeError;
    throw new UnreadableFile(phrase(depthReached ? 'import.word.too-deep' : 'import.word.not-json'));
  }
}

function withNumberTexts(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? new NumberText(context?.source ?? String(value)) : value;
}

function toMaps(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) throw new RangeError('too deep');
  if (Array.isArray(value)) return value.map((one) => toMaps(one, depth + 1));
  if (value instanceof NumberText || value === null || typeof value !== 'object') return value as Json;
  return new Map(Object.entries(value).map(([key, one]) => [key, toMaps(one, depth + 1)]));
}

/** A value in one line of text: scalars as they are written, the rest as JSON. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof NumberText) return value.text;
  return jsonOf(value);
}

function jsonOf(value: Json): string {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, one]) => `${JSON.stringify(key)}:${jsonOf(one)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

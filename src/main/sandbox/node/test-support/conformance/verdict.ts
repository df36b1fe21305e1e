import { isDeepStrictEqual } from 'node:util';
import type { Row } from './row.ts';
import { differences } from './shapes.ts';

/** A response received over HTTP. */
export interface HeardAnswer {
  readonly status: number;
  readonly contentType: unknown;
  readonly text: string;
}

/** Commands whose result a node streams: no newline follows it (node-rpc.md section 0). */
const STREAMED = new Set(
  'getblock getblockbyheight getblockheader getrawmempool getrawnonfinalmempool getmempoolancestors getmempooldescendants getmempoolentry gettxouts getrawtransaction decoderawtransaction'.split(
    ' ',
  ),
);

const ID = 'row';

export function bodyOf({ method, params }: Row): string {
  return JSON.stringify({ method, params, id: ID });
}

/** @returns the differences between a response and its row, empty if there are none */
export function faultsOf({ method, wanted }: Row, { status, contentType, text }: HeardAnswer): string[] {
  const faults: string[] = contentType === 'application/json' ? [] : [`content type ${contentType}`];
  if ('code' in wanted) return [...faults, ...errorFaults(wanted, status, text)];
  const [before, after] = ['{"result":', `,"error":null,"id":"${ID}"}${STREAMED.has(method) ? '' : '\n'}`];
  if (status !== 200 || !text.startsWith(before) || !text.endsWith(after)) return [...faults, `${status} ${text}`];
  const result = text.slice(before.length, -after.length);
  if ('type' in wanted) return [...faults, ...differences(result, wanted.type)];
  if ('json' in wanted) return result === wanted.json ? faults : [...faults, result];
  return includes(JSON.parse(result), wanted.holds) ? faults : [...faults, result];
}

function errorFaults(wanted: { code: number; message: string | RegExp }, status: number, text: string): string[] {
  const heard = JSON.parse(text) as { error: { message: string } | null };
  const message = heard.error?.message ?? '';
  const asWanted = typeof wanted.message === 'string' ? message === wanted.message : wanted.message.test(message);
  const { code } = wanted;
  const whole = `${JSON.stringify({ result: null, error: { code, message }, id: ID })}\n`;
  // only the codes of section 0 have another status
  return asWanted && status === 500 && text === whole ? [] : [`${status} ${text}`];
}

/** Whether a value contains everything in a pattern. */
function includes(value: unknown, pattern: unknown): boolean {
  if (typeof pattern !== 'object' || pattern === null) return isDeepStrictEqual(value, pattern);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(pattern) && (!Array.isArray(value) || value.length !== pattern.length)) return false;
  return Object.entries(pattern).every(([key, member]) => includes((value as Record<string, unknown>)[key], member));
}

import type { IncomingHttpHeaders } from 'node:http';

/** The head of an HTTP/1 answer. */
export interface ResponseHead {
  readonly status: number;
  /** By lower-case name. The values of a repeated name are joined. */
  readonly headers: IncomingHttpHeaders;
  /** Length of the body in bytes, or how its end is found. */
  readonly body: number | 'chunked' | 'close';
  /** Milliseconds for which the idle connection may be used again; 0 if it may not. */
  readonly idleMs: number;
}

/** An answer that is not HTTP/1, or that is ambiguous. */
export class MalformedResponseError extends Error {}

/** Idle time of a connection for which the upstream names none. */
const DEFAULT_IDLE_MS = 4_000;
const MAX_IDLE_MS = 600_000;
/** An idle connection is closed this much earlier than the upstream says, so that no request meets a connection that is closing. */
const IDLE_MARGIN_MS = 2_000;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;

/**
 * Reads the head of an answer (RFC 9112) without its last, empty line.
 * @param text the bytes, one character a byte
 * @throws MalformedResponseError if it is not such a head, or gives the length of its body in two ways
 */
export function readResponseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n');
  const line = /^HTTP\/1\.([01]) (\d{3})(?: .*)?$/.exec(first);
  if (line === null) throw new MalformedResponseError('it does not start with an HTTP status');
  // without a prototype, as an upstream may call a header `constructor`
  const headers: Record<string, string> = Object.create(null);
  for (const one of lines) {
    const found = HEADER_LINE.exec(one);
    if (found === null) throw new MalformedResponseError('it has a header that cannot be read');
    const name = (found[1] as string).toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? (found[2] as string) : `${before}, ${found[2]}`;
  }
  const status = Number(line[2]);
  const body = bodyOf(status, headers);
  return { status, headers, body, idleMs: body === 'close' ? 0 : idleTimeoutOf(line[1] === '1', headers) };
}

function bodyOf(status: number, headers: Record<string, string>): ResponseHead['body'] {
  if (status < 200 || status === 204 || status === 304) return 0;
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  if (coding !== undefined) {
    if (length !== undefined) throw new MalformedResponseError('it gives its length in two ways');
    if (coding.toLowerCase() !== 'chunked') throw new MalformedResponseError(`its transfer coding is ${coding}`);
    return 'chunked';
  }
  if (length === undefined) return 'close';
  const [one = '', ...others] = length.split(',').map((part) => part.trim());
  if (!/^\d{1,15}$/.test(one) || others.some((other) => other !== one)) {
    throw new MalformedResponseError(`its length is ${length}`);
  }
  return Number(one);
}

function idleTimeoutOf(newer: boolean, headers: Record<string, string>): number {
  const wishes = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  if (wishes.includes('close') || (!newer && !wishes.includes('keep-alive'))) return 0;
  const seconds = /(?:^|[\s,;])timeout=(\d{1,6})/i.exec(headers['keep-alive'] ?? '')?.[1];
  if (seconds === undefined) return DEFAULT_IDLE_MS;
  return Math.min(MAX_IDLE_MS, Math.max(0, Number(seconds) * 1_000 - IDLE_MARGIN_MS));
}

/** The head of a request in the only form that is read without node's own parser. */
export interface PlainRequestHead {
  /** By lower-case name. Each occurs once. */
  readonly headers: Readonly<Record<string, string>>;
  /** Position of the digits of Content-Length. The rest of the head is the same in a client's next request. */
  readonly lengthStart: number;
  readonly lengthEnd: number;
  /** Start of the body. */
  readonly end: number;
}

const REQUEST_LINE = 'POST / HTTP/1.1\r\n';
const LONGEST = 4_096;
/** Headers that clients of full nodes send. A request with any other header is not plain. */
const known = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'connection',
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
]);

/**
 * Parses a head that is unambiguous: `POST / HTTP/1.1`, well-known headers at most once each in printable ASCII, a decimal Content-Length,
 * a connection that stays open.
 * @param text the start of the request, one character per byte
 * @returns undefined for any other head, valid or not; node's own parser handles it
 */
export function readPlainHead(text: string): PlainRequestHead | undefined {
  if (!text.startsWith(REQUEST_LINE)) return undefined;
  const stop = text.indexOf('\r\n\r\n', REQUEST_LINE.length);
  if (stop < 0 || stop > LONGEST) return undefined;
  const headers: Record<string, string> = {};
  let lengthStart = 0;
  let lengthEnd = 0;
  let at = REQUEST_LINE.length;
  while (at < stop + 2) {
    const lineEnd = text.indexOf('\r\n', at);
    const line = /^([A-Za-z-]+): ?([!-~](?:[ -~]*[!-~])?)$/.exec(text.slice(at, lineEnd));
    const name = line?.[1]?.toLowerCase();
    const value = line?.[2];
    if (name === undefined || value === undefined || !known.has(name) || headers[name] !== undefined) return undefined;
    if (name === 'content-length') {
      lengthStart = lineEnd - value.length;
      lengthEnd = lineEnd;
    }
    headers[name] = value;
    at = lineEnd + 2;
  }
  const { 'content-length': length, connection } = headers;
  if (length === undefined || !/^(?:0|[1-9]\d{0,7})$/.test(length)) return undefined;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined;
  return { headers, lengthStart, lengthEnd, end: stop + 4 };
}

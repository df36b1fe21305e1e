import type { Reply, Source } from './relay.ts';
import { type Extension, RestError } from './rest-path.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | AsyncIterable<Uint8Array | string>;
  readonly source: Source;
  discard?(): void;
}

/** The node's content types. Without a charset: clients compare them as a whole. */
export const contentTypes: Readonly<Record<Extension, string>> = {
  bin: 'application/octet-stream',
  hex: 'text/plain',
  json: 'application/json',
};

/** @param message in the node's words; without one the answer is empty */
export function failedAnswer(status: number, message: string): RestAnswer {
  if (message === '') return { status, headers: {}, body: '', source: 'local' };
  return { status, headers: typed('hex'), body: `${message}\r\n`, source: 'local' };
}

export function bytesAnswer(hex: string, extension: 'bin' | 'hex', source: Source): RestAnswer {
  const body = extension === 'hex' ? `${hex}\n` : Buffer.from(hex, 'hex');
  return { status: 200, headers: typed(extension), body, source };
}

export function jsonAnswer(text: string, source: Source): RestAnswer {
  return { status: 200, headers: typed('json'), body: `${text}\n`, source };
}

export function typed(extension: Extension): Record<string, string> {
  return { 'content-type': contentTypes[extension] };
}

/** A part of something, as its first and last byte. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads `Range: bytes=a-b`.
 * @param length of the whole
 * @returns undefined where there is no header of that form
 * @throws RestError where the whole has no such part
 */
export function readRange(header: string | undefined, length: number): Range | undefined {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '');
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = Math.min(match[2] === '' ? length - 1 : Number(match[2]), length - 1);
  if (from > to) throw new RestError(404, `Invalid range: ${header}`);
  return { from, to };
}

export function rangeHeaders({ from, to }: Range, length: number): Record<string, string> {
  return { ...typed('bin'), 'content-range': `bytes ${from}-${to}/${length}` };
}

const RESULT_HEAD = '{"result":';
const RESULT_TAIL = ',"error":null,"id":null}';

/** The result of an answer that flows, without what stands around it. The call's id was null. */
export async function* resultPieces(reply: Reply & { kind: 'flowing' }): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  let begun = false;
  for await (const piece of reply.pieces) {
    held = Buffer.concat([held, piece]);
    if (!begun) {
      if (held.length < RESULT_HEAD.length) continue;
      if (held.toString('latin1', 0, RESULT_HEAD.length) !== RESULT_HEAD) throw unreadable();
      held = held.subarray(RESULT_HEAD.length);
      begun = true;
    }
    // a line end may follow
    const ready = held.length - RESULT_TAIL.length - 1;
    if (ready <= 0) continue;
    yield held.subarray(0, ready);
    held = held.subarray(ready);
  }
  const end = held.toString('latin1').trimEnd();
  if (!end.endsWith(RESULT_TAIL)) throw unreadable();
  yield held.subarray(0, end.length - RESULT_TAIL.length);
}

function unreadable(): Error {
  return new Error('the upstream’s answer has another form than a node’s');
}

/** Hex digits without the quotes around them. */
export async function* insideQuotes(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const from = piece[0] === 0x22 ? 1 : 0;
    const to = piece.at(-1) === 0x22 ? piece.length - 1 : piece.length;
    if (to > from) yield piece.subarray(from, to);
  }
}

export async function* withLine(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces;
  yield Buffer.from('\n');
}

/** The bytes that hex digits stand for. */
export async function* bytesOf(digits: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let odd = '';
  for await (const piece of digits) {
    const text = odd + piece.toString('latin1');
    const even = text.length - (text.length % 2);
    odd = text.slice(even);
    yield Buffer.from(text.slice(0, even), 'hex');
  }
}

/** A part of what flows; the rest after it is not waited for. */
export async function* partOf(pieces: AsyncIterable<Buffer>, { from, to }: Range): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to + 1 - at));
    if (part.length > 0) yield part;
    at += piece.length;
    if (at > to) return;
  }
}

import { type Failure, PlanchetError } from '../../../contract/index.ts';
import { type BytePart, readByteRange } from '../../node-format/byte-range.ts';
import type { Reply, RestsOn } from '../rpc/reply.ts';
import type { Extension } from './path.ts';

export interface RestAnswer extends RestsOn {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | AsyncIterable<Uint8Array | string>;
  /** Why it failed, unless that is in the words of a node. */
  readonly failure?: Failure;
  discard?(): void;
}

/** The node's content types. They have no charset, because clients compare the whole value. */
export const contentTypes: Readonly<Record<Extension, string>> = {
  bin: 'application/octet-stream',
  hex: 'text/plain',
  json: 'application/json',
};

/**
 * @param message the node's text; empty for an empty answer
 * @param retryAfter seconds after which to try again; undefined for no header
 */
export function failedAnswer(status: number, message: string, retryAfter?: number): RestAnswer {
  if (message === '') return { status, headers: {}, body: '', source: 'local' };
  const again: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { status, headers: { ...typed('hex'), ...again }, body: `${message}\r\n`, source: 'local' };
}

export function bytesAnswer(hex: string, extension: 'bin' | 'hex', from: RestsOn): RestAnswer {
  const body = extension === 'hex' ? `${hex}\n` : Buffer.from(hex, 'hex');
  return { status: 200, headers: typed(extension), body, ...from };
}

export function jsonAnswer(text: string, from: RestsOn): RestAnswer {
  return { status: 200, headers: typed('json'), body: `${text}\n`, ...from };
}

export function typed(extension: Extension): Record<string, string> {
  return { 'content-type': contentTypes[extension] };
}

/**
 * Reads a `Range` header.
 * @param length bytes of the whole block
 * @returns undefined without the header
 * @throws PlanchetError `rest.range-invalid`, with the node's text
 */
export function readRange(header: string | undefined, length: number): BytePart | undefined {
  if (header === undefined) return undefined;
  const part = readByteRange(header, length);
  if (typeof part === 'string') throw new PlanchetError('rest.range-invalid', { reason: part });
  return part;
}

export function rangeHeaders({ start, end }: BytePart, length: number): Record<string, string> {
  return { ...typed('bin'), 'content-range': `bytes ${start}-${end - 1}/${length}` };
}

/** Most bytes around a result. */
const WRAPPING_BYTES = 256;
const BESIDE = String.raw`"(?:error|id|jsonrpc)"\s*:\s*(?:null|"[^"]*")`;
/** Nodes put spaces around the members of streamed answers only. Other implementations write the JSON-RPC version first. */
const BEFORE_RESULT = new RegExp(String.raw`^\s*\{\s*(?:${BESIDE}\s*,\s*)*"result"\s*:\s*`);
const AFTER_RESULT = new RegExp(String.raw`\s*(?:,\s*${BESIDE}\s*)*\}\s*$`);

/** Extracts the result from a streamed answer to a call with the id null. */
export async function* resultPieces(reply: Reply & { kind: 'flowing' }): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  let begun = false;
  const begin = (): void => {
    const before = BEFORE_RESULT.exec(held.toString('latin1', 0, WRAPPING_BYTES));
    if (before === null) throw unreadable();
    held = held.subarray(before[0].length);
    begun = true;
  };
  for await (const piece of reply.pieces) {
    held = Buffer.concat([held, piece]);
    if (!begun) {
      if (held.length < WRAPPING_BYTES) continue;
      begin();
    }
    const ready = held.length - WRAPPING_BYTES;
    if (ready <= 0) continue;
    yield held.subarray(0, ready);
    held = held.subarray(ready);
  }
  if (!begun) begin();
  const after = AFTER_RESULT.exec(held.toString('latin1'));
  if (after === null) throw unreadable();
  yield held.subarray(0, after.index);
}

function unreadable(): Error {
  return new Error('the upstream’s answer is not in the form of a node');
}

/** Removes the quotes around hex digits. */
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

export async function* bytesOf(digits: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let odd = '';
  for await (const piece of digits) {
    const text = odd + piece.toString('latin1');
    const even = text.length - (text.length % 2);
    odd = text.slice(even);
    yield Buffer.from(text.slice(0, even), 'hex');
  }
}

/** A range of streamed bytes. It ends without waiting for the bytes after the range. */
export async function* partOf(pieces: AsyncIterable<Buffer>, { start, end }: BytePart): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, end - at));
    if (part.length > 0) yield part;
    at += piece.length;
    if (at >= end) return;
  }
}

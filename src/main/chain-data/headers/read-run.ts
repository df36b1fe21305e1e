import { concatBytes, HEADER_BYTES, headerHash, parseHeader } from '../../../chain/index.ts';
import { PlanchetError, phrase } from '../../../contract/index.ts';
import type { HeaderSource } from './header-source.ts';
import { HeaderRefused } from './header-window.ts';

/** Whole headers from a height on, at least one. Nothing is checked. */
export async function readSome(
  source: HeaderSource,
  below: string | undefined,
  first: number,
  last: number,
): Promise<Uint8Array> {
  const read = await source.read(below, first, last);
  const whole = Math.min(Math.floor(read.length / HEADER_BYTES), last + 1 - first) * HEADER_BYTES;
  if (whole <= 0)
    throw new PlanchetError('chain.source-of-no-use', { reason: phrase('reason.no-header-at', { height: first }) });
  return read.subarray(0, whole);
}

/** All headers from a height to another, in as many readings as the source needs. Nothing is checked. */
async function readRun(source: HeaderSource, first: number, last: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let below: string | undefined;
  for (let next = first; next <= last; ) {
    const part = await readSome(source, below, next, last);
    parts.push(part);
    next += part.length / HEADER_BYTES;
    below = headerHash(part.subarray(-HEADER_BYTES));
  }
  return concatBytes(...parts);
}

/**
 * Reads a run and holds it against the hash of its last header.
 * @throws HeaderRefused; what {@link readRun} throws
 */
export async function readLinked(source: HeaderSource, hash: string, first: number, last: number): Promise<Uint8Array> {
  const headers = await readRun(source, first, last);
  let expected = hash;
  for (let at = headers.length - HEADER_BYTES, height = last; at >= 0; at -= HEADER_BYTES, height--) {
    const header = headers.subarray(at, at + HEADER_BYTES);
    if (headerHash(header) !== expected) throw new HeaderRefused(phrase('reason.header-hash', { height }));
    expected = parseHeader(header).previousHash;
  }
  return headers;
}

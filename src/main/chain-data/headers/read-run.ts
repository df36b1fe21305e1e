import { concatBytes, HEADER_BYTES, headerHash, parseHeader } from '../../../chain/index.ts';
import { PlanchetError, phrase } from '../../../contract/index.ts';
import type { HeaderSource } from './header-source.ts';
import { HeaderRefused, type HeaderWindow } from './header-window.ts';

/** Longest branch that is read to compare its work. */
const LONGEST_BRANCH = 100_000;

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

/**
 * Reads and verifies a branch up to a height.
 * @param window stands at its fork, and moves to its end
 * @param below hash of the block at the fork
 * @throws HeaderRefused at the first header that breaks a rule
 */
export async function readBranch(
  source: HeaderSource,
  window: HeaderWindow,
  below: string,
  top: number,
  { now, signal }: { now: () => number; signal: AbortSignal },
): Promise<{ headers: Uint8Array; hashes: Uint8Array[]; work: bigint }> {
  const parts: Uint8Array[] = [];
  const hashes: Uint8Array[] = [];
  let work = 0n;
  let last = below;
  while (window.height < top && hashes.length < LONGEST_BRANCH) {
    const headers = await readSome(source, last, window.height + 1, top);
    const checked = window.addAll(headers, now());
    if (checked.refused !== undefined) throw checked.refused;
    parts.push(headers);
    hashes.push(...checked.hashes);
    work += checked.work;
    last = window.tipHash;
    signal.throwIfAborted();
  }
  return { headers: concatBytes(...parts), hashes, work };
}

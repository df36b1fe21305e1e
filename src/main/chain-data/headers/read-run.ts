import { concatBytes, HEADER_BYTES, headerHash } from '../../../chain/index.ts';
import type { HeaderSource } from './header-source.ts';

/** Whole headers from a height on, at least one. Nothing is checked. */
export async function readSome(
  source: HeaderSource,
  below: string | undefined,
  first: number,
  last: number,
): Promise<Uint8Array> {
  const read = await source.read(below, first, last);
  const whole = Math.min(Math.floor(read.length / HEADER_BYTES), last + 1 - first) * HEADER_BYTES;
  if (whole <= 0) throw new Error(`It has no header at height ${first}.`);
  return read.subarray(0, whole);
}

/** All headers from a height to another, in as many readings as the source needs. Nothing is checked. */
export async function readRun(source: HeaderSource, first: number, last: number): Promise<Uint8Array> {
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

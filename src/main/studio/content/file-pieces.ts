import { createReadStream, readFileSync } from 'node:fs';

/** A file up to so many bytes is read at once: for a small one, the way through the thread pool takes longer than the reading. */
const AT_ONCE_BYTES = 65_536;
/** A multiple of 3, so that most pieces of a large file need no joining. */
const PIECE_BYTES = 196_608;

/**
 * A file in pieces whose lengths are multiples of 3 but for the last, ready for base64.
 * @param bytes size of the file
 */
export async function* filePieces(path: string, bytes: number): AsyncGenerator<Buffer> {
  if (bytes <= AT_ONCE_BYTES) {
    yield readFileSync(path);
    return;
  }
  // A stream only promises pieces up to its mark, so what does not divide by 3 is carried over.
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of createReadStream(path, { highWaterMark: Math.min(PIECE_BYTES, bytes) })) {
    const joined: Buffer = rest.length === 0 ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer]);
    const whole = joined.length - (joined.length % 3);
    rest = joined.subarray(whole);
    if (whole > 0) yield joined.subarray(0, whole);
  }
  if (rest.length > 0) yield rest;
}

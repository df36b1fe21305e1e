import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Bytes of a piece: a multiple of 3, so that pieces need no joining for base64. A file of one piece is read synchronously, because
 * the thread pool takes longer than the reading.
 */
const PIECE_BYTES = 196_608;

/**
 * A file in pieces whose lengths are multiples of 3 but for the last, ready for base64.
 * @param bytes size of the file
 */
export async function* filePieces(path: string, bytes: number): AsyncGenerator<Buffer> {
  if (bytes <= PIECE_BYTES) {
    yield readFileSync(path);
    return;
  }
  const file = await open(path);
  try {
    for (let left = bytes; left > 0; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, left));
      let length = 0;
      for (let read = 1; length < piece.length && read > 0; length += read) {
        read = (await file.read(piece, length)).bytesRead;
      }
      if (length > 0) yield piece.subarray(0, length);
      left = length < piece.length ? 0 : left - length;
    }
  } finally {
    await file.close();
  }
}

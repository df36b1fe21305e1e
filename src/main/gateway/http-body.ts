import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A client that takes no byte for this long is cut off. */
const STALLED_CLIENT_MS = 60_000;

/** @returns undefined where the body is longer than `limit`; the rest of it is then not read. */
export function readRequestBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let pieces: Buffer[] | undefined;
    let length = 0;
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > limit) {
        request.pause();
        request.removeAllListeners('data');
        resolve(undefined);
      } else if (first === undefined) first = piece;
      else {
        pieces ??= [first];
        pieces.push(piece);
      }
    });
    request.once('end', () =>
      resolve(pieces === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(pieces, length)),
    );
    request.once('error', reject);
    request.once('close', () => reject(new Error('the connection ended before the request did')));
  });
}

/** Waits while the client is slower than the upstream, so that memory stays flat. */
export async function writePiece(response: ServerResponse, piece: Uint8Array | string): Promise<void> {
  if (response.destroyed) throw new Error('the client is gone');
  if (response.write(piece)) return;
  const stalled = new AbortController();
  const closed = (): void => stalled.abort();
  const timer = setTimeout(closed, STALLED_CLIENT_MS);
  response.once('close', closed);
  try {
    await once(response, 'drain', { signal: stalled.signal });
  } finally {
    clearTimeout(timer);
    response.off('close', closed);
  }
}

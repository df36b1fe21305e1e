import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonFault, JsonScan } from '../../json-scan.ts';

/** A client that reads nothing for this long is disconnected. */
const STALLED_CLIENT_MS = 60_000;

/** The result of reading a body: its bytes, or why reading stopped. */
export type RequestBody = { readonly bytes: Buffer } | { readonly tooLarge: true } | { readonly fault: JsonFault };

/**
 * Reads a body and checks it while it arrives. Reading stops as soon as a limit is exceeded.
 * @param limit bytes
 * @param scan checks the bytes, if the body must be JSON
 * @throws if the connection ends before the body
 */
export function readRequestBody(request: IncomingMessage, limit: number, scan?: JsonScan): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const stop = (refused: RequestBody): void => {
      request.pause();
      request.removeAllListeners('data');
      pieces.length = 0;
      resolve(refused);
    };
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > limit) return stop({ tooLarge: true });
      const fault = scan?.push(piece);
      if (fault !== undefined) return stop({ fault });
      pieces.push(piece);
    });
    request.once('end', () => {
      const fault = scan?.end();
      if (fault !== undefined) resolve({ fault });
      else resolve({ bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, length) });
    });
    request.once('error', reject);
    request.once('close', () => reject(new Error('the connection ended before the request was complete')));
  });
}

/** Waits while the client is slower than the upstream, so that memory stays bounded. */
export async function writePiece(response: ServerResponse, piece: Uint8Array | string): Promise<void> {
  if (response.destroyed) throw new Error('the client has left');
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

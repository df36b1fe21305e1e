import type { IncomingMessage } from 'node:http';

/** Bodies of refused requests up to this size are read and discarded, so that the connection can be used again. */
const SMALL_BODY_BYTES = 64 * 1024;
/** Larger than any body that is accepted, so that a client that sends one is not cut off. */
const MAX_BYTES = 134_217_728;
/** Grace period for the rest of the body. */
const MAX_MS = 10_000;
const CHECK_MS = 100;

/**
 * Reads and discards the rest of a refused request's body before the connection closes (nginx calls this a lingering close). The response is
 * sent at once. Without this, closing a connection with unread bytes resets it, and a client that sends before it reads sees the reset instead
 * of the response. Stops after 128 MB or ten seconds. Call it before sending the response, which must close the connection.
 */
export function drainBeforeClose(request: IncomingMessage): void {
  const { socket } = request;
  const most = socket.bytesRead + MAX_BYTES;
  // The server calls this after it has sent a response that closes the connection.
  socket.destroySoon = () => {
    socket.end();
    request.resume();
    let left = MAX_MS / CHECK_MS;
    const timer = setInterval(() => {
      left -= 1;
      if (left === 0 || socket.bytesRead > most) socket.destroy();
    }, CHECK_MS);
    socket.once('close', () => clearInterval(timer));
  };
}

/**
 * Calls {@link drainBeforeClose} if a large part of a refused request's body may still arrive.
 * @param status HTTP status of the response; after 413 the body is never read for reuse of the connection, however short it is
 * @returns whether the response must close the connection, with `Connection: close`
 */
export function drainRefusedBody(request: IncomingMessage, status: number): boolean {
  if (request.complete) return false;
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (status !== 413 && headers['transfer-encoding'] === undefined && length <= SMALL_BODY_BYTES) return false;
  drainBeforeClose(request);
  return true;
}

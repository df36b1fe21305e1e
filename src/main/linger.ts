import type { IncomingMessage } from 'node:http';

/** Bodies of refused requests up to this size are read and thrown away, so that the connection can be used again. */
const SMALL_BODY_BYTES = 64 * 1024;
/** Longer than any body that is accepted, so that no client of one is cut off while it sends. */
const MAX_BYTES = 134_217_728;
const MAX_MS = 10_000;
const CHECK_MS = 100;

/**
 * Lets the client of a refused request send its body to the end, unread, before the connection is closed. The answer leaves at once; but a
 * connection that is closed with bytes unread is reset, and a client that sends before it reads would see that in place of the answer.
 * At most 128 MB are read and thrown away, for at most ten seconds. To be called before the answer, which must close the connection.
 */
export function linger(request: IncomingMessage): void {
  const { socket } = request;
  const most = socket.bytesRead + MAX_BYTES;
  // What the server calls when such an answer is sent.
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
 * Makes a refused request's connection {@link linger} where much of its body may still come.
 * @param status of the answer; a body that is too large is never read, however short it is
 * @returns whether the answer must close the connection, with `Connection: close`
 */
export function lingersForBody(request: IncomingMessage, status: number): boolean {
  if (request.complete) return false;
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (status !== 413 && headers['transfer-encoding'] === undefined && length <= SMALL_BODY_BYTES) return false;
  linger(request);
  return true;
}

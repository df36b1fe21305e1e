import type { IncomingMessage } from 'node:http';

/** Longer than any document may be, so that none is cut off while it is sent. */
const MAX_BYTES = 134_217_728;
const MAX_MS = 10_000;
const LOOK_MS = 100;

/**
 * Lets the caller of a refused request send its body to the end, unread, before the connection is closed. The answer leaves at once; but a
 * connection that is closed with bytes unread is reset, and a caller who sends before it reads would see that in place of the answer.
 * To be called before the answer, which closes the connection.
 */
export function linger(request: IncomingMessage): void {
  const { socket } = request;
  const most = socket.bytesRead + MAX_BYTES;
  // What the server calls when such an answer is sent.
  socket.destroySoon = () => {
    socket.end();
    request.resume();
    let left = MAX_MS / LOOK_MS;
    const timer = setInterval(() => {
      left -= 1;
      if (left === 0 || socket.bytesRead > most) socket.destroy();
    }, LOOK_MS);
    socket.once('close', () => clearInterval(timer));
  };
}

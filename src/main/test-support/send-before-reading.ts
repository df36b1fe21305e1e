import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sends a body to its end before it reads, as many clients do. @returns all that came, and what went wrong */
export async function sendBeforeReading(
  port: number,
  head: string,
  bytes: number,
): Promise<{ heard: string; errors: string[] }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const errors: string[] = [];
  socket.on('error', ({ message }) => errors.push(message));
  const piece = Buffer.alloc(1_000_000, '1');
  socket.write(head);
  for (let left = bytes; left > 0 && !socket.destroyed; left -= piece.length) {
    if (!socket.write(piece.subarray(0, left))) await drainedOrClosed(socket);
  }
  let heard = '';
  socket.on('data', (part: Buffer) => {
    heard += part.toString('latin1');
  });
  socket.on('end', () => socket.end());
  if (!socket.closed) await once(socket, 'close');
  return { heard, errors };
}

/** Leaves no listener behind: `once` in a race would leave the loser's at each piece. */
function drainedOrClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

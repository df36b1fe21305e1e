// A MessagePort carries the same messages as a socket. This adapter is used because it returns a promise for each message: the one
// made for ports drops it, so an invalid message from the page would end the process with an unhandled rejection.
import { RPCHandler } from '@orpc/server/bun-ws';
import type { ConsoleContext } from './context.ts';
import { refuseUndecodable } from './http/undecodable-requests.ts';
import { router } from './router.ts';

/** What Node's `MessagePort` and Electron's `MessagePortMain` have in common. */
export interface HostPort {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
}

/**
 * Serves the contract over a port until either end closes it. A message that does not follow the protocol closes the port.
 * @returns a function that closes the port and ends all calls on it
 */
export function serveMessagePort(port: HostPort, context: ConsoleContext): () => void {
  const handler = new RPCHandler(router, { interceptors: [refuseUndecodable] });
  const peer = {
    send: (message: unknown): number => {
      port.postMessage(message);
      return 0;
    },
  };
  let open = true;
  const ended = (): void => {
    open = false;
    handler.close(peer);
  };
  const close = (): void => {
    ended();
    port.close();
  };
  port.on('message', (received) => {
    if (!open) return;
    const message = payloadOf(received);
    const handled =
      message === undefined ? Promise.reject(new TypeError()) : handler.message(peer, message, { context });
    handled.catch((error: unknown) => {
      // The error's text is left out, since it may quote the message.
      const reason = error instanceof Error ? error.name : 'unknown';
      context.logger.warn({ reason }, 'a window sent a message that is none of the protocol, so its port was closed');
      close();
    });
  });
  port.on('close', ended);
  port.start();
  return close;
}

/** Electron wraps a posted message in an event, Node does not. */
function payloadOf(received: unknown): string | Uint8Array | undefined {
  if (typeof received === 'string' || received instanceof Uint8Array) return received;
  if (received instanceof ArrayBuffer) return new Uint8Array(received);
  if (typeof received === 'object' && received !== null && 'data' in received) {
    const { data } = received;
    if (typeof data === 'string' || data instanceof Uint8Array) return data;
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
  }
  return undefined;
}

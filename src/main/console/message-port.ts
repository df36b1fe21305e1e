// A MessagePort carries the same messages as a socket. This adapter is used because it returns a promise for each message: the one
// made for ports drops it, so an invalid message from the page would end the process with an unhandled rejection.
import { RPCHandler } from '@orpc/server/bun-ws';
import { PlanchetError } from '../../contract/index.ts';
import type { ConsoleContext } from './context.ts';
import { refuseUndecodable } from './http/undecodable-requests.ts';
import { MAX_BACKUP_BYTES, MAX_FORM_BYTES, MAX_JSON_BYTES, passedBound } from './input-bounds.ts';
import { router } from './router.ts';

/** Between the JSON of a message and the bytes that belong to it. */
const DELIMITER = 0xff;
const failure = new PlanchetError('console.body-too-large').toFailure();

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
    if (message !== undefined && isTooLarge(message)) {
      const id = typeof message === 'string' ? idOf(message) : undefined;
      if (id === undefined) return close();
      const json = { defined: true, code: 'FAILED', status: 413, message: failure.message, data: failure };
      port.postMessage(JSON.stringify({ i: id, p: { s: 413, b: { json } } }));
      return;
    }
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

/** Whether a message is larger than any procedure takes, or its JSON would hold up everything else. It is not parsed then. */
function isTooLarge(message: string | Uint8Array): boolean {
  if (typeof message === 'string')
    return message.length > MAX_BACKUP_BYTES || passedBound(Buffer.from(message)) !== undefined;
  const end = message.indexOf(DELIMITER);
  const json = end === -1 ? message : message.subarray(0, end);
  const bytes = message.length - json.length;
  return bytes > MAX_FORM_BYTES || json.length > MAX_JSON_BYTES || passedBound(json) !== undefined;
}

/** The id of a call, which a page writes first. */
function idOf(message: string): string | undefined {
  return /^\{"i":"([\w-]{1,64})"/.exec(message.slice(0, 80))?.[1];
}

/** Electron wraps a posted message in an event, Node does not. */
function payloadOf(received: unknown): string | Uint8Array | undefined {
  const data = typeof received === 'object' && received !== null && 'data' in received ? received.data : received;
  if (typeof data === 'string' || data instanceof Uint8Array) return data;
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined;
}

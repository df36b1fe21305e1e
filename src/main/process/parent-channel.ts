import { EventEmitter } from 'node:events';
import { parentPort as threadPort } from 'node:worker_threads';
import type { HostPort } from '../console/message-port.ts';
import type { FromHost } from './protocol.ts';

/** The way from a process to the one that started it: from the host to the shell, from the pictures to either. */
export interface ParentChannel<Sent = FromHost> {
  post(message: Sent): void;
  onMessage(listener: (message: unknown, ports: readonly HostPort[]) => void): void;
}

/** Of a utility process or a worker thread. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: unknown; ports: HostPort[] }) => void): void;
  postMessage(message: unknown): void;
}

/**
 * The channel of this process: of a utility process of Electron, of a worker thread, or of a child process of Node. Only the last
 * cannot be handed ports.
 * @param end ends a child process of Node that lost its parent; Electron does that by itself
 * @throws Error where the process was not started with a channel
 */
export function openParentChannel<Sent = FromHost>(end: () => void = () => process.exit(0)): ParentChannel<Sent> {
  const { parentPort } = process as { parentPort?: ParentPort };
  const port = parentPort ?? (threadPort as ParentPort | null);
  if (port !== null) {
    return {
      post: (message) => port.postMessage(message),
      onMessage: (listener) => port.on('message', ({ data, ports }) => listener(data, ports)),
    };
  }
  const send = process.send?.bind(process);
  if (send === undefined) throw new Error('This process has no parent to speak with.');
  // Without a parent, nothing could stop this process.
  process.on('disconnect', end);
  return {
    post: (message) => void send(message),
    onMessage: (listener) => process.on('message', (message) => listener(message, [])),
  };
}

/** A port whose messages travel as messages of a channel, for a client that lives in the other process itself. */
export class ChannelPort extends EventEmitter implements HostPort {
  readonly #send: (data: string | Uint8Array) => void;

  constructor(send: (data: string | Uint8Array) => void) {
    super();
    this.#send = send;
  }

  postMessage(message: unknown): void {
    this.#send(message as string | Uint8Array);
  }

  /** Passes on what arrived. The client reads an event's `data`, the server either form. */
  receive(data: string | Uint8Array | ArrayBuffer): void {
    this.emit('message', { data });
  }

  start(): void {}

  close(): void {
    this.emit('close');
  }
}

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect } from 'vitest';
import { verifyEnvelope } from '../../../chain/index.ts';
import { TestSandbox } from './open-sandbox.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A callback receiver on its own port. */
export class Receiver {
  readonly got: Received[] = [];
  status = 200;
  /** If true, it never answers. */
  silent = false;
  /** How it responds on these paths: not at all, with a reset connection, or with this status. */
  readonly troubles = new Map<string, 'silent' | 'reset' | number>();
  /** Maximum number of concurrent messages. */
  most = 0;
  #open = 0;
  readonly #server: Server;

  static async open(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      this.most = Math.max(this.most, ++this.#open);
      response.once('close', () => this.#open--);
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.got.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
        const trouble = this.troubles.get(request.url ?? '');
        if (this.silent || trouble === 'silent') return;
        if (trouble === 'reset') request.socket.resetAndDestroy();
        else response.writeHead(trouble ?? this.status).end();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async next(count = 1): Promise<Received> {
    await expect.poll(() => this.got.length, { timeout: 30_000, interval: 10 }).toBeGreaterThanOrEqual(count);
    return this.got[count - 1] as Received;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** The content of a message, after checking its envelope. */
export function messageOf(body: Buffer, signature: 'valid' | 'unsigned' = 'valid') {
  const envelope = JSON.parse(body.toString('utf8'));
  expect(verifyEnvelope(envelope)).toBe(signature);
  const message = JSON.parse(envelope.payload);
  return { envelope, message, payload: JSON.parse(message.callbackPayload) };
}

/** Opens sandboxes and receivers for the tests of a file, and closes them after each test. */
export function sandboxesAndReceivers(): {
  open(settings?: Parameters<typeof TestSandbox.open>[0]): Promise<TestSandbox>;
  receive(): Promise<Receiver>;
} {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return {
    async open(settings) {
      const sandbox = await TestSandbox.open(settings);
      closers.push(() => sandbox.remove());
      return sandbox;
    },
    async receive() {
      const receiver = await Receiver.open();
      closers.push(() => receiver.close());
      return receiver;
    },
  };
}

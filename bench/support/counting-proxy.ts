import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What was asked through a proxy. */
export interface Traffic {
  readonly requests: number;
  /** Of bodies, in both directions. */
  readonly bytes: number;
  /** By the first part of their paths, as `woc`. */
  readonly byService: Readonly<Record<string, number>>;
}

/** Stands before a server and counts what passes. */
export class CountingProxy {
  readonly url: string;
  readonly #server: Server;
  #requests = 0;
  #bytes = 0;
  #byService: Record<string, number> = {};
  #open = 0;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /** @param target address of the server @param host an address of this machine; requests to any but 127.0.0.1 keep the pace of a public service */
  static async start(target: string, host: '127.0.0.1' | '127.0.0.2'): Promise<CountingProxy> {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const proxy = new CountingProxy(server, `http://${host}:${(server.address() as AddressInfo).port}`);
    server.on('request', (message, response) => proxy.#pass(target, message, response));
    return proxy;
  }

  /** Whether requests are not answered yet. */
  get isBusy(): boolean {
    return this.#open > 0;
  }

  get traffic(): Traffic {
    return { requests: this.#requests, bytes: this.#bytes, byService: { ...this.#byService } };
  }

  clear(): void {
    this.#requests = 0;
    this.#bytes = 0;
    this.#byService = {};
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #pass(target: string, message: IncomingMessage, response: ServerResponse): void {
    const service = (message.url ?? '').split('/')[1] ?? '';
    this.#requests += 1;
    this.#byService[service] = (this.#byService[service] ?? 0) + 1;
    this.#open += 1;
    response.once('close', () => {
      this.#open -= 1;
    });
    const headers = { ...message.headers, host: new URL(target).host };
    const there = request(`${target}${message.url}`, { method: message.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.headers);
      answer.on('data', (piece: Buffer) => {
        this.#bytes += piece.length;
      });
      answer.pipe(response);
    });
    message.on('data', (piece: Buffer) => {
      this.#bytes += piece.length;
    });
    message.pipe(there);
    there.on('error', () => response.destroy());
    response.once('close', () => there.destroy());
  }
}

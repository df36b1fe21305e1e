import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { AnswerBasis } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PendingReply } from '../rpc/pending-reply.ts';
import { basisOf, type WholeReply } from '../rpc/reply.ts';
import type { Client } from '../server/api-key-store.ts';
import type { ConnectionHandler } from '../server/connection-handler.ts';
import type { HttpLimits } from '../server/http-limits.ts';
import type { ReplySink } from '../server/reply-sink.ts';
import { type RequestGuard, securityHeaders } from '../server/request-guard.ts';
import type { RpcListener } from '../server/rpc-listener.ts';
import { MAX_PLAIN_BYTES } from '../tuning.ts';
import { readPlainHead } from './plain-request-head.ts';

/** A client that reads nothing for this long is disconnected. */
const STALLED_CLIENT_MS = 60_000;
const SWEEP_MS = 1_000;
const STOP_GRACE_MS = 1_000;

export interface FastPathOptions {
  guard: RequestGuard;
  rpc: () => RpcListener;
  clock: Clock;
  limits: HttpLimits;
  /** Milliseconds until an idle connection is closed. */
  keepAliveMs: number;
  logger: Logger;
}

/**
 * Answers plain JSON-RPC requests on raw connections, at twice the rate of node's HTTP server. It gets every connection first. A request
 * that is not plain, or whose client is not authenticated, is passed to node's server with all its bytes, together with the rest of the
 * connection. The fast path refuses no request and reads nothing that is ambiguous.
 */
export class FastPath implements ConnectionHandler {
  readonly options: FastPathOptions;
  readonly #connections = new Set<Connection>();
  closing = false;
  #sweep: NodeJS.Timeout | undefined;
  /** `performance.now()` at the last sweep. This is exact enough for time limits of seconds. */
  now = 0;
  #second = 0;
  #date = '';

  constructor(options: FastPathOptions) {
    this.options = options;
  }

  /** Takes the connections of a server that does not listen yet. */
  attach(server: Server): void {
    const readers = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const connection = new Connection(this, socket, () => {
        for (const read of readers) read.call(server, socket);
      });
      this.#connections.add(connection);
    });
    if (this.#sweep !== undefined) return;
    this.closing = false;
    this.now = performance.now();
    this.#sweep = setInterval(
      () => {
        this.now = performance.now();
        for (const connection of this.#connections) connection.checkTime();
      },
      Math.min(SWEEP_MS, this.options.limits.headersTimeoutMs),
    ).unref();
  }

  leave(connection: Connection): void {
    this.#connections.delete(connection);
  }

  /** Ends idle connections now, the others with their answer or after a second. */
  close(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    this.closing = true;
    for (const connection of this.#connections) connection.retire();
    const left = [...this.#connections];
    setTimeout(() => {
      for (const connection of left) connection.cut();
    }, STOP_GRACE_MS).unref();
  }

  /** The part of the head after the length, which all answers share. */
  tail(): string {
    const second = Math.floor(this.options.clock.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      const headers = Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
      const date = new Date(second * 1_000).toUTCString();
      const seconds = Math.floor(this.options.keepAliveMs / 1_000);
      this.#date = `${headers.join('')}Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
    }
    return this.#date;
  }
}

/** The parts of the head that stay the same for one client on one connection. Only its own requests are compared with them. */
interface AuthenticatedHead {
  readonly before: string;
  readonly after: string;
  readonly client: Client;
}

const statusLines: Readonly<Record<number, string>> = {
  200: 'HTTP/1.1 200 OK\r\n',
  400: 'HTTP/1.1 400 Bad Request\r\n',
  403: 'HTTP/1.1 403 Forbidden\r\n',
  404: 'HTTP/1.1 404 Not Found\r\n',
  429: 'HTTP/1.1 429 Too Many Requests\r\n',
  500: 'HTTP/1.1 500 Internal Server Error\r\n',
  503: 'HTTP/1.1 503 Service Unavailable\r\n',
};

class Connection implements ReplySink {
  readonly #fastPath: FastPath;
  readonly #socket: Socket;
  readonly #handOver: () => void;
  #authenticated: AuthenticatedHead | undefined;
  /** The start of a request that is not complete yet. */
  #pending = '';
  /** Bytes that arrived while the last request was answered. */
  #readAhead = '';
  #busy = false;
  #since: number;
  #served = false;
  #written = 0;
  #pieces = false;
  /** Age in seconds of a streamed reply, if it is an old one. */
  #age: number | undefined;
  #basis: AnswerBasis | undefined;
  /** The call to cancel if the client leaves. */
  #reply: PendingReply | undefined;

  constructor(fastPath: FastPath, socket: Socket, handOver: () => void) {
    this.#fastPath = fastPath;
    this.#socket = socket;
    this.#handOver = handOver;
    this.#since = fastPath.now;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  readonly #onData = (chunk: Buffer): void => {
    const text = chunk.toString('latin1');
    if (this.#busy) {
      // One call at a time. Further bytes wait, and node's server continues with them.
      this.#readAhead += text;
      this.#socket.pause();
      return;
    }
    this.#take(this.#pending === '' ? text : this.#pending + text);
  };

  readonly #onEnd = (): void => {
    // A client that ends its side has left, as for node's server.
    this.#socket.end();
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#fastPath.leave(this);
    this.#reply?.cancel();
  };

  /** Ends a connection that exceeds a time limit. Called periodically. */
  checkTime(): void {
    const { limits, keepAliveMs } = this.#fastPath.options;
    const waited = this.#fastPath.now - this.#since;
    if (this.#busy) {
      if (this.#socket.writableLength === 0 || this.#socket.bytesWritten !== this.#written) {
        this.#written = this.#socket.bytesWritten;
        this.#since = this.#fastPath.now;
      } else if (waited > STALLED_CLIENT_MS) this.#socket.destroy();
    } else if (this.#pending !== '') {
      if (waited <= limits.requestTimeoutMs) return;
      this.#socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    } else if (waited > (this.#served ? keepAliveMs : limits.headersTimeoutMs)) this.#socket.destroy();
  }

  retire(): void {
    if (!this.#busy) this.#socket.destroy();
    this.#reply?.cancel();
  }

  cut(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    const known = this.#authenticated;
    // comparing substrings is several times faster than startsWith, which compares characters one by one
    if (known === undefined || text.substring(0, known.before.length) !== known.before) {
      this.#authenticate(text);
      return;
    }
    let at = known.before.length;
    let length = 0;
    for (let digit = text.charCodeAt(at) - 0x30; digit >= 0 && digit <= 9; digit = text.charCodeAt(at) - 0x30) {
      length = length * 10 + digit;
      at += 1;
    }
    const bodyAt = at + known.after.length;
    if (at === known.before.length || text.substring(at, bodyAt) !== known.after) this.#authenticate(text);
    else this.#serve(text, bodyAt, length, known.client);
  }

  /** Handles a head that is new on this connection. */
  #authenticate(text: string): void {
    const head = readPlainHead(text);
    const client = head && this.#fastPath.options.guard.authenticate(head.headers, this.#socket);
    if (head === undefined || client === undefined) {
      this.#handToNode(text);
      return;
    }
    const known = { before: text.slice(0, head.lengthStart), after: text.slice(head.lengthEnd, head.end), client };
    this.#authenticated = known;
    this.#serve(text, head.end, Number(head.headers['content-length']), client);
  }

  #serve(text: string, bodyAt: number, length: number, client: Client): void {
    const end = bodyAt + length;
    const { guard, rpc } = this.#fastPath.options;
    if (text.length > end || end > MAX_PLAIN_BYTES || length > guard.bodyLimit(client, false)) {
      this.#handToNode(text);
      return;
    }
    if (text.length < end) {
      if (this.#pending === '') this.#since = this.#fastPath.now;
      this.#pending = text;
      return;
    }
    if (!client.stillValid() || !client.take()) {
      this.#handToNode(text);
      return;
    }
    this.#pending = '';
    this.#busy = true;
    this.#since = this.#fastPath.now;
    rpc().answer(text.slice(bodyAt), client, this);
  }

  cancelOnClose(reply: PendingReply): void {
    this.#reply = reply;
  }

  readonly finished = (error?: unknown): void => {
    this.#reply = undefined;
    if (error === undefined) this.#done();
    else this.#fail(error);
  };

  readonly #done = (): void => {
    this.#served = true;
    if (this.#socket.destroyed) return;
    if (this.#fastPath.closing) {
      this.#busy = false;
      this.#socket.end();
    } else if (this.#socket.writableNeedDrain) this.#socket.once('drain', this.#done);
    else {
      this.#busy = false;
      if (this.#readAhead === '') return;
      const held = this.#readAhead;
      this.#readAhead = '';
      this.#handToNode(held);
    }
  };

  readonly #fail = (error: unknown): void => {
    if (!this.#socket.destroyed)
      this.#fastPath.options.logger.warn({ err: error }, 'a call through the gateway was cut off');
    this.#socket.destroy();
  };

  /** Passes the connection to node's server for good. */
  #handToNode(text: string): void {
    const socket = this.#socket;
    this.#fastPath.leave(this);
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    socket.pause();
    socket.unshift(Buffer.from(text, 'latin1'));
    this.#handOver();
    socket.resume();
  }

  whole(reply: WholeReply): void {
    if (!this.#socket.writable) return;
    const text = reply.text + reply.end;
    const length = reply.ascii ? text.length : Buffer.byteLength(text);
    const line = statusLines[reply.status] as string;
    const again = headerLine('retry-after', reply.retryAfter);
    const head = `${line}content-type: application/json\r\ncontent-length: ${length}\r\n${headerLine('age', reply.age)}${again}${headerLine('planchet-basis', basisOf(reply))}${this.#fastPath.tail()}`;
    this.#socket.write(head + text, length === text.length ? 'latin1' : 'utf8');
  }

  begin(age?: number, basis?: AnswerBasis): void {
    this.#pieces = false;
    this.#age = age;
    this.#basis = basis;
  }

  write(piece: Uint8Array | string): Promise<void> {
    if (!this.#socket.writable) return Promise.reject(new Error('the client has left'));
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (bytes.length === 0) return Promise.resolve();
    const head = this.#chunkHead(bytes.length);
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(bytes);
    this.#socket.write('\r\n', 'latin1');
    this.#socket.uncork();
    if (!this.#socket.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const drained = (): void => {
        this.#socket.off('close', closed);
        resolve();
      };
      const closed = (): void => {
        this.#socket.off('drain', drained);
        reject(new Error('the client has left'));
      };
      this.#socket.once('drain', drained);
      this.#socket.once('close', closed);
    });
  }

  end(last = '', ascii = false): void {
    if (!this.#socket.writable) return;
    const length = ascii ? last.length : Buffer.byteLength(last);
    const chunk = length === 0 ? '' : `${this.#chunkHead(length)}${last}\r\n`;
    const text = `${chunk === '' && !this.#pieces ? this.#piecesHead() : chunk}0\r\n\r\n`;
    this.#socket.write(text, length === last.length ? 'latin1' : 'utf8');
  }

  #chunkHead(length: number): string {
    const head = this.#pieces ? '' : this.#piecesHead();
    this.#pieces = true;
    return `${head}${length.toString(16)}\r\n`;
  }

  #piecesHead(): string {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nTransfer-Encoding: chunked\r\n';
    return `${head}${headerLine('age', this.#age)}${headerLine('planchet-basis', this.#basis)}${this.#fastPath.tail()}`;
  }
}

function headerLine(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : `${name}: ${value}\r\n`;
}

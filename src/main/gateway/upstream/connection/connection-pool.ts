import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { UpstreamTimeoutError } from '../http-request.ts';
import { HttpConnection, type Onread, type OutgoingRequest, PendingRequest } from './http-connection.ts';

/** How often late answers are looked for while some are awaited. */
const SWEEP_MS = 50;
/** How often connections that were idle for too long are looked for. */
const IDLE_SWEEP_MS = 1_000;

export interface ConnectionPoolOptions {
  readonly url: URL;
  readonly connections: number;
  /** Most calls whose answer has not begun. The upstream queues them; further calls wait here. */
  readonly unanswered: number;
  readonly connectTimeoutMs: number;
  readonly ignoreCertificate: boolean;
  /** Clock in milliseconds; `performance.now()` by default. */
  readonly now?: () => number;
}

/**
 * Kept-alive connections to one upstream. Each carries one call at a time. A call is never sent twice, even if the connection turns out to
 * be closed, because it is unknown whether the upstream received it.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #time: () => number;
  readonly #connections = new Set<HttpConnection>();
  readonly #idle: HttpConnection[] = [];
  readonly #waiting: PendingRequest[] = [];
  #unanswered = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds between two sweeps, 0 while there are none. */
  #pace = 0;
  #session: Buffer | undefined;
  /** The time of the last sweep. */
  #now = 0;
  #closing = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#time = options.now ?? (() => performance.now());
  }

  /** @returns a handle that cancels the call. The handler is not called before this returns, unless the pool is closed */
  send(request: OutgoingRequest): PendingRequest {
    const call = new PendingRequest(request);
    if (this.#closing) {
      call.abort(new Error('the connections were closed'));
      return call;
    }
    this.#sweepEvery(SWEEP_MS);
    const connection = this.#mayAsk ? this.#free() : undefined;
    if (connection === undefined) this.#waiting.push(call);
    else this.#sendOn(connection, call);
    return call;
  }

  get closed(): boolean {
    return this.#closing;
  }

  /** Lets pending calls finish, and accepts no new ones. */
  retire(): void {
    this.#closing = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  /** Closes every connection; pending calls fail. */
  close(): void {
    this.retire();
    const error = new Error('the connections were closed');
    for (const call of this.#waiting.splice(0)) call.abort(error);
    for (const connection of this.#connections) connection.destroy(error);
    this.#sweepEvery(0);
  }

  get #mayAsk(): boolean {
    return this.#unanswered < this.#options.unanswered;
  }

  #sendOn(connection: HttpConnection, call: PendingRequest): void {
    this.#unanswered += 1;
    connection.send(call);
  }

  /** The call of a connection is no longer in the upstream's queue. */
  #leavesQueue(connection: HttpConnection): void {
    if (!connection.awaiting) return;
    connection.awaiting = false;
    this.#unanswered -= 1;
  }

  #free(): HttpConnection | undefined {
    return this.#takeIdle() ?? this.#open();
  }

  /** Takes the connection used last, so that the others can time out. */
  #takeIdle(): HttpConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || connection.usable) return connection;
    }
  }

  #open(): HttpConnection | undefined {
    if (this.#connections.size >= this.#options.connections) return undefined;
    const connection = new HttpConnection(
      {
        begun: (one) => this.#onBegun(one),
        idle: (one) => this.#onIdle(one),
        closed: (one) => this.#onClosed(one),
      },
      (onread) => this.#connect(onread),
    );
    this.#connections.add(connection);
    return connection;
  }

  #connect(onread: Onread): Socket {
    const { url, connectTimeoutMs, ignoreCertificate } = this.#options;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const secure = url.protocol === 'https:';
    const port = Number(url.port || (secure ? 443 : 80));
    const to = { host, port, onread };
    const socket = secure
      ? connectSecurely({
          ...to,
          servername: isIP(host) === 0 ? host : '',
          ALPNProtocols: ['http/1.1'],
          rejectUnauthorized: !ignoreCertificate,
          session: this.#session,
        })
      : connectPlain(to);
    const timer = setTimeout(() => {
      socket.destroy(new Error(`no connection within ${connectTimeoutMs / 1_000} s`));
    }, connectTimeoutMs).unref();
    socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    socket.once('close', () => clearTimeout(timer));
    socket.on('session', (session: Buffer) => {
      this.#session = session;
    });
    return socket;
  }

  #onBegun(connection: HttpConnection): void {
    this.#leavesQueue(connection);
    this.#sendNext();
  }

  #onIdle(connection: HttpConnection): void {
    this.#leavesQueue(connection);
    const next = this.#nextWaiting();
    if (next !== undefined) this.#sendOn(connection, next);
    else if (this.#closing) connection.destroy();
    else {
      connection.idleSince = this.#now;
      this.#idle.push(connection);
    }
  }

  #onClosed(connection: HttpConnection): void {
    this.#leavesQueue(connection);
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#sendNext();
  }

  #sendNext(): void {
    const next = this.#nextWaiting();
    if (next === undefined) return;
    const connection = this.#free();
    if (connection === undefined) this.#waiting.unshift(next);
    else this.#sendOn(connection, next);
  }

  /** The next call, if one waits and may be sent. */
  #nextWaiting(): PendingRequest | undefined {
    while (this.#mayAsk) {
      const next = this.#waiting.shift();
      if (next === undefined || !next.ended) return next;
    }
    return undefined;
  }

  #sweepEvery(ms: number): void {
    if (this.#pace === ms) return;
    this.#pace = ms;
    clearInterval(this.#timer);
    if (ms === 0) return;
    this.#now = this.#time();
    this.#timer = setInterval(() => this.#sweep(), ms).unref();
  }

  #sweep(): void {
    this.#now = this.#time();
    for (const call of this.#waiting) this.#checkTime(call);
    for (const connection of this.#connections)
      if (connection.call !== undefined && !connection.call.begun) this.#checkTime(connection.call);
    for (const connection of [...this.#idle]) {
      connection.unref();
      if (this.#now - connection.idleSince > connection.idleMs) {
        this.#idle.splice(this.#idle.indexOf(connection), 1);
        connection.destroy();
      }
    }
    // Connections that only wait for their next call need no such haste.
    if (this.#connections.size === 0) this.#sweepEvery(0);
    else if (this.#idle.length === this.#connections.size) this.#sweepEvery(IDLE_SWEEP_MS);
  }

  #checkTime(call: PendingRequest): void {
    if (this.#now >= call.request.until) call.abort(new UpstreamTimeoutError('the upstream is late'));
  }
}

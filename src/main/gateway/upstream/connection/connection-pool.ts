import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { LateError } from '../http-request.ts';
import { Call, type Letter, type Onread, Wire } from './http-connection.ts';

/** How often is looked for answers that are late and connections that rest too long. */
const LOOK_MS = 50;

export interface WirePoolOptions {
  readonly url: URL;
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly ignoreCertificate: boolean;
}

/**
 * Kept-alive connections to one upstream, each of which carries one call at a time. A call is never sent a second time, also where the
 * connection turns out to have ended: whether the upstream has heard it nobody can tell.
 */
export class WirePool {
  readonly #options: WirePoolOptions;
  readonly #wires = new Set<Wire>();
  readonly #free: Wire[] = [];
  readonly #waiting: Call[] = [];
  #look: NodeJS.Timeout | undefined;
  #session: Buffer | undefined;
  /** `performance.now()` at the last look. */
  #now = 0;
  #closing = false;

  constructor(options: WirePoolOptions) {
    this.#options = options;
  }

  /** @returns what gives the call up; its handler hears everything else, never before this returns but where the pool is closed */
  send(letter: Letter): Call {
    const call = new Call(letter);
    if (this.#closing) {
      call.abort(new Error('the connections were closed'));
      return call;
    }
    this.#keepLooking();
    const wire = this.#nextFree() ?? this.#another();
    if (wire === undefined) this.#waiting.push(call);
    else wire.carry(call);
    return call;
  }

  get closed(): boolean {
    return this.#closing;
  }

  /** Lets calls under way end, and takes no more. */
  retire(): void {
    this.#closing = true;
    for (const wire of this.#free.splice(0)) wire.cut();
  }

  /** Ends every connection; calls under way fail. */
  close(): void {
    this.retire();
    const error = new Error('the connections were closed');
    for (const call of this.#waiting.splice(0)) call.abort(error);
    for (const wire of this.#wires) wire.cut(error);
    clearInterval(this.#look);
  }

  /** The one used last: the others rest until they end. */
  #nextFree(): Wire | undefined {
    for (;;) {
      const wire = this.#free.pop();
      if (wire === undefined || wire.usable) return wire;
    }
  }

  #another(): Wire | undefined {
    if (this.#wires.size >= this.#options.connections) return undefined;
    const wire = new Wire({ free: (one) => this.#onFree(one), gone: (one) => this.#onGone(one) }, (onread) =>
      this.#connect(onread),
    );
    this.#wires.add(wire);
    return wire;
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

  #onFree(wire: Wire): void {
    const next = this.#nextWaiting();
    if (next !== undefined) wire.carry(next);
    else if (this.#closing) wire.cut();
    else {
      wire.freeSince = this.#now;
      this.#free.push(wire);
    }
  }

  #onGone(wire: Wire): void {
    this.#wires.delete(wire);
    const at = this.#free.indexOf(wire);
    if (at >= 0) this.#free.splice(at, 1);
    const next = this.#nextWaiting();
    if (next !== undefined) (this.#another() as Wire).carry(next);
  }

  #nextWaiting(): Call | undefined {
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined || !next.ended) return next;
    }
  }

  #keepLooking(): void {
    if (this.#look !== undefined) return;
    this.#now = performance.now();
    this.#look = setInterval(() => this.#lookAround(), LOOK_MS).unref();
  }

  #lookAround(): void {
    this.#now = performance.now();
    for (const call of this.#waiting) this.#checkTime(call);
    for (const wire of this.#wires) if (wire.call !== undefined && !wire.call.begun) this.#checkTime(wire.call);
    for (const wire of [...this.#free]) {
      wire.rest();
      if (this.#now - wire.freeSince > wire.restMs) {
        this.#free.splice(this.#free.indexOf(wire), 1);
        wire.cut();
      }
    }
    if (this.#wires.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }

  #checkTime(call: Call): void {
    if (this.#now >= call.letter.until) call.abort(new LateError('the upstream is late'));
  }
}

/**
 * Sends one request over and over, from a process of its own so that it takes no time from the server's event loop:
 * `http-load.ts <options as JSON>`. Prints one line of JSON, see {@link LoadResult}.
 */
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

export interface LoadOptions {
  /** `http://host:port` */
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
  /** How many requests are sent in all. */
  requests: number;
  /**
   * Requests a second. They leave on time whatever the answers do (open loop), and a latency counts from the time its request was due.
   * Left out, each connection sends its next request when it has its answer (closed loop).
   */
  rate?: number;
}

export interface LoadResult {
  /** From the first request to the last answer. */
  milliseconds: number;
  /** Of each request in milliseconds, ascending. */
  latencies: number[];
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Calls `tick` each millisecond from a point in time on, in nanoseconds of the system's clock, which all threads share. A timer of the event loop comes up to a millisecond late, and looking at the clock without a pause would
 * take a processor from the server, so a thread of its own sleeps from one to the next.
 */
function everyMillisecond(from: bigint, tick: () => void): Worker {
  const pacer = new Worker(
    `const { parentPort, workerData: from } = require('node:worker_threads');
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    const now = () => Number(process.hrtime.bigint() - from) / 1e6;
    for (let at = Math.ceil(now()); ; at += 1) {
      for (let rest = at - now(); rest > 0; rest = at - now()) Atomics.wait(sleeper, 0, 0, rest);
      parentPort.postMessage(null);
    }`,
    { eval: true, workerData: from },
  );
  pacer.on('message', tick);
  return pacer;
}

class Connection {
  readonly #socket: Socket;
  #answered: (() => void) | undefined;
  #received: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (piece) => this.#take(piece));
    socket.on('close', () => fail('the server closed a connection'));
  }

  send(request: Buffer, answered: () => void): void {
    this.#answered = answered;
    this.#socket.write(request);
  }

  end(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #take(piece: Buffer): void {
    this.#received = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (this.#received.length < end + 4 + length) return;
    if (!/^HTTP\/1\.1 20[12] /.test(head)) fail(this.#received.toString('utf8'));
    this.#received = Buffer.alloc(0);
    this.#answered?.();
  }
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}

async function open(origin: string): Promise<Connection> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return new Connection(socket);
}

async function run(options: LoadOptions): Promise<LoadResult> {
  const { origin, path, headers, body, connections, requests, rate } = options;
  const lines = Object.entries({ host: new URL(origin).host, ...headers, 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = Buffer.from(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`);
  const free = await Promise.all(Array.from({ length: connections }, () => open(origin)));
  const all = [...free];
  const latencies: number[] = [];
  const started = performance.now();
  const startedAt = process.hrtime.bigint();
  const dueAt = (n: number, perSecond: number): number => started + Math.floor((n * 1_000) / perSecond);
  let sent = 0;
  let pacer: Worker | undefined;
  await new Promise<void>((done) => {
    const send = (): void => {
      while (sent < requests && free.length > 0) {
        const now = performance.now();
        const due = rate === undefined ? now : dueAt(sent, rate);
        if (due > now) return;
        const connection = free.pop() as Connection;
        sent += 1;
        connection.send(request, () => {
          latencies.push(performance.now() - due);
          free.push(connection);
          if (latencies.length === requests) done();
          else send();
        });
      }
    };
    // Each millisecond's requests leave together, and when they are due.
    if (rate !== undefined) pacer = everyMillisecond(startedAt, send);
    send();
  });
  await pacer?.terminate();
  const milliseconds = performance.now() - started;
  for (const connection of all) connection.end();
  return { milliseconds, latencies: latencies.sort((a, b) => a - b) };
}

console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '') as LoadOptions)));

/**
 * Both ends of a ZMQ relay on bare sockets (ZMTP 3.0): messages that are made once and written many at a time, and a subscriber that counts
 * bytes. They leave the processors to what is measured.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const GREETING = Buffer.alloc(64);
GREETING.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0]);
GREETING.write('NULL', 12);

function ready(type: 'PUB' | 'SUB'): Buffer {
  const body = Buffer.concat([Buffer.from('\x05READY\x0bSocket-Type\0\0\0\x03', 'latin1'), Buffer.from(type)]);
  return Buffer.concat([Buffer.from([4, body.length]), body]);
}

function frame(body: Buffer, more: boolean): Buffer {
  if (body.length < 256) return Buffer.concat([Buffer.from([more ? 1 : 0, body.length]), body]);
  const head = Buffer.alloc(9);
  head[0] = more ? 3 : 2;
  head.writeBigUInt64BE(BigInt(body.length), 1);
  return Buffer.concat([head, body]);
}

function message(topic: string, body: Buffer, sequence: number): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32LE(sequence);
  return Buffer.concat([frame(Buffer.from(topic), true), frame(body, true), frame(number, false)]);
}

/** Publishes to those who subscribed to exactly the topic. */
export class Source {
  readonly #server: Server;
  /** With what each said, which holds its subscriptions. */
  readonly #sockets = new Map<Socket, string>();
  readonly #sequences = new Map<string, number>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Source> {
    const server = createServer({ noDelay: true });
    const source = new Source(server);
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('close', () => source.#sockets.delete(socket));
      socket.write(GREETING);
      socket.write(ready('PUB'));
      socket.on('data', (piece) => {
        source.#sockets.set(socket, (source.#sockets.get(socket) ?? '') + piece.toString('latin1'));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return source;
  }

  get address(): string {
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Writes messages, so many at a time, no faster than they are taken. */
  async publish(topic: string, body: Buffer, count: number, atATime: number): Promise<void> {
    let sequence = this.#sequences.get(topic) ?? 0;
    const one = message(topic, body, 0);
    const some = Buffer.concat(Array.from({ length: atATime }, () => one));
    const sockets = [...this.#sockets].flatMap(([socket, said]) => (said.includes(`\x01${topic}`) ? [socket] : []));
    for (let left = count; left > 0; left -= atATime) {
      const now = Math.min(left, atATime);
      for (let n = 1; n <= now; n++) some.writeUInt32LE(sequence++, n * one.length - 4);
      const bytes = some.subarray(0, now * one.length);
      await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))));
    }
    this.#sequences.set(topic, sequence);
  }

  close(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
    this.#server.close();
  }
}

/** Subscribes to one topic and tells of the bytes of its messages. */
export class Sink {
  readonly #socket: Socket;
  bytes = 0;
  firstAt = 0;
  lastAt = 0;
  onBytes: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(address: string, topic: string): Promise<Sink> {
    const { hostname, port } = new URL(address.replace('tcp:', 'http:'));
    let sink: Sink | undefined;
    let heard = 0;
    const preamble = GREETING.length + ready('PUB').length;
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname,
        port: Number(port),
        noDelay: true,
        onread: {
          buffer,
          callback: (length) => {
            heard += length;
            if (sink !== undefined) sink.#take(length);
            // libzmq tells a socket's identity as well, so the length of its READY is its own to know.
            else if (heard >= preamble) {
              sink = new Sink(socket);
              socket.write(frame(Buffer.from(`\x01${topic}`), false));
              resolve(sink);
            }
            return true;
          },
        },
      });
      socket.on('error', reject);
      socket.write(GREETING);
      socket.write(ready('SUB'));
    });
  }

  #take(length: number): void {
    this.lastAt = performance.now();
    if (this.bytes === 0) this.firstAt = this.lastAt;
    this.bytes += length;
    this.onBytes();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Bytes one message takes on the wire. */
export function lengthOf(topic: string, body: Buffer): number {
  return message(topic, body, 0).length;
}

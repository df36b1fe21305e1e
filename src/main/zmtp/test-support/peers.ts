import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A second, simple implementation of the wire format, so that the tests do not use the code they test. */
export function frame(body: Uint8Array | string, flags = 0): Buffer {
  const bytes = Buffer.from(body as Uint8Array);
  if (bytes.length < 256 && (flags & 2) === 0) return Buffer.concat([Buffer.from([flags, bytes.length]), bytes]);
  const head = Buffer.alloc(9);
  head[0] = flags | 2;
  head.writeUInt32BE(bytes.length, 5);
  return Buffer.concat([head, bytes]);
}

/** The head of a long frame without its body. */
export function longHead(flags: number, length: number): Buffer {
  const head = Buffer.alloc(9);
  head[0] = flags | 2;
  head.writeBigUInt64BE(BigInt(length), 1);
  return head;
}

/** A message of three frames like a node's. */
export function notification(topic: string, body: Uint8Array | string, sequence: number): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32LE(sequence);
  return Buffer.concat([frame(topic, 1), frame(body, 1), frame(number)]);
}

export function hello(minor: number, mechanism = 'NULL'): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, minor]);
  bytes.write(mechanism, 12);
  return bytes;
}

export function ready(socketType: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(socketType.length);
  return frame(Buffer.concat([Buffer.from('\x05READY\x0bSocket-Type', 'latin1'), length, Buffer.from(socketType)]), 4);
}

export interface Frame {
  readonly flags: number;
  readonly body: Buffer;
}

/** Reads complete frames from the start. @returns the frames and the remaining bytes */
export function framesOf(bytes: Buffer): { frames: Frame[]; rest: Buffer } {
  const frames: Frame[] = [];
  for (;;) {
    const long = ((bytes[0] ?? 0) & 2) !== 0;
    const size = long ? 9 : 2;
    if (bytes.length < size) return { frames, rest: bytes };
    const length = long ? Number(bytes.readBigUInt64BE(1)) : (bytes[1] as number);
    if (bytes.length < size + length) return { frames, rest: bytes };
    frames.push({ flags: (bytes[0] as number) & 5, body: bytes.subarray(size, size + length) });
    bytes = bytes.subarray(size + length);
  }
}

/** A connection for tests: the received data, and whether it has ended. */
export class Peer {
  readonly socket: Socket;
  closed = false;
  greeting: Buffer | undefined;
  readonly frames: Frame[] = [];
  /** Received bytes of an incomplete frame. */
  rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
    });
    socket.on('data', (bytes: Buffer) => {
      this.rest = Buffer.concat([this.rest, bytes]);
      if (this.greeting === undefined) {
        if (this.rest.length < 64) return;
        this.greeting = this.rest.subarray(0, 64);
        this.rest = this.rest.subarray(64);
      }
      const { frames, rest } = framesOf(this.rest);
      this.frames.push(...frames);
      this.rest = rest;
    });
  }

  get commands(): string[] {
    return this.frames.filter(({ flags }) => (flags & 4) !== 0).map(({ body }) => body.toString('latin1'));
  }

  /** Bodies of the frames that are not commands. */
  get bodies(): string[] {
    return this.frames.filter(({ flags }) => (flags & 4) === 0).map(({ body }) => body.toString('latin1'));
  }

  /** Whether all received frames form complete messages of three frames. */
  get wholeMessages(): boolean {
    const flags = this.frames.filter((one) => (one.flags & 4) === 0).map((one) => one.flags & 1);
    return flags.length % 3 === 0 && flags.every((more, at) => more === (at % 3 === 2 ? 0 : 1));
  }
}

const portOf = (address: string): number => Number(/:(\d+)$/.exec(address)?.[1]);

/** Connects without sending anything. */
export async function dial(address: string): Promise<Peer> {
  const socket = connect({ port: portOf(address), host: '127.0.0.1', noDelay: true });
  const peer = new Peer(socket);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return peer;
}

/** A subscriber after its handshake and subscriptions. */
export async function subscriber(address: string, ...topics: string[]): Promise<Peer> {
  const peer = await dial(address);
  peer.socket.write(Buffer.concat([hello(0), ready('SUB'), ...topics.map((topic) => frame(`\x01${topic}`))]));
  return peer;
}

/** A publisher whose bytes are written by the test. */
export class RawPublisher {
  readonly peers: Peer[] = [];
  readonly #server: Server;
  #greets: ((peer: Peer) => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param greets data sent on each connection; by default the complete handshake of ZMTP 3.1 */
  static async open(greets?: (peer: Peer) => void, port = 0): Promise<RawPublisher> {
    const server = createServer({ noDelay: true });
    const publisher = new RawPublisher(server);
    publisher.#greets = greets;
    server.on('connection', (socket) => {
      const peer = new Peer(socket);
      publisher.peers.push(peer);
      if (publisher.#greets === undefined) socket.write(Buffer.concat([hello(1), ready('PUB')]));
      else publisher.#greets(peer);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return publisher;
  }

  get address(): string {
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The connection that subscribed to a topic. */
  peerOf(topic: string): Peer | undefined {
    const named = `\x09SUBSCRIBE${topic}`;
    return this.peers.findLast((peer) => !peer.closed && peer.commands.includes(named));
  }

  async close(): Promise<void> {
    for (const { socket } of this.peers) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Waits until a condition is true. @param act repeated while it is not */
export async function until(done: () => boolean, act: () => unknown = () => {}): Promise<void> {
  const end = performance.now() + 45_000;
  while (!done()) {
    if (performance.now() > end) throw new Error('it did not happen');
    await act();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

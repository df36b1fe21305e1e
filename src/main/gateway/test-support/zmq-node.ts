import { Publisher, Subscriber } from 'zeromq';
import type { ZmqTopic } from '../../node-format/zmq-topics.ts';
import type { ZmqRelayService } from '../zmq/relay.ts';

/** A node's ZMQ publisher. Numbers count per topic as in a node, unless the test skips some. */
export class ZmqNode {
  readonly counts = new Map<string, number>();
  readonly #socket = new Publisher({ linger: 0 });

  async bind(address = 'tcp://127.0.0.1:*'): Promise<string> {
    await this.#socket.bind(address);
    return this.#socket.lastEndpoint as string;
  }

  async publish(topic: string, body: Uint8Array | string = 'body'): Promise<void> {
    const sequence = Buffer.alloc(4);
    const count = this.counts.get(topic) ?? 0;
    sequence.writeUInt32LE(count);
    this.counts.set(topic, (count + 1) % 2 ** 32);
    await this.#socket.send([topic, body, sequence]);
  }

  async publishRaw(frames: (string | Buffer)[]): Promise<void> {
    await this.#socket.send(frames);
  }

  close(): void {
    this.#socket.close();
  }
}

export interface Heard {
  topic: string;
  body: string;
  sequence: number;
}

/** The messages of a subscriber. @param open the list to add it to, so that it is closed */
export function listen(open: (() => unknown)[], address: string, ...topics: string[]): Heard[] {
  const socket = new Subscriber({ linger: 0, receiveHighWaterMark: 0 });
  if (address.includes('[')) socket.ipv6 = true;
  socket.connect(address);
  socket.subscribe(...topics);
  const heard: Heard[] = [];
  const reading = (async () => {
    for await (const [topic, body, sequence] of socket) {
      heard.push({
        topic: String(topic),
        body: body?.toString('latin1') ?? '',
        sequence: sequence?.readUInt32LE() ?? Number.NaN,
      });
    }
  })();
  open.push(async () => {
    socket.close();
    await reading;
  });
  return heard;
}

/** Ends a test that hangs. It is long, because a slow machine is not a failure. */
const PATIENCE_MS = 30_000;

export async function until(done: () => boolean, act: () => unknown = () => {}): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!done()) {
    if (performance.now() > end) throw new Error('it did not happen');
    await act();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @param address of a node that has ended. Its port may be in use for a moment, for example by a relay that reconnects */
export async function startZmqNode(open: (() => unknown)[], address?: string): Promise<{ node: ZmqNode; url: string }> {
  const node = new ZmqNode();
  open.push(() => node.close());
  let url: string | undefined;
  const bind = async (): Promise<void> => {
    url = await node.bind(address).catch((error: { code?: string }) => {
      if (address !== undefined && error.code === 'EADDRINUSE') return undefined;
      throw error;
    });
  };
  await bind();
  await until(() => url !== undefined, bind);
  return { node, url: url as string };
}

type Counts = Record<'messages' | 'missed' | 'repaired' | 'restarts', number>;

/** Counts of a relay by topic since its start. */
export function countsOf(relay: ZmqRelayService): Record<ZmqTopic, Counts> {
  const entries = relay.counts().topics.map(({ topic, messages, missed, repaired, restarts }) => {
    return [topic, { messages, missed, repaired, restarts }];
  });
  return Object.fromEntries(entries) as Record<ZmqTopic, Counts>;
}

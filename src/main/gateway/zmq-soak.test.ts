import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Publisher, Subscriber } from 'zeromq';
import { systemClock } from '../clock.ts';
import type { NodeRpc } from '../ports.ts';
import { endpointsOf, quiet, settingsOf } from './test-support/upstream.ts';
import { ZmqRelayService } from './zmq-relay.ts';
import { type ZmqTopic, zmqTopics } from './zmq-topics.ts';
import { until } from './zmtp/test-support/peers.ts';

const SECONDS = process.env.PLANCHET_LONG ? 300 : 4;
const RESTART_MS = 700;
/** Mostly small, as notifications are, but also blocks of many memories. */
const SIZES = [0, 1, 32, 32, 32, 32, 250, 255, 256, 257, 400, 400, 5_000, 70_000, 400_000, 2_500_000];
const GUESTS = 4;
/** Messages on their way at once. */
const AHEAD = 200;

const noNode: NodeRpc = { call: () => Promise.reject(new Error('away')) };

/** A body that tells by itself whether it is whole. */
function bodyOf(size: number, mark: number): Buffer {
  const body = Buffer.alloc(size, mark);
  if (size > 4) body.writeUInt32LE(size);
  return body;
}

function check(frames: readonly Buffer[]): { topic: string; sequence: number } {
  const [topic, body, number] = frames as [Buffer, Buffer, Buffer];
  if (frames.length !== 3 || number.length !== 4) throw new Error(`${frames.length} frames`);
  if (body.length > 4 && !body.equals(bodyOf(body.length, body.at(-1) as number))) throw new Error('a broken body');
  return { topic: `${topic}`, sequence: number.readUInt32LE() };
}

/** A subscriber of libzmq that holds every message against what it must be, numbers without a gap included. */
class Checker {
  readonly last = new Map<string, number>();
  heard = 0;
  failure: unknown;
  readonly #socket = new Subscriber({ linger: 0, receiveHighWaterMark: 0 });
  readonly #reading: Promise<void>;

  constructor(address: string, ...topics: string[]) {
    this.#socket.connect(address);
    this.#socket.subscribe(...topics);
    this.#reading = this.#read().catch((error: unknown) => {
      this.failure = error;
    });
  }

  async #read(): Promise<void> {
    for await (const frames of this.#socket) {
      const { topic, sequence } = check(frames);
      const before = this.last.get(topic);
      if (before !== undefined && sequence !== before + 1) throw new Error(`${topic}: ${sequence} after ${before}`);
      this.last.set(topic, sequence);
      this.heard += 1;
    }
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.#reading;
  }
}

/** The upstream: libzmq, which is closed and comes again on the same port. */
class Node {
  url = 'tcp://127.0.0.1:*';
  #socket: Publisher | undefined;
  readonly #counts = new Map<string, number>();

  async start(): Promise<void> {
    this.#socket = new Publisher({ linger: 200, sendHighWaterMark: 0 });
    for (;;) {
      try {
        await this.#socket.bind(this.url);
        this.url = this.#socket.lastEndpoint as string;
        return;
      } catch (error) {
        // a thread of libzmq frees the port some time later
        if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
        await delay(5);
      }
    }
  }

  async publish(topic: ZmqTopic, body: Buffer): Promise<void> {
    const count = this.#counts.get(topic) ?? 0;
    this.#counts.set(topic, count + 1);
    const number = Buffer.alloc(4);
    number.writeUInt32LE(count);
    await this.#socket?.send([topic, body, number]);
  }

  stop(): void {
    this.#socket?.close();
    this.#counts.clear();
  }
}

it(
  'between libzmq on both sides every message comes whole and in its order, while upstream and subscribers come and go',
  async () => {
    const node = new Node();
    await node.start();
    const relay = new ZmqRelayService({
      settings: settingsOf(),
      endpoints: endpointsOf({ bitcoinZmqUrl: node.url }),
      node: noNode,
      clock: systemClock,
      credentialsAreDefault: () => true,
      logger: quiet,
    });
    const { address = '' } = await relay.start();
    const steady = [new Checker(address, ''), new Checker(address, 'raw', 'hashtx2')];
    const guests = Array.from({ length: GUESTS }, () => new Checker(address, 'hash'));
    const left: Checker[] = [];
    const [all] = steady as [Checker];
    const published = (): number => zmqTopics.reduce((sum, topic) => sum + relay.counts()[topic].messages, 0);
    let restarts = 0;
    try {
      await until(() => relay.report().subscribers === 2 + GUESTS);
      await until(
        () => zmqTopics.every((topic) => all.last.has(topic)),
        async () => {
          for (const topic of zmqTopics) await node.publish(topic, bodyOf(32, 1));
        },
      );
      const end = performance.now() + SECONDS * 1_000;
      let restartAt = performance.now() + RESTART_MS;
      const first = published() - all.heard;
      for (let n = 0; performance.now() < end; n++) {
        const topic = zmqTopics[(n * 7) % zmqTopics.length] as ZmqTopic;
        await node.publish(topic, bodyOf(SIZES[(n * 5) % SIZES.length] as number, n % 251));
        if (n % AHEAD === 0) await until(() => all.heard >= published() - first || all.failure !== undefined);
        if (n % 97 === 0) {
          const guest = n % GUESTS;
          left.push(guests[guest] as Checker);
          void guests[guest]?.close();
          guests[guest] = new Checker(address, ['', 'raw', 'hashtx', 'rawblock2'][(n / 97) % 4] as string);
        }
        if (performance.now() > restartAt) {
          node.stop();
          await node.start();
          restarts += 1;
          restartAt = performance.now() + RESTART_MS;
        }
      }
      await until(() => zmqTopics.every((topic) => all.last.get(topic) === relay.counts()[topic].messages - 1));
      await until(() => relay.report().waiting === 0);
      expect([...steady, ...guests, ...left].map(({ failure }) => failure).filter(Boolean)).toEqual([]);
      expect(restarts).toBeGreaterThan(SECONDS / 4);
      expect(all.heard).toBeGreaterThan(SECONDS * 100);
      expect(relay.report().dropped).toBe(0);
    } finally {
      await Promise.all([...steady, ...guests].map((one) => one.close()));
      await relay.stop();
      node.stop();
    }
    expect(relay.report().waiting).toBe(0);
    if (process.env.PLANCHET_LONG) {
      const memory = (process.memoryUsage.rss() / 1_048_576).toFixed(0);
      process.stdout.write(`${all.heard} messages, ${restarts} restarts, ${left.length} guests left, ${memory} MB\n`);
    }
  },
  (SECONDS + 60) * 1_000,
);

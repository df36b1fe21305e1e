import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Publisher, Subscriber } from 'zeromq';
import { systemClock } from '../../clock.ts';
import { type ZmqTopic, zmqTopics } from '../../node-format/zmq-topics.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { until } from '../../zmtp/test-support/peers.ts';
import { endpointsOf, quiet, settingsOf } from '../test-support/upstream.ts';
import { countsOf } from '../test-support/zmq-node.ts';
import { ZmqRelayService } from './relay.ts';

/** A number of messages, so that a busy machine takes longer but does the same. */
const MESSAGES = process.env.PLANCHET_LONG ? 300_000 : 400;
/** Not a multiple of {@link AHEAD}, so that the upstream closes while messages are pending. */
const RESTART_EVERY = 270;
const GUEST_EVERY = 97;
/** Far longer than the test takes, in milliseconds. */
const LIMIT_MS = process.env.PLANCHET_LONG ? 1_800_000 : 120_000;
/** Mostly small, like notifications, but also blocks that span many buffers. */
const SIZES = [0, 1, 32, 32, 32, 32, 250, 255, 256, 257, 400, 400, 5_000, 70_000, 400_000, 2_500_000];
const GUESTS = 4;
/** Most pending messages. */
const AHEAD = 200;
/** Size of the messages that show the publisher that all earlier ones have arrived. No other message has this size. */
const FENCE_BYTES = 9;

const noNode: NodeRpc = { call: () => Promise.reject(new Error('away')) };

/** A body that contains what is needed to check it. */
function bodyOf(size: number, mark: number): Buffer {
  const body = Buffer.alloc(size, mark);
  if (size > 4) body.writeUInt32LE(size);
  return body;
}

function check(frames: readonly Buffer[]): { topic: string; sequence: number; fence: number | undefined } {
  const [topic, body, number] = frames as [Buffer, Buffer, Buffer];
  if (frames.length !== 3 || number.length !== 4) throw new Error(`${frames.length} frames`);
  if (body.length > 4 && !body.equals(bodyOf(body.length, body.at(-1) as number))) throw new Error('a broken body');
  const fence = body.length === FENCE_BYTES ? body.at(-1) : undefined;
  return { topic: `${topic}`, sequence: number.readUInt32LE(), fence };
}

/** A libzmq subscriber that checks every message, and that the sequence numbers have no gap. */
class Checker {
  readonly last = new Map<string, number>();
  heard = 0;
  /** The last message that arrived. */
  fence: number | undefined;
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
      const { topic, sequence, fence } = check(frames);
      const before = this.last.get(topic);
      if (before !== undefined && sequence !== before + 1) throw new Error(`${topic}: ${sequence} after ${before}`);
      this.last.set(topic, sequence);
      this.heard += 1;
      this.fence = fence ?? this.fence;
    }
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.#reading;
  }
}

/** The upstream: a libzmq publisher that closes and opens again on the same port. */
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
        // a thread of libzmq frees the port later
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
    let fences = 0;
    /** Waits until everything published on this connection has arrived. Messages from before the relay subscribed are lost. */
    const arrived = async (): Promise<void> => {
      fences += 1;
      const mark = fences % 251;
      await until(
        () => all.fence === mark || all.failure !== undefined,
        () => node.publish('hashtx', bodyOf(FENCE_BYTES, mark)),
      );
    };
    let restarts = 0;
    try {
      await until(() => relay.counts().subscribers === 2 + GUESTS);
      await until(
        () => zmqTopics.every((topic) => all.last.has(topic)),
        async () => {
          for (const topic of zmqTopics) await node.publish(topic, bodyOf(32, 1));
        },
      );
      for (let n = 1; n <= MESSAGES; n++) {
        const topic = zmqTopics[(n * 7) % zmqTopics.length] as ZmqTopic;
        await node.publish(topic, bodyOf(SIZES[(n * 5) % SIZES.length] as number, n % 251));
        if (n % AHEAD === 0) await arrived();
        if (n % GUEST_EVERY === 0) {
          const guest = n % GUESTS;
          left.push(guests[guest] as Checker);
          void guests[guest]?.close();
          guests[guest] = new Checker(address, ['', 'raw', 'hashtx', 'rawblock2'][(n / GUEST_EVERY) % 4] as string);
        }
        if (n % RESTART_EVERY === 0) {
          node.stop();
          await node.start();
          restarts += 1;
          await arrived();
        }
      }
      await arrived();
      await until(() => zmqTopics.every((topic) => all.last.get(topic) === countsOf(relay)[topic].messages - 1));
      await until(() => relay.counts().waiting === 0);
      expect([...steady, ...guests, ...left].map(({ failure }) => failure).filter(Boolean)).toEqual([]);
      // A restart loses the pending messages and nothing else.
      expect(all.heard).toBeGreaterThanOrEqual(MESSAGES - restarts * AHEAD);
      expect(relay.counts().dropped).toBe(0);
    } finally {
      await Promise.all([...steady, ...guests].map((one) => one.close()));
      await relay.stop();
      node.stop();
    }
    expect(relay.counts().waiting).toBe(0);
    if (process.env.PLANCHET_LONG) {
      const memory = (process.memoryUsage.rss() / 1_048_576).toFixed(0);
      process.stdout.write(`${all.heard} messages, ${restarts} restarts, ${left.length} guests left, ${memory} MB\n`);
    }
  },
  LIMIT_MS,
);

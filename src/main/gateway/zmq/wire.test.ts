import { afterEach, describe, expect, it } from 'vitest';
import { Subscriber } from 'zeromq';
import { systemClock } from '../../clock.ts';
import { zmqTopics } from '../../node-format/zmq-topics.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { notification, RawPublisher, subscriber, until } from '../../zmtp/test-support/peers.ts';
import { endpointsOf, quiet, settingsOf } from '../test-support/upstream.ts';
import { countsOf } from '../test-support/zmq-node.ts';
import { ZmqRelayService } from './relay.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const noNode: NodeRpc = { call: () => Promise.reject(new Error('nobody asks')) };

/** A relay whose upstream is written byte by byte. It is ready once every family of topics is subscribed. */
async function relayed(node: NodeRpc = noNode) {
  const upstream = await RawPublisher.open();
  open.push(() => upstream.close());
  const relay = new ZmqRelayService({
    settings: settingsOf(),
    endpoints: endpointsOf({ bitcoinZmqUrl: upstream.address }),
    node,
    clock: systemClock,
    credentialsAreDefault: () => true,
    logger: quiet,
  });
  open.push(() => relay.stop());
  const { address = '' } = await relay.start();
  await until(() => zmqTopics.every((topic) => upstream.peerOf(topic) !== undefined));
  const say = (topic: string, bytes: Buffer): unknown => upstream.peerOf(topic)?.socket.write(bytes);
  return { upstream, relay, address, say };
}

interface Heard {
  topic: string;
  body: Buffer;
  sequence: number;
  frames: number;
}

/** A libzmq subscriber. It is ready once it has received something. */
async function listener(address: string, topics: readonly string[], wake: () => unknown): Promise<Heard[]> {
  const socket = new Subscriber({ linger: 0, receiveHighWaterMark: 0 });
  socket.connect(address);
  socket.subscribe(...topics);
  const heard: Heard[] = [];
  const reading = (async () => {
    for await (const frames of socket) {
      const [topic, body, number] = frames as [Buffer, Buffer, Buffer];
      heard.push({ topic: `${topic}`, body, sequence: number.readUInt32LE(), frames: frames.length });
    }
  })();
  open.push(async () => {
    socket.close();
    await reading;
  });
  await until(() => heard.length > 0, wake);
  return heard;
}

const bodiesOf = (heard: readonly Heard[], topic: string): Buffer[] =>
  heard.filter((one) => one.topic === topic).map(({ body }) => body);

function expectWithoutGap(heard: readonly Heard[], topic: string): void {
  const numbers = heard.filter((one) => one.topic === topic).map(({ sequence }) => sequence);
  expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] as number) + at));
}

describe('an upstream that disappears within a message', () => {
  it('leaves no subscriber with half a message, and other topics continue meanwhile', async () => {
    const { upstream, relay, address, say } = await relayed();
    let sent = 0;
    const heard = await listener(address, [''], () => say('rawblock', notification('rawblock', 'wake', sent++)));
    const block = Buffer.alloc(1_048_576, 7);
    for (let round = 0; round < 5; round++) {
      const wire = notification('rawblock', block, sent++);
      say('rawblock', wire.subarray(0, 100_000 + round * 200_000));
      say('hashtx', notification('hashtx', `tx ${round}`, round));
      await until(() => bodiesOf(heard, 'hashtx').length === round + 1);
      const before = upstream.peers.length;
      upstream.peerOf('rawblock')?.socket.destroy();
      await until(() => upstream.peers.length > before && upstream.peerOf('rawblock') !== undefined);
      say('rawblock', notification('rawblock', block, sent++));
      await until(() => bodiesOf(heard, 'rawblock').filter((body) => body.equals(block)).length === round + 1);
    }
    expect(heard.every(({ frames }) => frames === 3)).toBe(true);
    expectWithoutGap(heard, 'rawblock');
    expect(countsOf(relay).rawblock.missed).toBe(5);
  });
});

describe('many subscribers', () => {
  it('each get exactly their topics, complete, numbered and in order, however the upstream’s bytes are split', async () => {
    const { relay, address, say } = await relayed();
    const wanted = [...zmqTopics.map((topic) => [topic]), ['hash'], ['raw', 'invalid'], [''], ['hashtx3']];
    const peers = await Promise.all(wanted.map((topics) => subscriber(address, ...topics)));
    await until(() => relay.counts().subscribers === wanted.length);
    // one length of body for each form of a frame's head
    const sizes = [0, 1, 255, 256, 5_000, 70_000, 300_000];
    const sent: { topic: string; size: number }[] = [];
    for (const [at, topic] of zmqTopics.entries()) {
      const wires = sizes.map((size, number) => notification(topic, Buffer.alloc(size, at), number + 1_000));
      for (const size of sizes) sent.push({ topic, size });
      const bytes = Buffer.concat(wires);
      for (let from = 0, step = 1; from < bytes.length; from += step, step = (step * 7 + at) % 100_003) {
        say(topic, bytes.subarray(from, from + step));
        if (step < 50) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    for (const [index, peer] of peers.entries()) {
      const beginnings = wanted[index] as string[];
      const expected = sent.filter(({ topic }) => beginnings.some((beginning) => topic.startsWith(beginning)));
      await until(() => peer.bodies.length === expected.length * 3);
      expect(peer.wholeMessages).toBe(true);
      const got = peer.bodies;
      for (const topic of zmqTopics) {
        const starts = got.flatMap((body, at) => (at % 3 === 0 && body === topic ? [at] : []));
        const due = expected.filter((one) => one.topic === topic);
        expect(starts.map((at) => got[at + 1]?.length)).toEqual(due.map(({ size }) => size));
        expect(starts.map((at) => Buffer.from(got[at + 2] ?? '', 'latin1').readUInt32LE())).toEqual(
          due.map((_, at) => at),
        );
      }
    }
  });

  it('connect and leave within messages without harm to the others', async () => {
    const { relay, address, say } = await relayed();
    let sent = 0;
    const block = Buffer.alloc(700_000, 1);
    const next = (): unknown => say('rawblock', notification('rawblock', block, sent++));
    const heard = await listener(address, ['rawblock'], next);
    for (let round = 0; round < 30; round++) {
      const wire = notification('rawblock', block, sent++);
      const cut = 50 + ((round * 23_456) % 600_000);
      say('rawblock', wire.subarray(0, cut));
      const guest = await subscriber(address, 'rawblock');
      await until(() => relay.counts().subscribers === 2);
      say('rawblock', wire.subarray(cut));
      next();
      await until(() => guest.rest.length > 0 || guest.bodies.length > 0);
      guest.socket.destroy();
      expect(guest.bodies[0] ?? 'rawblock').toBe('rawblock');
      await until(() => relay.counts().subscribers === 1);
    }
    await until(() => heard.at(-1)?.sequence === sent - 1);
    expect(heard.every(({ body, frames }) => frames === 3 && body.equals(block))).toBe(true);
    expectWithoutGap(heard, 'rawblock');
  });
});

describe('while a lost block is fetched', () => {
  it('later blocks wait, other topics do not, and the fetched block comes first and only once', async () => {
    const hash = (n: number): string => n.toString(16).padStart(64, '0');
    let answer: () => void = () => {};
    let asked = 0;
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const node: NodeRpc = {
      async call<T>(method: string, [block]: readonly unknown[] = []): Promise<T> {
        asked += 1;
        await slow;
        if (method === 'getblockhash') return hash(block as number) as T;
        const height = Number.parseInt(String(block), 16);
        return { height, previousblockhash: hash(height - 1) } as T;
      },
    };
    const { relay, address, say } = await relayed(node);
    const tell = (n: number, number: number): Buffer => notification('hashblock', Buffer.from(hash(n), 'hex'), number);
    const heard = await listener(address, ['hashblock', 'hashtx'], () => say('hashblock', tell(1, 0)));
    // the wake-up message was sent more than once
    await until(() => heard.at(-1)?.sequence === countsOf(relay).hashblock.messages - 1);
    const from = heard.length;
    const lost = countsOf(relay).hashblock.missed;
    say('hashblock', Buffer.concat([tell(3, 2), tell(4, 3), tell(6, 5)]));
    await until(() => asked > 0);
    say('hashblock', tell(7, 6));
    say('hashtx', notification('hashtx', 'meanwhile', 0));
    await until(() => heard.length === from + 1);
    expect(heard.at(-1)?.topic).toBe('hashtx');
    answer();
    await until(() => heard.length === from + 7);
    const hashes = heard.slice(from + 1).map(({ body }) => Number.parseInt(body.toString('hex'), 16));
    expect(hashes).toEqual([2, 3, 4, 5, 6, 7]);
    expectWithoutGap(heard, 'hashblock');
    expect(countsOf(relay).hashblock).toMatchObject({ missed: lost + 2, repaired: 2 });
  });

  it('the service can still stop', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never>();
    const node: NodeRpc = {
      call: () => {
        asked.resolve();
        return answer.promise;
      },
    };
    const { relay, say, address } = await relayed(node);
    const tell = (byte: number, number: number): Buffer => notification('hashblock', Buffer.alloc(32, byte), number);
    await listener(address, ['hashblock'], () => say('hashblock', tell(1, 0)));
    say('hashblock', Buffer.concat([tell(3, 2), tell(4, 3), tell(6, 5)]));
    await asked.promise;
    const stopped = relay.stop();
    answer.reject(new Error('late'));
    await stopped;
    await until(() => relay.counts().subscribers === 0);
  });
});

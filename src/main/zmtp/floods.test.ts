import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { HALF, longestShare } from '../test-support/longest-turn.ts';
import { seededRandom } from '../test-support/seeded-random.ts';
import { pieceOf } from './memory.ts';
import { Publisher } from './publisher.ts';
import { Subscription } from './subscription.ts';
import {
  dial,
  frame,
  hello,
  notification,
  type Peer,
  RawPublisher,
  ready,
  subscriber,
  until,
} from './test-support/peers.ts';

const ROUNDS = process.env.PLANCHET_LONG ? 300 : 1;
const FLOOD_BYTES = (process.env.PLANCHET_LONG ? 8 : 4) * 1024 * 1024;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const repeated = (bytes: Buffer): Buffer => Buffer.alloc(Math.floor(65_536 / bytes.length) * bytes.length, bytes);

/** Data that a hostile peer may send without end. */
const floods: Readonly<Record<string, Buffer>> = {
  heartbeats: repeated(frame('\x04PING\0\0', 4)),
  'heartbeats with a context': repeated(frame(`\x04PING\0\0${'x'.repeat(16)}`, 4)),
  'answers to no heartbeat': repeated(frame('\x04PONG', 4)),
  'unknown commands': repeated(frame('\x01X', 4)),
  'long commands': repeated(frame(`\x01X${'x'.repeat(8_000)}`, 4)),
  'empty messages': repeated(frame('')),
  'messages of many frames': repeated(Buffer.concat([frame('', 1), frame('', 1), frame('')])),
  'messages that nobody wants': repeated(notification('nothing', '', 0)),
};

/** Sends a flood for as long as the peer reads it. Resolves once enough was sent, or the connection has ended. */
async function pour({ socket }: Peer, bytes: Buffer, total = FLOOD_BYTES): Promise<void> {
  for (let sent = 0; sent < total && !socket.destroyed; sent += bytes.length) {
    const taken = socket.write(bytes);
    if (taken) await setImmediate();
    else
      await new Promise<void>((resolve) => {
        socket.once('drain', resolve);
        socket.once('close', () => resolve());
      });
  }
}

async function relay(): Promise<{ upstream: RawPublisher; publisher: Publisher; address: string; heard: number[] }> {
  const upstream = await RawPublisher.open();
  open.push(() => upstream.close());
  const publisher = new Publisher({ topics: ['hashtx'] });
  open.push(() => publisher.close());
  const address = `tcp://127.0.0.1:${await publisher.listen('127.0.0.1', 0)}`;
  const heard: number[] = [];
  const subscription = new Subscription<string>({
    address: upstream.address,
    topics: ['hashtx'],
    topicAt: (bytes, start, end) => (bytes.toString('latin1', start, end) === 'hashtx' ? 'hashtx' : undefined),
    wanted: () => true,
    message: ({ sequence, memory, start, end }) => {
      heard.push(sequence);
      publisher.append(0, memory, start, end);
    },
    read: () => {
      publisher.flush();
      return true;
    },
  });
  open.push(() => subscription.close());
  await until(() => upstream.peerOf('hashtx') !== undefined);
  return { upstream, publisher, address, heard };
}

/** Of those from a subscriber: every second in `npm test`. */
const slice = Object.entries(floods).filter((_, at) => process.env.PLANCHET_LONG || at % 2 === 0);

describe('floods', () => {
  it.each(Object.entries(floods))('of %s from the upstream delay no other connection', async (_, bytes) => {
    const { upstream, address, heard } = await relay();
    const source = upstream.peerOf('hashtx') as Peer;
    const reader = await subscriber(address, 'hashtx');
    const share = await longestShare(async () => {
      await pour(source, bytes);
      source.socket.write(notification('hashtx', 'body', 3));
      await until(() => heard.length === 1);
    }, 1);
    expect(share).toBeLessThan(HALF);
    // one answer for thousands of heartbeats
    expect(source.commands.filter((name) => name.includes('PONG')).length).toBeLessThan(FLOOD_BYTES / 9 / 20);
    expect(reader.closed).toBe(false);
  });

  it.each(slice)('of %s from a subscriber delay no other connection', async (_, bytes) => {
    const publisher = new Publisher({ topics: ['hashtx'] });
    open.push(() => publisher.close());
    const address = `tcp://127.0.0.1:${await publisher.listen('127.0.0.1', 0)}`;
    const good = await subscriber(address, 'hashtx');
    const bad = await dial(address);
    bad.socket.write(Buffer.concat([hello(1), ready('SUB')]));
    await until(() => publisher.subscribers === 2);
    const share = await longestShare(() => pour(bad, bytes), 1);
    expect(share).toBeLessThan(HALF);
    expect(publisher.backlog).toBeLessThan(65_536);
    await until(() => publisher.isWanted(0));
    publisher.publish(0, [pieceOf(notification('hashtx', 'body', 0))]);
    await until(() => good.bodies.length === 3);
  });

  it('leave no pending answers in memory for a subscriber that reads none', async () => {
    const publisher = new Publisher({ topics: ['hashtx'] });
    open.push(() => publisher.close());
    const bad = await dial(`tcp://127.0.0.1:${await publisher.listen('127.0.0.1', 0)}`);
    bad.socket.write(Buffer.concat([hello(1), ready('SUB')]));
    await until(() => publisher.subscribers === 1);
    bad.socket.pause();
    await pour(bad, floods['heartbeats with a context'] as Buffer, 2 * FLOOD_BYTES);
    expect(publisher.backlog).toBeLessThan(65_536);
  });

  it('from many peers at once do not lose a message of an honest publisher', {
    timeout: 600_000,
  }, async () => {
    const random = seededRandom(12);
    const { upstream, address } = await relay();
    const source = upstream.peerOf('hashtx') as Peer;
    const kinds = Object.values(floods);
    let number = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const good = await subscriber(address, 'hashtx');
      await until(() => good.commands.length === 1);
      const bad = await Promise.all(Array.from({ length: 4 }, () => dial(address)));
      const pouring = bad.map((peer) => {
        peer.socket.write(Buffer.concat([hello(1), ready('SUB')]));
        return pour(peer, kinds[Math.floor(random() * kinds.length)] as Buffer, FLOOD_BYTES / 4);
      });
      // the subscription may be queued behind the floods
      await until(
        () => good.bodies.length > 0,
        () => source.socket.write(notification('hashtx', 'body', number++)),
      );
      const from = Buffer.from(good.bodies[2] as string, 'latin1').readUInt32LE();
      for (let n = 0; n < 100; n++) {
        source.socket.write(kinds[Math.floor(random() * 4)] as Buffer);
        source.socket.write(notification('hashtx', 'body', number++));
      }
      await until(() => good.bodies.length === 3 * (number - from));
      await Promise.all(pouring);
      for (const peer of [...bad, good]) peer.socket.destroy();
    }
  });
});

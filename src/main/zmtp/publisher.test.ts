import { afterEach, describe, expect, it } from 'vitest';
import { Subscriber } from 'zeromq';
import { pieceOf } from './memory.ts';
import { Publisher, type PublisherOptions } from './publisher.ts';
import {
  dial,
  frame,
  hello,
  longHead,
  notification,
  type Peer,
  ready,
  subscriber,
  until,
} from './test-support/peers.ts';

const topics = ['hashtx', 'hashtx2', 'rawtx', 'rawblock'] as const;
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

class Board {
  readonly publisher: Publisher;
  address = '';
  #sequence = 0;

  constructor(options: Partial<PublisherOptions> = {}) {
    // the same object, which a test may change later
    this.publisher = new Publisher(Object.assign(options, { topics: options.topics ?? topics }));
    open.push(() => this.publisher.close());
  }

  async listen(): Promise<this> {
    this.address = `tcp://127.0.0.1:${await this.publisher.listen('127.0.0.1', 0)}`;
    return this;
  }

  publish(topic: (typeof topics)[number], body: string | Buffer = 'body'): void {
    this.publisher.publish(topics.indexOf(topic), [pieceOf(notification(topic, body, this.#sequence++))]);
  }
}

const start = (options: Partial<PublisherOptions> = {}): Promise<Board> => new Board(options).listen();

async function subscribed(board: Board, count: number): Promise<void> {
  await until(() => board.publisher.subscribers === count && board.publisher.isWanted(0));
}

describe('the handshake', () => {
  it('sends a greeting and its socket type, and accepts subscriptions of 3.0 and 3.1', async () => {
    const board = await start();
    const old = await dial(board.address);
    const young = await dial(board.address);
    for (const byte of Buffer.concat([hello(0), ready('SUB'), frame('\x01hashtx')]))
      old.socket.write(Buffer.from([byte]));
    young.socket.write(Buffer.concat([hello(1), ready('XSUB'), frame('\x09SUBSCRIBEhashtx', 4)]));
    await subscribed(board, 2);
    board.publish('hashtx');
    board.publish('rawtx');
    board.publish('hashtx2');
    for (const peer of [old, young]) {
      await until(() => peer.bodies.length === 6);
      expect(peer.greeting).toEqual(hello(1));
      expect(peer.commands).toEqual(['\x05READY\x0bSocket-Type\0\0\0\x03PUB']);
      expect(peer.bodies.filter((_, at) => at % 3 === 0)).toEqual(['hashtx', 'hashtx2']);
    }
    old.socket.write(frame('\0hashtx'));
    young.socket.write(frame('\x06CANCELhashtx', 4));
    await until(() => !board.publisher.isWanted(0));
    board.publish('hashtx');
    old.socket.write(frame('\x01rawtx'));
    await until(() => board.publisher.isWanted(2));
    board.publish('rawtx');
    await until(() => old.bodies.length === 9);
    expect(old.bodies[6]).toBe('rawtx');
    expect(young.bodies).toHaveLength(6);
  });

  it.each<[string, Buffer]>([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a greeting of ZMTP 2', Buffer.from([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 1, 2])],
    ['another mechanism', hello(1, 'CURVE')],
    ['a socket of another kind', Buffer.concat([hello(1), ready('REQ')])],
    ['a READY without a kind', Buffer.concat([hello(1), frame('\x05READY', 4)])],
    ['a broken property', Buffer.concat([hello(1), frame('\x05READY\x0bSocket-Type\0\0\xff\0SUB', 4)])],
    ['a command without a name', Buffer.concat([hello(1), frame('', 4)])],
    ['a message before READY', Buffer.concat([hello(1), frame('\x01hashtx')])],
    ['a message that is too long', Buffer.concat([hello(1), ready('SUB'), Buffer.from([2, 0, 0, 0, 0, 1, 0, 0, 0])])],
    ['a message of 3 GB', Buffer.concat([hello(1), ready('SUB'), longHead(0, 3 * 2 ** 30)])],
    ['a command of 3 GB', Buffer.concat([hello(1), ready('SUB'), longHead(4, 3 * 2 ** 30)])],
    ['a command that is too long', Buffer.concat([hello(1), ready('SUB'), longHead(4, 8_193)])],
    ['a READY that is too long', Buffer.concat([hello(1), longHead(4, 8_193)])],
    ['a command in several frames', Buffer.concat([hello(1), ready('SUB'), frame('\x04PING\0\0', 5)])],
    ['flags that mean nothing', Buffer.concat([hello(1), ready('SUB'), Buffer.from([16, 0])])],
    [
      'a command in the middle of a message',
      Buffer.concat([hello(1), ready('SUB'), frame('a', 1), frame('\x04PING', 4)]),
    ],
    ['a broken heartbeat', Buffer.concat([hello(1), ready('SUB'), frame(`\x04PING${'x'.repeat(19)}`, 4)])],
    [
      'too many subscriptions',
      Buffer.concat([hello(1), ready('SUB'), ...Array.from({ length: 1_001 }, (_, n) => frame(`\x01${n}`))]),
    ],
  ])('closes only the connection that sends %s', async (_, bytes) => {
    const board = await start();
    const good = await subscriber(board.address, 'hashtx');
    await subscribed(board, 1);
    const bad = await dial(board.address);
    bad.socket.write(bytes);
    await until(() => bad.closed);
    board.publish('hashtx');
    await until(() => good.bodies.length === 3);
    expect(good.closed).toBe(false);
  });

  it('has a time limit', async () => {
    const options: { handshakeMs?: number } = {};
    const board = await start(options);
    const good = await subscriber(board.address, 'hashtx');
    await subscribed(board, 1);
    // a loaded machine may take longer than this for a handshake
    options.handshakeMs = 100;
    const silent = await dial(board.address);
    await until(() => silent.closed);
    expect(good.closed).toBe(false);
  });

  it('accepts a limited number of connections: a new one replaces the oldest without a subscription, or is closed', async () => {
    const board = await start({ maxConnections: 3 });
    const good = await subscriber(board.address, 'hashtx');
    await subscribed(board, 1);
    const useless = await subscriber(board.address, 'no such topic');
    await until(() => board.publisher.subscribers === 2);
    const silent = await dial(board.address);
    const second = await subscriber(board.address, 'hashtx');
    await until(() => useless.closed && board.publisher.subscribers === 2);
    const third = await subscriber(board.address, 'hashtx');
    await until(() => silent.closed && board.publisher.subscribers === 3);
    const fourth = await subscriber(board.address, 'hashtx');
    await until(() => fourth.closed);
    board.publish('hashtx');
    await until(() => [good, second, third].every(({ bodies }) => bodies.length === 3));
  });

  it('accepts subscribers next to 1,000 silent or idle connections', { tags: 'long' }, async () => {
    const board = await start();
    const good = await subscriber(board.address, 'hashtx');
    await subscribed(board, 1);
    const idle = Buffer.concat([hello(1), ready('SUB')]);
    const silent = await Promise.all(
      Array.from({ length: 1_000 }, async (_, at) => {
        const peer = await dial(board.address);
        if (at % 2 === 0) peer.socket.write(idle);
        return peer;
      }),
    );
    const late = await subscriber(board.address, 'hashtx');
    await until(() => late.commands.length === 1);
    await until(
      () => good.bodies.length > 0 && late.bodies.length > 0,
      () => board.publish('hashtx'),
    );
    expect(silent.filter(({ closed }) => closed).length).toBeLessThan(10);
    for (const { socket } of silent) socket.destroy();
  });

  it('survives random bytes', async () => {
    const board = await start();
    const good = await subscriber(board.address, 'hashtx');
    await subscribed(board, 1);
    const valid = Buffer.concat([
      hello(1),
      ready('SUB'),
      frame('\x01hashtx'),
      frame('\x04PING\0\0x', 4),
      frame('\0hashtx'),
    ]);
    const peers: Peer[] = [];
    // a seeded generator, so that a failure can be repeated
    let seed = 42;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    for (let run = 0; run < 200; run++) {
      const bytes = Buffer.from(valid);
      for (let n = 0; n < 3; n++) bytes[random(bytes.length)] = random(256);
      const peer = await dial(board.address);
      peers.push(peer);
      const cut = random(bytes.length);
      peer.socket.write(bytes.subarray(0, cut));
      peer.socket.end(bytes.subarray(cut));
    }
    await until(() => peers.every(({ closed }) => closed));
    board.publish('hashtx');
    await until(() => good.bodies.length === 3);
  });
});

describe('heartbeats', () => {
  it('are answered with their context', async () => {
    const board = await start();
    const peer = await dial(board.address);
    peer.socket.write(Buffer.concat([hello(1), ready('SUB'), frame('\x04PING\0\0seven', 4)]));
    await until(() => peer.commands.length === 2);
    expect(peer.commands[1]).toBe('\x04PONGseven');
  });

  it('disconnect a subscriber that is silent for longer than its own limit', async () => {
    const board = await start();
    const peer = await dial(board.address);
    peer.socket.write(Buffer.concat([hello(1), ready('SUB'), frame('\x04PING\0\x01', 4)]));
    await until(() => peer.closed);
    expect(peer.commands).toHaveLength(2);
  });
});

describe('subscribers that do not keep up', () => {
  it('miss whole messages beyond a limit in bytes, and do not delay others', async () => {
    const limit = 4 * 1024 * 1024;
    const board = await start({ backlogBytes: limit * 4 });
    const stalled = await subscriber(board.address, 'rawtx', 'hashtx');
    const reader = await subscriber(board.address, 'rawtx');
    await subscribed(board, 2);
    await until(() => board.publisher.isWanted(2));
    stalled.socket.pause();
    const sizes = [50, 5_000, 100_000];
    let published = 0;
    while (board.publisher.dropped < 100) {
      for (let n = 0; n < 30; n++) board.publish('rawtx', Buffer.alloc(sizes[published++ % 3] as number, published));
      await until(() => reader.bodies.length === published * 3);
      expect(board.publisher.backlog).toBeLessThan(limit + 200_000);
    }
    expect(reader.wholeMessages).toBe(true);
    stalled.socket.resume();
    await until(() => board.publisher.backlog === 0 && stalled.rest.length === 0);
    // it continues with messages published from now on
    board.publish('rawtx', 'last');
    await until(() => stalled.bodies.at(-2) === 'last');
    expect(stalled.wholeMessages).toBe(true);
    expect(stalled.bodies.length / 3 + board.publisher.dropped).toBe(published + 1);
    const numbers = stalled.bodies
      .filter((_, at) => at % 3 === 2)
      .map((body) => Buffer.from(body, 'latin1').readUInt32LE());
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  it('share the limit if there are many', async () => {
    const board = await start({ backlogBytes: 16 * 1024 * 1024 });
    const peers = await Promise.all(Array.from({ length: 16 }, () => subscriber(board.address, 'hashtx')));
    await subscribed(board, 16);
    for (const { socket } of peers) socket.pause();
    const body = Buffer.alloc(100_000);
    for (let n = 0; n < 400; n++) {
      board.publish('hashtx', body);
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(board.publisher.dropped).toBeGreaterThan(0);
    expect(board.publisher.backlog).toBeLessThan(2 * 16 * 1024 * 1024 + 16 * body.length);
    for (const { socket } of peers) socket.resume();
    await until(() => board.publisher.backlog === 0 && peers.every(({ rest }) => rest.length === 0));
    expect(peers.every(({ wholeMessages }) => wholeMessages)).toBe(true);
  });

  it('may disconnect within a message', async () => {
    const board = await start();
    const reader = await subscriber(board.address, 'hashtx');
    await subscribed(board, 1);
    const body = Buffer.alloc(2_000_000, 5);
    for (let round = 1; round <= 5; round++) {
      const leaving = await subscriber(board.address, 'hashtx');
      await subscribed(board, 2);
      leaving.socket.once('data', () => leaving.socket.destroy());
      board.publish('hashtx', body);
      await until(() => reader.bodies.length === round * 3 && board.publisher.subscribers === 1);
    }
    expect(reader.wholeMessages).toBe(true);
    expect(board.publisher.backlog).toBe(0);
  });
});

describe('a libzmq subscriber', () => {
  it('receives its topics complete, with heartbeats in between, and again after a restart on the same port', async () => {
    const board = await start();
    const socket = new Subscriber({
      linger: 0,
      heartbeatInterval: 20,
      heartbeatTimeout: 60_000,
      reconnectInterval: 10,
    });
    socket.connect(board.address);
    socket.subscribe('hashtx', 'rawblock');
    const heard: string[][] = [];
    const reading = (async () => {
      for await (const frames of socket) heard.push(frames.map((one) => one.toString('latin1')));
    })();
    open.push(async () => {
      socket.close();
      await reading;
    });
    await subscribed(board, 1);
    const block = Buffer.alloc(3_000_000, 9);
    for (let n = 0; n < 20; n++) {
      board.publish('rawblock', block);
      board.publish('rawtx');
      board.publish('hashtx', `${n}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until(() => heard.length === 40);
    expect(heard.every((frames) => frames.length === 3)).toBe(true);
    expect(heard.filter(([topic]) => topic === 'rawblock').every(([, body]) => body === block.toString('latin1'))).toBe(
      true,
    );
    socket.unsubscribe('rawblock');
    await until(() => !board.publisher.isWanted(3));
    await board.publisher.close();
    const again = new Board();
    again.address = `tcp://127.0.0.1:${await again.publisher.listen('127.0.0.1', Number(board.address.split(':')[2]))}`;
    await subscribed(again, 1);
    again.publish('hashtx', 'after');
    await until(() => heard.at(-1)?.[1] === 'after');
  });
});

it('the publisher closes after writing pending messages, and disconnects a subscriber that does not read them', async () => {
  const board = await start();
  const reader = await subscriber(board.address, 'hashtx');
  const stalled = await subscriber(board.address, 'rawblock');
  await subscribed(board, 2);
  stalled.socket.pause();
  const body = Buffer.alloc(200_000);
  for (let n = 0; n < 80; n++) board.publish('rawblock', body);
  for (let n = 0; n < 5; n++) board.publish('hashtx', body);
  await board.publisher.close();
  await until(() => reader.closed && reader.bodies.length === 15);
  stalled.socket.resume();
  await until(() => stalled.closed);
  expect(board.publisher.backlog).toBe(0);
});

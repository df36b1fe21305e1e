import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Publisher } from 'zeromq';
import { Subscription, type SubscriptionOptions } from './subscription.ts';
import { frame, hello, notification, type Peer, RawPublisher, ready, until } from './test-support/peers.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Heard {
  topic: string;
  body: string;
  sequence: number;
}

function follow(address: string, options: Partial<SubscriptionOptions<string>> = {}) {
  const heard: Heard[] = [];
  const lost: string[] = [];
  const subscription = new Subscription<string>({
    address,
    topics: ['hashtx', 'rawblock'],
    topicAt: (bytes, start, end) => bytes.toString('latin1', start, end),
    wanted: () => true,
    message: ({ topic, sequence, earlier, memory, start, end, bodyLength }) => {
      const pieces = [...earlier, { memory, start, end }].map((one) => one.memory.bytes.subarray(one.start, one.end));
      const wire = Buffer.concat(pieces);
      heard.push({ topic, body: wire.toString('latin1', wire.length - 6 - bodyLength, wire.length - 6), sequence });
    },
    read: () => true,
    lost: ({ message }) => lost.push(message),
    ...options,
  });
  open.push(() => subscription.close());
  return { heard, lost, subscription };
}

async function publisher(greets?: (peer: Peer) => void, port = 0): Promise<RawPublisher> {
  const source = await RawPublisher.open(greets, port);
  open.push(() => source.close());
  return source;
}

/** Passes bytes on to a publisher and counts its answers to heartbeats. */
async function countingProxy(port: number): Promise<{ address: string; pongs(): number }> {
  let pongs = 0;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.on('error', () => {}).on('close', () => far.destroy());
    far.on('error', () => {}).on('close', () => near.destroy());
    far.on('data', (piece) => {
      if (piece.includes('\x04PONG')) pongs += 1;
    });
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => server.close());
  return { address: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, pongs: () => pongs };
}

const portOf = ({ address }: RawPublisher): number => Number(address.split(':')[2]);

describe('a subscription', () => {
  it('receives from a libzmq publisher, answers its heartbeats, and reconnects after its restart', async () => {
    const options = { linger: 0, heartbeatInterval: 30, heartbeatTimeout: 60_000 };
    let socket = new Publisher(options);
    await socket.bind('tcp://127.0.0.1:*');
    const address = socket.lastEndpoint as string;
    const way = await countingProxy(Number(address.split(':')[2]));
    const { heard, lost } = follow(way.address, { heartbeatMs: 500 });
    const number = Buffer.alloc(4);
    const publish = () => socket.send(['hashtx', 'first', number]);
    await until(() => heard.length > 0, publish);
    const block = Buffer.alloc(5_000_000, 3);
    // the publisher processes one subscription after the other
    await until(
      () => heard.some(({ topic }) => topic === 'rawblock'),
      () => socket.send(['rawblock', block, number]),
    );
    expect(heard.find(({ topic }) => topic === 'rawblock')?.body === block.toString('latin1')).toBe(true);
    await until(() => way.pongs() >= 2);
    expect(lost).toEqual([]);
    socket.close();
    await until(() => lost.length > 0);
    socket = new Publisher(options);
    await socket.bind(address);
    open.push(() => socket.close());
    const before = heard.length;
    await until(() => heard.length > before, publish);
  });

  it('uses ZMTP 3.0 with a publisher of 3.0, and 3.1 with one of 3.1', async () => {
    for (const [minor, expected] of [
      [0, ['\x01hashtx', '\x01rawblock']],
      [1, ['\x09SUBSCRIBEhashtx', '\x09SUBSCRIBErawblock']],
    ] as const) {
      const source = await publisher(({ socket }) => {
        for (const byte of Buffer.concat([hello(minor), ready('XPUB')])) socket.write(Buffer.from([byte]));
      });
      const { heard } = follow(source.address);
      await until(() => source.peers[0]?.frames.length === 3);
      const [peer] = source.peers as [Peer];
      expect(peer.frames.slice(1).map(({ body }) => body.toString('latin1'))).toEqual(expected);
      peer.socket.write(notification('hashtx', 'body', 6));
      await until(() => heard.length === 1);
      expect(heard).toEqual([{ topic: 'hashtx', body: 'body', sequence: 6 }]);
    }
  });

  it.each<[string, Buffer, RegExp]>([
    ['something else', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), /does not speak ZMTP/],
    ['an older version', Buffer.from([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 1, 1]), /before 3\.0/],
    ['another mechanism', hello(0, 'PLAIN'), /mechanism/],
    ['a socket of another kind', Buffer.concat([hello(0), ready('PUSH')]), /PUSH/],
    ['a refusal', Buffer.concat([hello(0), frame('\x05ERROR\x02no', 4)]), /refuses: no/],
    ['flags that mean nothing', Buffer.concat([hello(0), ready('PUB'), Buffer.from([64, 64])]), /flags/],
    ['nothing', Buffer.alloc(0), /too long/],
  ])('reports why it cannot use a publisher that sends: %s; and tries again', async (_, bytes, reason) => {
    const source = await publisher(({ socket }) => socket.write(bytes));
    // only where nothing comes: a loaded machine may take longer to read what does
    const { lost } = follow(source.address, bytes.length === 0 ? { handshakeMs: 100 } : {});
    await until(() => source.peers.length >= 2);
    expect(lost[0]).toMatch(reason);
  });

  it('does not report a message whose publisher disappeared before its end', async () => {
    const source = await publisher();
    const { heard } = follow(source.address);
    await until(() => source.peerOf('rawblock') !== undefined);
    const block = notification('rawblock', Buffer.alloc(1_000_000, 1), 0);
    source.peerOf('rawblock')?.socket.end(block.subarray(0, 600_000));
    await until(() => source.peers.length === 2 && source.peerOf('rawblock') !== undefined);
    source.peerOf('rawblock')?.socket.write(notification('rawblock', 'whole', 1));
    await until(() => heard.length === 1);
    expect(heard).toEqual([{ topic: 'rawblock', body: 'whole', sequence: 1 }]);
  });

  it('disconnects a publisher that stops answering heartbeats, but not one that never answered any', async () => {
    const answered = await publisher();
    const { lost } = follow(answered.address, { heartbeatMs: 50 });
    await until(() => answered.peers[0]?.commands.includes('\x04PING\0\0') === true);
    answered.peers[0]?.socket.write(frame('\x04PONG', 4));
    await until(() => lost.length > 0);
    expect(lost[0]).toMatch(/heartbeat/);

    const silent = await publisher();
    const other = follow(silent.address, { heartbeatMs: 20 });
    await until(() => (silent.peers[0]?.commands.filter((name) => name.startsWith('\x04PING')).length ?? 0) > 5);
    expect(other.lost).toEqual([]);
  });

  it('waits longer after each attempt while the publisher is unreachable', async () => {
    const source = await publisher();
    const port = portOf(source);
    await source.close();
    const times: number[] = [];
    const { heard } = follow(`tcp://127.0.0.1:${port}`, { lost: () => times.push(performance.now()) });
    await until(() => times.length >= 4);
    const pauses = times.slice(1).map((time, at) => time - (times[at] as number));
    // A loaded machine makes each pause longer, never shorter.
    for (const [at, least] of [100, 200, 400].entries()) expect(pauses[at]).toBeGreaterThan(0.9 * least);
    const back = await publisher(undefined, port);
    await until(() => back.peerOf('hashtx') !== undefined);
    back.peerOf('hashtx')?.socket.write(notification('hashtx', 'back', 0));
    await until(() => heard.length === 1);
  });

  it('stops reading while it is paused', async () => {
    let reads = true;
    const source = await publisher();
    const { heard, subscription } = follow(source.address, { read: () => reads });
    await until(() => source.peerOf('hashtx') !== undefined);
    reads = false;
    const socket = source.peerOf('hashtx')?.socket;
    socket?.write(notification('hashtx', 'one', 0));
    await until(() => heard.length === 1);
    socket?.write(notification('hashtx', 'two', 1));
    // What was written to another subscriber after that has arrived.
    const other = await publisher();
    const control = follow(other.address);
    await until(() => other.peerOf('hashtx') !== undefined);
    other.peerOf('hashtx')?.socket.write(notification('hashtx', 'later', 0));
    await until(() => control.heard.length === 1);
    expect(heard).toHaveLength(1);
    reads = true;
    subscription.resume();
    await until(() => heard.length === 2);
  });

  it.each(['tcp://nowhere', 'tcp://host:0', 'tcp://host:70000', 'ipc:///socket', 'tcp://two words:1', 'tcp://[::1:1'])(
    'refuses the address %s',
    (address) => {
      expect(() => follow(address)).toThrow('tcp://host:port');
    },
  );
});

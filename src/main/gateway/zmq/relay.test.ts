import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { zmqTopics } from '../../node-format/zmq-topics.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { clientParts, endpointsOf, quiet, settingsOf } from '../test-support/upstream.ts';
import { countsOf, type Heard, listen as hear, startZmqNode, until } from '../test-support/zmq-node.ts';
import { NodeClient } from '../upstream/client.ts';
import { type ZmqRelayOptions, ZmqRelayService } from './relay.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const startNode = (address?: string) => startZmqNode(open, address);
const listen = (address: string, ...topics: string[]) => hear(open, address, ...topics);

function nodeAt(bitcoinRpcUrl: string): NodeRpc {
  const endpoints = endpointsOf({ bitcoinRpcUrl });
  const node = new NodeClient({
    ...clientParts,
    endpoints,
    settings: settingsOf(),
    clock: systemClock,
  });
  open.push(() => node.close());
  return node;
}

function relayTo(
  bitcoinZmqUrl: string,
  zmqAddress = 'tcp://:0',
  credentialsAreDefault = true,
  node = nodeAt(''),
  others: Partial<ZmqRelayOptions> = {},
): ZmqRelayService {
  const service = new ZmqRelayService({
    settings: settingsOf({ zmqAddress }),
    endpoints: endpointsOf({ bitcoinZmqUrl }),
    node,
    clock: systemClock,
    credentialsAreDefault: () => credentialsAreDefault,
    logger: quiet,
    ...others,
  });
  open.push(() => service.stop());
  return service;
}

/** Relay, node and a subscriber that has received its first messages, so that none is missed and no earlier one arrives late. */
async function connected(...topics: string[]) {
  const { node, url } = await startNode();
  const service = relayTo(url);
  const { address = '' } = await service.start();
  const heard = listen(address, ...topics);
  // The last topic that is relayed, because subscriptions are processed in order.
  const probe = topics.findLast((topic) => zmqTopics.some((one) => one === topic)) as string;
  await until(
    () => heard.length > 0,
    () => node.publish(probe),
  );
  await node.publish(probe, 'connected');
  await until(() => heard.at(-1)?.body === 'connected');
  return { node, url, service, address, heard };
}

describe('the ZMQ relay', () => {
  it('publishes all eleven topics as three frames with unchanged bodies', async () => {
    const { node, heard, service } = await connected(...zmqTopics);
    expect(zmqTopics).toHaveLength(11);
    const from = heard.length;
    const before = countsOf(service).invalidtx;
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    for (const topic of zmqTopics) await node.publish(topic, body);
    await until(() => heard.length >= from + 11);
    const got = heard.slice(from);
    expect(got.map(({ topic }) => topic).sort()).toEqual([...zmqTopics].sort());
    expect(got.every((message) => message.body === body.toString('latin1'))).toBe(true);
    expect(countsOf(service).invalidtx).toEqual({ ...before, messages: before.messages + 1 });
  });

  it('tells of each transaction that is announced, once, with its hash', async () => {
    const told: string[] = [];
    const { node, url } = await startNode();
    const onTransaction = (hash: Buffer): void => void told.push(hash.toString('hex'));
    await relayTo(url, 'tcp://:0', true, nodeAt(''), { onTransaction }).start();
    const [first, second] = ['ab'.repeat(32), 'cd'.repeat(32)];
    await until(
      () => told.includes(first),
      () => node.publish('hashtx', Buffer.from(first, 'hex')),
    );
    await node.publish('rawtx', Buffer.from(second, 'hex'));
    await node.publish('hashtx2', Buffer.from(second, 'hex'));
    await node.publish('hashtx', Buffer.from(second, 'hex'));
    await until(() => told.includes(second));
    expect(told.filter((txid) => txid !== first)).toEqual([second]);
  });

  it('numbers each topic separately, in steps of one', async () => {
    const { node, heard } = await connected('hashtx', 'rawtx');
    const from = heard.length;
    for (let i = 0; i < 1_000; i++) {
      await node.publish('hashtx');
      if (i % 3 === 0) await node.publish('rawtx');
    }
    await until(() => heard.length >= from + 1_334);
    for (const topic of ['hashtx', 'rawtx']) {
      const numbers = heard.filter((message) => message.topic === topic).map(({ sequence }) => sequence);
      expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => (numbers[0] as number) + i));
    }
  });

  it('counts lost messages of the upstream, and leaves no gap in its own numbers', async () => {
    const { node, heard, service } = await connected('hashblock');
    const from = heard.length;
    node.counts.set('hashblock', (node.counts.get('hashblock') ?? 0) + 5);
    await node.publish('hashblock', 'after the gap');
    await until(() => heard.length > from);
    expect(countsOf(service).hashblock.missed).toBe(5);
    const [before, after] = heard.slice(from - 1);
    expect(after?.sequence).toBe((before?.sequence ?? 0) + 1);
  });

  it('recognizes the wrap of the upstream’s numbers', async () => {
    const { node, heard, service } = await connected('hashblock');
    node.counts.set('hashblock', 2 ** 32 - 1);
    const missed = countsOf(service).hashblock.missed;
    const from = heard.length;
    await node.publish('hashblock');
    await node.publish('hashblock');
    await until(() => heard.length >= from + 2);
    expect(node.counts.get('hashblock')).toBe(1);
    expect(countsOf(service).hashblock.missed).toBe(missed);
  });

  it('continues by itself when the upstream is restarted and counts from zero again', async () => {
    const { node, url, heard, service } = await connected('hashblock');
    const last = heard.at(-1)?.sequence ?? 0;
    node.close();
    const from = heard.length;
    const { node: reborn } = await startNode(url);
    await until(
      () => heard.length > from,
      () => reborn.publish('hashblock', 'new life'),
    );
    expect(heard[from]).toMatchObject({ body: 'new life', sequence: last + 1 });
    expect(countsOf(service).hashblock.missed).toBeGreaterThanOrEqual(0);
  });

  it('drops what is not a notification', async () => {
    const { node, heard, service } = await connected('hashblock', 'hashblock3');
    const from = heard.length;
    await node.publishRaw(['hashblock', 'two frames']);
    await node.publishRaw(['hashblock', 'short number', Buffer.alloc(3)]);
    await node.publishRaw(['hashblock', 'four', Buffer.alloc(4), Buffer.alloc(4)]);
    await node.publish('hashblock3', 'unknown topic');
    await node.publish('hashblock', 'good');
    await until(() => heard.length > from);
    expect(heard.slice(from).map(({ body }) => body)).toEqual(['good']);
    expect(countsOf(service).hashblock.missed).toBe(0);
  });
});

describe('the ZMQ relay as a service', () => {
  it('serves IPv4 and IPv6 on one free port and reports it', async () => {
    const { node, url } = await startNode();
    const { address = '' } = await relayTo(url).start();
    expect(address).toMatch(/^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/);
    const heard = listen(address.replace('127.0.0.1', '[::1]'), 'rawtx');
    await until(
      () => heard.length > 0,
      () => node.publish('rawtx'),
    );
  });

  it('reports which port is in use', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    open.push(() => new Promise((resolve) => squatter.close(resolve)));
    const { port } = squatter.address() as { port: number };
    await expect(relayTo('', `tcp://:${port}`).start()).rejects.toMatchObject({
      code: 'port-in-use',
      hint: expect.stringContaining(`planchet settings set zmqAddress tcp://:${port + 1}`),
    });
  });

  it('is not reachable from other machines while the credentials are the generated ones', async () => {
    await expect(relayTo('', 'tcp://0.0.0.0:0').start()).rejects.toMatchObject({ code: 'bind-refused' });
    expect((await relayTo('', 'tcp://0.0.0.0:0', false).start()).address).toMatch(/^tcp:\/\/127\.0\.0\.1:\d+$/);
  });

  it('reports that it polls if there is nothing to relay, and refuses an invalid address', async () => {
    expect(await relayTo('').start()).toMatchObject({ warning: { message: expect.stringContaining('bitcoinZmqUrl') } });
    await expect(relayTo('tcp://nowhere').start()).rejects.toMatchObject({ code: 'upstream-unreachable' });
  });

  it('frees its port when it stops, and can start on it again', async () => {
    const service = relayTo('');
    const { address = '' } = await service.start();
    await service.stop();
    await service.stop();
    const again = relayTo('', address.replace('127.0.0.1', ''));
    expect((await again.start()).address).toBe(address);
  });
});

const hexOf = ({ body }: Heard): string => Buffer.from(body, 'latin1').toString('hex');

describe('lost blocks', () => {
  it('are fetched, published once and in order, and counted', async () => {
    const chain = await startSandboxUpstream();
    open.push(() => chain.stop());
    const { node, url } = await startNode();
    const service = relayTo(url, 'tcp://:0', true, nodeAt(chain.url));
    const { address = '' } = await service.start();
    const hashes = listen(address, 'hashblock');
    const raws = listen(address, 'rawblock2');
    const [first] = (await chain.node.mine(1)) as [string];
    const rawOf = async (hash: string): Promise<Buffer> =>
      Buffer.from(await nodeAt(chain.url).call<string>('getblock', [hash, false]), 'hex');
    await until(
      () => hashes.length > 0 && raws.length > 0,
      async () => {
        await node.publish('hashblock', Buffer.from(first, 'hex'));
        await node.publish('rawblock2', await rawOf(first));
      },
    );
    const [second] = (await chain.node.mine(1)) as [string];
    await node.publish('hashblock', Buffer.from(second, 'hex'));
    await node.publish('rawblock2', await rawOf(second));
    const secondRaw = (await rawOf(second)).toString('hex');
    await until(() => hexOf(hashes.at(-1) as Heard) === second && hexOf(raws.at(-1) as Heard) === secondRaw);
    const [hashesFrom, rawsFrom] = [hashes.length, raws.length];
    const mined = await chain.node.mine(5);
    const last = mined.at(-1) as string;
    for (const topic of ['hashblock', 'rawblock2']) node.counts.set(topic, (node.counts.get(topic) ?? 0) + 4);
    await node.publish('hashblock', Buffer.from(last, 'hex'));
    await node.publish('rawblock2', await rawOf(last));
    await until(() => hashes.length >= hashesFrom + 5 && raws.length >= rawsFrom + 5);
    expect(hashes.slice(hashesFrom).map(hexOf)).toEqual(mined);
    expect(raws.slice(rawsFrom).map(hexOf)).toEqual(
      await Promise.all(mined.map(async (hash) => (await rawOf(hash)).toString('hex'))),
    );
    expect(hashes.map(({ sequence }) => sequence)).toEqual(
      hashes.map((_, index) => (hashes[0]?.sequence ?? 0) + index),
    );
    expect(countsOf(service).hashblock).toMatchObject({ missed: 4, repaired: 4 });
    expect(countsOf(service).rawblock2).toMatchObject({ missed: 4, repaired: 4 });
  });

  /** A relay that has published the newest block, and everything it published since. */
  async function relayed() {
    const chain = await startSandboxUpstream();
    open.push(() => chain.stop());
    const { node, url } = await startNode();
    // the chain is checked when a connection is made, and not again every five seconds
    const service = relayTo(url, 'tcp://:0', true, nodeAt(chain.url), { clock: new HandClock() });
    const { address = '' } = await service.start();
    const heard = listen(address, 'hashblock');
    const [first] = (await chain.node.mine(1)) as [string];
    await until(
      () => heard.length > 0,
      () => node.publish('hashblock', Buffer.from(first, 'hex')),
    );
    const [second] = (await chain.node.mine(1)) as [string];
    await node.publish('hashblock', Buffer.from(second, 'hex'));
    await until(() => hexOf(heard.at(-1) as Heard) === second);
    const from = heard.length;
    return { chain, node, url, service, since: () => heard.slice(from).map(hexOf) };
  }

  it('in a reorganisation are those of the new branch', async () => {
    const { chain, node, since } = await relayed();
    const kept = await chain.node.mine(4);
    for (const hash of kept) await node.publish('hashblock', Buffer.from(hash, 'hex'));
    await until(() => since().length === 4);
    const branch = await chain.node.reorg(3);
    node.counts.set('hashblock', (node.counts.get('hashblock') ?? 0) + 3);
    await node.publish('hashblock', Buffer.from(branch.at(-1) as string, 'hex'));
    await until(() => since().length >= 8);
    expect(since()).toEqual([...kept, ...branch]);
  });

  it('are found even after a restart of the node, whatever its sequence number', async () => {
    for (const numbers of ['anew', 'the next', 'far ahead']) {
      const { chain, node, url, service, since } = await relayed();
      const next = node.counts.get('hashblock') ?? 0;
      node.close();
      await until(() => service.health().degraded !== undefined);
      const mined = await chain.node.mine(4);
      const { node: reborn } = await startNode(url);
      reborn.counts.set('hashblock', numbers === 'anew' ? 0 : numbers === 'the next' ? next : next + 3);
      await until(() => service.health().degraded === undefined);
      const last = mined.at(-1) as string;
      await until(
        () => since().length >= 4,
        () => reborn.publish('hashblock', Buffer.from(last, 'hex')),
      );
      // the same block may be announced again while the connection is made
      expect([...new Set(since())], numbers).toEqual(mined);
      expect(since().slice(0, 4), numbers).toEqual(mined);
    }
  });
});

describe('without a ZMQ upstream', () => {
  it('reads nothing until somebody subscribes or watches, and nothing again afterwards', async () => {
    const chain = await startSandboxUpstream();
    open.push(() => chain.stop());
    const clock = new HandClock();
    // what the relay asks for; the client of the node looks at its state by itself, whenever it likes
    const asked: string[] = [];
    const client = nodeAt(chain.url);
    const node: NodeRpc = {
      call: (method, ...others) => {
        asked.push(method);
        return client.call(method, ...others);
      },
    };
    const service = relayTo('', 'tcp://:0', true, node, { clock });
    await service.start();
    const second = async (): Promise<void> => {
      await until(() => clock.waiting === 1);
      await clock.pass(1_000);
      await until(() => clock.waiting === 1);
    };
    for (let count = 0; count < 3; count++) await second();
    expect(asked).toEqual([]);
    const leaving = new AbortController();
    const feed = service.feed(leaving.signal);
    await until(() => asked.includes('getrawmempool'));
    leaving.abort();
    await feed.return?.();
    await second();
    const before = asked.length;
    await second();
    expect(asked).toHaveLength(before);
  });

  it('finds blocks and transactions by polling', async () => {
    const chain = await startSandboxUpstream();
    open.push(() => chain.stop());
    const service = relayTo('', 'tcp://:0', true, nodeAt(chain.url));
    const { address = '' } = await service.start();
    expect(service.counts().source).toBe('poller');
    const blocks = listen(address, 'hashblock');
    const txs = listen(address, 'hashtx');
    const raw = listen(address, 'rawtx', 'rawblock');
    const mined: string[] = [];
    const mineOne = async (): Promise<void> => {
      mined.push(...(await chain.node.mine(1)));
    };
    const heardOf = (topic: string): boolean => raw.some((message) => message.topic === topic);
    // Each of the three is subscribed once it has received something.
    await until(() => blocks.length > 0 && txs.length > 0 && heardOf('rawtx') && heardOf('rawblock'), mineOne);
    const [txsBefore, rawBefore] = [txs.length, raw.length];
    const more = 2;
    for (let n = 0; n < more; n++) await mineOne();
    await until(() => blocks.some((block) => hexOf(block) === mined.at(-1)));
    const told = blocks.map(hexOf);
    expect(mined.slice(mined.indexOf(told[0] as string))).toEqual(told);
    await until(() => txs.length >= txsBefore + more && raw.length >= rawBefore + more * 2);
    const published = service.counts().topics.find(({ topic }) => topic === 'hashblock')?.messages ?? 0;
    expect(published).toBeGreaterThanOrEqual(blocks.length);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { Publisher } from 'zeromq';
import { systemClock } from '../../clock.ts';
import { chainAnswer, mineHeaders, type ReportedChain } from '../test-support/chain-upstream.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { clientParts, endpointsOf, quiet, settingsOf, Upstream } from '../test-support/upstream.ts';
import { listen } from '../test-support/zmq-node.ts';
import { NodeClient } from '../upstream/client.ts';
import { ZmqRelayService } from '../zmq/relay.ts';
import { AnnouncedBlocks } from './announced-blocks.ts';

/** Ends a test that hangs. It is long, because a slow machine is not a failure. */
const PATIENCE_MS = 30_000;
const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

const chain = mineHeaders(12);
const foreign = mineHeaders(12, undefined, 1).map(({ hash }) => hash);
const hashAt = (height: number): string => chain[height]?.hash as string;

/** An RPC upstream with blocks up to height `reach`, a client of it, and a clock that only the test moves. */
async function upstreamAt(reach: { height: number }) {
  const reported = (): ReportedChain => ({ headers: chain.slice(0, reach.height + 1) });
  const upstream = new Upstream(chainAnswer(reported));
  upstream.tellsChain = true;
  open.push(await upstream.start());
  const node = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl: upstream.url }),
    settings: settingsOf(),
    clock: systemClock,
  });
  open.push({ stop: () => node.close() });
  const clock = new HandClock();
  /** Moves the clock once all pending lookups are answered. */
  const pass = async (ms: number, timers = 1): Promise<void> => {
    await expect.poll(() => clock.waiting, { timeout: PATIENCE_MS, interval: 5 }).toBe(timers);
    await clock.pass(ms);
  };
  return { upstream, node, clock, pass };
}

async function announced(reach: { height: number }) {
  const parts = await upstreamAt(reach);
  const { node, clock } = parts;
  const blocks = new AnnouncedBlocks({ node, address: 'tcp://node.example:28338', clock, logger: quiet });
  open.push({ stop: () => blocks.close() });
  return { ...parts, blocks };
}

const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 5 });

describe('blocks that a ZMQ upstream announces', () => {
  it('raise a doubt if no RPC upstream has one after a minute, until one is known', async () => {
    const { blocks, pass, upstream } = await announced({ height: 5 });
    blocks.add(foreign[6] as string);
    for (let n = 0; n < 5; n++) await pass(10_000);
    blocks.add(foreign[7] as string);
    await soon(() => expect(JSON.stringify(upstream.requests.at(-1)?.params)).toContain(foreign[6]));
    expect(blocks.doubt).toBeUndefined();
    await pass(10_000);
    await soon(() => expect(blocks.doubt?.message).toMatch(/tcp:\/\/node\.example:28338 .* another chain/));
    expect(blocks.doubt?.message).toContain(foreign[7]);
    blocks.add(hashAt(5));
    await soon(() => expect(blocks.doubt).toBeUndefined());
  });

  it('raise no doubt about a node that is only ahead of the RPC upstreams', async () => {
    const reach = { height: 5 };
    const { blocks, pass, clock } = await announced(reach);
    for (let height = 6; height < 11; height++) {
      blocks.add(hashAt(height));
      for (let n = 0; n < 5; n++) await pass(10_000);
      reach.height = height;
      await pass(10_000);
      await soon(() => expect(clock.waiting).toBe(0));
      expect(blocks.doubt).toBeUndefined();
    }
  });

  it('are looked up at once, a known one only once, and of many only the newest', async () => {
    const { blocks, upstream, clock, node, pass } = await announced({ height: 11 });
    await node.measure();
    const from = upstream.requests.length;
    const asked = (): unknown[] => upstream.requests.slice(from).map(({ params }) => (params as unknown[])[0]);
    blocks.add(hashAt(3));
    blocks.add(hashAt(3));
    await soon(() => expect(asked()).toEqual([hashAt(3)]));
    for (let height = 4; height <= 10; height++) blocks.add(hashAt(height));
    await pass(10_000);
    await soon(() => expect(asked()).toContain(hashAt(10)));
    expect(asked().length).toBeLessThan(4);
    await soon(() => expect(clock.waiting).toBe(0));
  });

  it('raise no doubt while the RPC upstreams are unreachable', async () => {
    const { blocks, pass, upstream } = await announced({ height: 5 });
    await upstream.stop();
    blocks.add(foreign[6] as string);
    for (let n = 0; n < 10; n++) await pass(10_000);
    expect(blocks.doubt).toBeUndefined();
  });
});

it('the relay reports a ZMQ upstream on another chain or offline, and withholds no message', async () => {
  const { upstream, node, clock, pass } = await upstreamAt({ height: 5 });
  const socket = new Publisher({ linger: 0 });
  await socket.bind('tcp://127.0.0.1:*');
  const bitcoinZmqUrl = socket.lastEndpoint as string;
  const relay = new ZmqRelayService({
    settings: settingsOf(),
    endpoints: endpointsOf({ bitcoinRpcUrl: upstream.url, bitcoinZmqUrl }),
    node,
    clock,
    credentialsAreDefault: () => true,
    logger: quiet,
  });
  open.push(relay);
  const { address = '' } = await relay.start();
  const closes: (() => unknown)[] = [];
  open.push({ stop: async () => void (await Promise.all(closes.map((close) => close()))) });
  const heard = listen(closes, address, 'hashblock');
  const hashes = (): string[] => heard.map(({ body }) => Buffer.from(body, 'latin1').toString('hex'));
  let number = 0;
  const publish = async (hash: string): Promise<void> => {
    const sequence = Buffer.alloc(4);
    sequence.writeUInt32LE(number++);
    await socket.send(['hashblock', Buffer.from(hash, 'hex'), sequence]);
  };
  await vi.waitFor(
    async () => {
      await publish(foreign[6] as string);
      expect(hashes()).toContain(foreign[6]);
    },
    { timeout: PATIENCE_MS, interval: 20 },
  );
  expect(relay.health()).toEqual({});
  // the relay also looks for lost blocks
  for (let n = 0; n < 6; n++) await pass(10_000, 2);
  await soon(() => expect(relay.health().degraded?.message).toContain('another chain'));
  expect(relay.counts().degraded).toEqual(relay.health().degraded);
  await publish(foreign[7] as string);
  await soon(() => expect(hashes()).toContain(foreign[7]));
  await publish(hashAt(5));
  await soon(() => expect(relay.health()).toEqual({}));
  socket.close();
  await soon(() => expect(relay.health().degraded?.message).toContain(`The ZMQ upstream ${bitcoinZmqUrl} is away`));
});

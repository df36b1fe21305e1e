import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Publisher, Subscriber } from 'zeromq';
import type { Network, Settings, Tip } from '../../../../contract/index.ts';
import { systemClock } from '../../../clock.ts';
import { createChainView } from '../../chain/create-chain-view.ts';
import { TipFollower } from '../../chain/tip-follower.ts';
import { chainAnswer, mineHeaders, type ReportedChain } from '../../test-support/chain-upstream.ts';
import { send, startGateway } from '../../test-support/gateway.ts';
import {
  type Answer,
  clientParts,
  endpointsOf,
  quiet,
  result,
  settingsOf,
  Upstream,
} from '../../test-support/upstream.ts';
import { countsOf } from '../../test-support/zmq-node.ts';
import { ZmqRelayService } from '../../zmq/relay.ts';
import { NodeClient } from '../client.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

const chain = mineHeaders(12);
const tip = chain.at(-1) as (typeof chain)[number];
const right = (): ReportedChain => ({ headers: chain });

/** A node whose answer to the probe waits for `release`. */
async function upstream(reported: () => ReportedChain, other: Answer = result('"asked"')) {
  const held: (() => void)[] = [];
  let holding = false;
  const told = chainAnswer(reported, other);
  const server = new Upstream((request, response, raw) => {
    const answer = (): void => told(request, response, raw);
    if (holding && request.method === 'getblockchaininfo') held.push(answer);
    else answer();
  });
  server.tellsChain = true;
  open.push(server);
  await server.start();
  return {
    server,
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      for (const answer of held.splice(0)) answer();
    },
    held,
    methods: () => server.requests.map(({ method }) => method),
  };
}

function client(bitcoinRpcUrl: string, changes: { network?: Network; settings?: Partial<Settings> } = {}) {
  const { network = 'sandbox', settings } = changes;
  const node = new NodeClient({
    ...clientParts,
    network,
    endpoints: endpointsOf({ bitcoinRpcUrl }),
    settings: settingsOf(settings),
    clock: systemClock,
  });
  open.push({ stop: () => node.close() });
  return node;
}

/** Follows the tip through a client, as the application does. */
function followerOf(node: ReturnType<typeof client>): TipFollower {
  return new TipFollower({
    chain: createChainView({ node, network: 'sandbox', settings: settingsOf(), clock: systemClock }),
    endpoints: endpointsOf({}),
    clock: systemClock,
    logger: quiet,
    onUpstreamsChanged: (listener) => node.onUpstreamsChanged(listener),
  });
}

async function until(done: () => boolean, act: () => unknown = () => {}): Promise<void> {
  const end = performance.now() + 45_000;
  while (!done()) {
    if (performance.now() > end) throw new Error('it did not happen');
    await act();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const ask = (node: NodeClient) => node.ask('{"id":1}', { wholeBytes: 100 }, ({ bytes }) => bytes.toString());
const rest = (node: NodeClient) =>
  node.rest('/chaininfo.json', { wholeBytes: 100, type: 'application/json', range: undefined, signal: undefined });

describe('an upstream', () => {
  it('gets no calls before it has reported its chain: the first callers wait and share one probe', async () => {
    const { server, hold, held, release, methods } = await upstream(right);
    hold();
    const node = client(server.url);
    const answers = [node.call('getmempoolinfo'), node.call('getmempoolinfo'), ask(node)];
    await until(() => held.length > 0);
    expect(node.post('{"id":1}', { answered: () => {}, failed: () => {} }, 100)).toBeUndefined();
    expect(methods()).toEqual(['getblockchaininfo']);
    expect(node.isOnChain()).toBe(false);
    release();
    expect(await Promise.all(answers)).toEqual(['asked', 'asked', expect.stringContaining('asked')]);
    expect(methods().filter((method) => method === 'getblockchaininfo')).toHaveLength(1);
    expect(node.health()).toMatchObject([{ height: tip.height, lastFailure: null }]);
    expect(node.isOnChain()).toBe(true);
  });

  it('on another chain gets no other calls in any way, and its tip is never reported', async () => {
    const { server, methods } = await upstream(right);
    const node = client(server.url, { network: 'main' });
    const follower = followerOf(node);
    follower.start();
    open.push(follower);
    for (const way of [() => node.call('getbestblockhash'), () => ask(node), () => rest(node)]) {
      await expect(way()).rejects.toMatchObject({ message: expect.stringContaining('another chain than "main"') });
    }
    await follower.refresh();
    expect(follower.current()).toBeNull();
    expect(new Set(methods())).toEqual(new Set(['getblockchaininfo']));
    expect(node.isOnChain()).toBe(false);
  });

  it('that does not report its chain is compared with the blocks of the network all the same', async () => {
    const genesis = chain[0]?.hash;
    const shy: Answer = (request, response, raw) => {
      const { method, id } = request;
      if (method === 'getblockhash') return result(JSON.stringify(genesis))(request, response, raw);
      response.writeHead(404).end(`{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":${id}}`);
    };
    const server = new Upstream(shy);
    server.tellsChain = true;
    open.push(await server.start());
    await expect(client(server.url, { network: 'main' }).call('getinfo')).rejects.toMatchObject({
      message: expect.stringContaining('its block 0 is'),
    });
    expect(server.requests.map(({ method }) => method)).toEqual(['getblockchaininfo', 'getblockhash']);
  });

  it('that does not answer the probe delays a call for at most bitcoinTimeout, or until the caller leaves', async () => {
    const { server, hold } = await upstream(right);
    hold();
    const node = client(server.url, { settings: { bitcoinTimeout: '300ms' } });
    await expect(node.call('getinfo')).rejects.toMatchObject({ code: 'upstream-timeout' });
    const patient = client(server.url, { settings: { bitcoinTimeout: '60s' } });
    const leaving = new AbortController();
    const left = patient.call('getinfo', [], { signal: leaving.signal });
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('that is slow to report its chain does not delay calls to another', async () => {
    const slow = await upstream(right, result('"slow"'));
    slow.hold();
    const quick = await upstream(right, result('"quick"'));
    const node = client(`${slow.server.url},${quick.server.url}`, { settings: { bitcoinTimeout: '60s' } });
    expect(await node.call('getinfo')).toBe('quick');
    expect(slow.methods()).toEqual(['getblockchaininfo']);
  });

  it('is probed again after a failure, before any other call', async () => {
    const reported = right();
    const { server, methods } = await upstream(() => reported);
    const node = client(server.url);
    expect(await node.call('getinfo')).toBe('asked');
    await server.stop();
    await expect(node.call('getinfo')).rejects.toMatchObject({ code: expect.stringMatching(/^upstream-/) });
    reported.chain = 'main';
    await server.start();
    const before = methods().length;
    await expect(node.call('getinfo')).rejects.toMatchObject({ message: expect.stringContaining('another chain') });
    expect(methods().slice(before)).toEqual(['getblockchaininfo']);
  });
});

describe('answers of an upstream that turns out to be on another chain', () => {
  it('are forgotten in the header, by the gateway and on disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'planchet-look-'));
    open.push({ stop: () => rm(folder, { recursive: true, force: true }) });
    const cacheFile = join(folder, 'cache.db');
    const reported = right();
    const { server } = await upstream(() => reported);
    const node = client(server.url);
    const tips: (Tip | null)[] = [];
    const follower = followerOf(node);
    follower.onTip((heard) => tips.push(heard));
    follower.onForgotten(() => tips.push(null));
    follower.start();
    open.push(follower);
    const gateway = await startGateway(server.url, { options: { node, cacheFile } });
    open.push(gateway);
    const count = async (): Promise<string> =>
      (await send(gateway.port, { body: '{"method":"getblockcount","id":1}' })).text;
    expect(await count()).toContain(`"result":${tip.height}`);
    gateway.service.blockAnnounced();
    await follower.refresh();
    await until(() => follower.current() !== null);
    let known: unknown = null;
    await until(
      () => known !== null,
      async () => {
        known = (await gateway.service.status()).tip;
      },
    );
    reported.chain = 'main';
    await node.measure();
    expect(follower.current()).toBeNull();
    expect(tips).toEqual([expect.objectContaining({ hash: tip.hash }), null]);
    expect(await gateway.service.status()).toMatchObject({ tip: null });
    expect(await count()).toContain('another chain');
    await gateway.service.stop();
    // nothing is restored from disk
    await server.stop();
    const again = await startGateway(server.url, { options: { cacheFile } });
    open.push(again);
    expect(await again.service.status()).toMatchObject({ tip: null });
  });

  it('are not relayed over ZMQ unless an upstream is on the chain', async () => {
    const reported: ReportedChain = { ...right(), chain: 'main' };
    const { server } = await upstream(() => reported);
    const node = client(server.url);
    const socket = new Publisher({ linger: 0 });
    await socket.bind('tcp://127.0.0.1:*');
    const relay = new ZmqRelayService({
      settings: settingsOf(),
      endpoints: endpointsOf({ bitcoinRpcUrl: server.url, bitcoinZmqUrl: socket.lastEndpoint as string }),
      node,
      clock: systemClock,
      onChain: () => node.isOnChain(),
      credentialsAreDefault: () => true,
      logger: quiet,
    });
    await relay.start();
    open.push({ stop: async () => socket.close() }, relay);
    let number = 0;
    const publish = async (): Promise<void> => {
      const sequence = Buffer.alloc(4);
      sequence.writeUInt32LE(number++);
      await socket.send(['hashtx', Buffer.alloc(32, 7), sequence]);
    };
    await node.measure();
    let heard = 0;
    const other = new Subscriber({ linger: 0 });
    other.connect(socket.lastEndpoint as string);
    other.subscribe('hashtx');
    const listening = (async () => {
      for await (const _ of other) heard += 1;
    })();
    // Another subscriber of the same publisher has them.
    await until(() => heard >= 20, publish);
    other.close();
    await listening;
    expect(countsOf(relay).hashtx.messages).toBe(0);
    expect(relay.counts().source).toBe('held');
    delete reported.chain;
    await node.measure();
    const before = number;
    await until(() => countsOf(relay).hashtx.messages > 0, publish);
    expect(countsOf(relay).hashtx.messages).toBeLessThanOrEqual(number - before);
    expect(relay.counts().source).toBe('upstream');
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { Publisher, XPublisher } from 'zeromq';
import type { Tip } from '../../../contract/index.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { endpointsOf, quiet } from '../test-support/upstream.ts';
import type { ChainTip } from './chain-view.ts';
import { TipFollower, type TipFollowerOptions } from './tip-follower.ts';

const hashOf = (height: number, branch = '00'): string => branch + height.toString(16).padStart(62, '0');

/** A chain whose tip is moved by the test. */
class Chain {
  tip = hashOf(1);
  away = false;
  calls = 0;
  probes = 0;

  async refresh(): Promise<ChainTip> {
    this.calls += 1;
    if (this.away) throw new Error('away');
    return { hash: this.tip, height: Number.parseInt(this.tip.slice(2), 16) };
  }

  probed(): void {
    this.probes += 1;
  }

  async timeOf({ height }: ChainTip): Promise<number> {
    return (1_700_000_000 + height) * 1_000;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

function follow(
  chain: Chain,
  clock: HandClock,
  bitcoinZmqUrl: () => string = () => '',
  more: Partial<TipFollowerOptions> = {},
) {
  const endpoints = () => endpointsOf({ bitcoinZmqUrl: bitcoinZmqUrl() })();
  const follower = new TipFollower({ chain, endpoints, clock, logger: quiet, ...more });
  const seen: Tip[] = [];
  follower.onTip((tip) => seen.push(tip));
  open.push(follower);
  follower.start();
  return { follower, seen };
}

async function publisher(address = 'tcp://127.0.0.1:*'): Promise<Publisher> {
  const socket = new Publisher({ linger: 0 });
  for (;;) {
    try {
      await socket.bind(address);
      return socket;
    } catch (error) {
      // A thread of libzmq frees the port of a closed socket some time later.
      if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

async function until(done: () => boolean, act: () => unknown = () => {}): Promise<void> {
  const end = performance.now() + 45_000;
  while (!done()) {
    if (performance.now() > end) throw new Error('it did not happen');
    await act();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('the tip follower that polls', () => {
  it('reports each new tip once, with its time in milliseconds, and polls every five seconds', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    const { follower, seen } = follow(chain, clock);
    expect(follower.current()).toBeNull();
    await settle();
    expect(seen).toEqual([{ hash: hashOf(1), height: 1, time: 1_700_000_001_000 }]);
    await clock.pass(5_000);
    chain.tip = hashOf(2);
    await clock.pass(4_999);
    expect(seen).toHaveLength(1);
    await clock.pass(1);
    await clock.pass(5_000);
    expect(seen.map(({ height }) => height)).toEqual([1, 2]);
    expect(follower.current()).toEqual(seen[1]);
  });

  it('asks only for a best block that a probe found and that is not the tip, and by itself where no probe comes', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    let probed: (best: readonly string[]) => void = () => undefined;
    const onProbed = (listener: typeof probed) => {
      probed = listener;
      return () => undefined;
    };
    const { seen } = follow(chain, clock, undefined, { onProbed });
    // The first probe comes while the first question is open.
    probed([chain.tip]);
    await settle();
    const asked = chain.calls;
    for (let probe = 0; probe < 20; probe++) {
      await clock.pass(5_000);
      probed([chain.tip]);
      await settle();
    }
    expect(chain.calls).toBe(asked);
    expect(chain.probes).toBe(20);
    chain.tip = hashOf(2);
    probed([hashOf(1), chain.tip]);
    await settle();
    expect(seen.map(({ height }) => height)).toEqual([1, 2]);
    // A probe that nobody answered says nothing.
    probed([]);
    await clock.pass(9_999);
    expect(chain.calls).toBe(asked + 1);
    chain.tip = hashOf(3);
    await clock.pass(1);
    expect(seen.map(({ height }) => height)).toEqual([1, 2, 3]);
    await clock.pass(5_000);
    expect(chain.calls).toBe(asked + 3);
  });

  it('reports a tip of the same height on another branch', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    const { seen } = follow(chain, clock);
    await settle();
    chain.tip = hashOf(1, 'ff');
    await clock.pass(5_000);
    expect(seen.map(({ hash }) => hash)).toEqual([hashOf(1), hashOf(1, 'ff')]);
  });

  it('keeps the last tip while the node is unreachable, and continues when it is back', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    const { follower, seen } = follow(chain, clock);
    await settle();
    chain.away = true;
    for (let i = 0; i < 5; i++) await clock.pass(5_000);
    expect(follower.current()?.height).toBe(1);
    chain.away = false;
    chain.tip = hashOf(7);
    await clock.pass(5_000);
    expect(seen.map(({ height }) => height)).toEqual([1, 7]);
  });

  it('survives a listener that throws, and stops calling removed listeners', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    const { follower } = follow(chain, clock);
    follower.onTip(() => {
      throw new Error('mine');
    });
    const heard: Tip[] = [];
    const leave = follower.onTip((tip) => heard.push(tip));
    await settle();
    leave();
    chain.tip = hashOf(2);
    await clock.pass(5_000);
    expect(heard).toHaveLength(1);
    expect(follower.current()?.height).toBe(2);
  });

  it('sends no calls once stopped, and can be started again', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    const { follower, seen } = follow(chain, clock);
    await settle();
    await follower.stop();
    expect(clock.waiting).toBe(0);
    const { calls } = chain;
    await follower.refresh();
    expect(chain.calls).toBe(calls);
    chain.tip = hashOf(3);
    follower.start();
    await settle();
    expect(seen.map(({ height }) => height)).toEqual([1, 3]);
  });
});

describe('the tip follower that hears ZMQ', () => {
  it('reports a new tip before the next poll, even after the node’s ZMQ was restarted', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    let node = await publisher();
    const url = node.lastEndpoint as string;
    const { seen } = follow(chain, clock, () => url);
    await settle();
    chain.tip = hashOf(2);
    const announce = () => node.send(['hashblock', Buffer.alloc(32), Buffer.alloc(4)]);
    await until(() => seen.length === 2, announce);
    node.close();
    node = await publisher(url);
    chain.tip = hashOf(3);
    await until(() => seen.length === 3, announce);
    expect(clock.time).toBe(0);
    node.close();
  });

  it('ignores messages of other topics', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    const node = new XPublisher({ linger: 0 });
    await node.bind('tcp://127.0.0.1:*');
    const { follower } = follow(chain, clock, () => node.lastEndpoint as string);
    let announced = 0;
    follower.onAnnouncement(() => {
      announced += 1;
    });
    // The subscription.
    await node.receive();
    // hashblock2 starts with hashblock, so it arrives too, but must be ignored. Messages arrive in order.
    for (const topic of ['hashblock2', 'hashblock2', 'hashblock']) {
      await node.send([topic, Buffer.alloc(32), Buffer.alloc(4)]);
    }
    await until(() => announced > 0);
    expect(announced).toBe(1);
    node.close();
  });

  it('connects to a changed address, and only polls if the address cannot be used', async () => {
    const chain = new Chain();
    const clock = new HandClock();
    let url = 'tcp://not a host:1';
    const { seen } = follow(chain, clock, () => url);
    await settle();
    expect(seen).toHaveLength(1);
    const node = await publisher();
    url = node.lastEndpoint as string;
    await clock.pass(5_000);
    chain.tip = hashOf(2);
    await until(
      () => seen.length === 2,
      () => node.send(['hashblock', Buffer.alloc(32), Buffer.alloc(4)]),
    );
    node.close();
  });
});

it('the node is asked again for a refresh at any microtask around the end of an answer', async () => {
  const chain = new Chain();
  const { follower } = follow(chain, new HandClock());
  const lost: number[] = [];
  for (let offset = 0; offset < 30; offset += 1) {
    await settle();
    void follower.refresh();
    for (let step = 0; step < offset; step += 1) await undefined;
    const before = chain.calls;
    void follower.refresh();
    await settle();
    if (chain.calls === before) lost.push(offset);
  }
  expect(lost).toEqual([]);
});

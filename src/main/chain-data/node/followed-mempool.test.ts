import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { satoshis, txidOf } from '../../../chain/index.ts';
import type { NodeRpc } from '../../ports/node.ts';
import {
  lockingScriptOf,
  openTestNode,
  otherKey,
  type TestNode,
  walletKey,
} from '../../sandbox/node/test-support/open-node.ts';
import { callNode } from '../../sandbox/node/test-support/rpc-world.ts';
import { accepted, coinOf, outputCoin, spend } from '../../sandbox/node/test-support/spend.ts';
import { ZmqPublisher } from '../../sandbox/node/zmq/publisher.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { Publisher } from '../../zmtp/index.ts';
import { told } from '../answers.ts';
import { FollowedMempool } from './followed-mempool.ts';
import { createNodeChainData } from './node-chain-data.ts';

const other = lockingScriptOf(otherKey);

let opened: TestNode;
let publisher: ZmqPublisher | undefined;
let address: string;
let clock: StillClock;
let mempool: FollowedMempool;
/** Commands that were asked of the node. */
let asked: string[];
/** Ids in the order in which they were announced. */
let heard: string[];
let stop: () => void;
const tips = new Set<() => void>();

const rpc: NodeRpc = {
  async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    asked.push(method);
    return callNode(opened.node, method, params);
  },
};

beforeEach(async () => {
  opened = await openTestNode();
  publisher = await ZmqPublisher.open({ node: opened.node, address: 'tcp://127.0.0.1:0' });
  ({ address } = publisher);
  clock = new StillClock(0);
  asked = [];
  heard = [];
  open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  stop();
  await publisher?.close();
  await opened.remove();
});

function open(more: { mostIds?: number } = {}): void {
  mempool = new FollowedMempool({
    address: () => address,
    onTip: (listener) => {
      tips.add(listener);
      return () => tips.delete(listener);
    },
    clock,
    logger: pino({ level: 'silent' }),
    ...more,
  });
  stop = mempool.onTransaction((txid, raw) => {
    expect(txidOf(raw)).toBe(txid);
    heard.push(txid);
  });
}

const listed = async (most?: number) => (await createNodeChainData(rpc, undefined, mempool).mempool(most)).value;
const pay = () => opened.node.fund(other, satoshis(1_000));
const subscribed = () => expect.poll(() => publisher?.isWanted('rawtx'), { interval: 5 }).toBe(true);
/** Waits for an announcement. */
const hears = (txid: string) => expect.poll(() => heard, { interval: 5 }).toContain(txid);

/** Follows the mempool with one transaction in it. */
async function follow(): Promise<string> {
  await subscribed();
  await listed();
  const txid = await pay();
  await hears(txid);
  expect(mempool.isFollowed).toBe(false);
  expect(await listed()).toEqual([txid]);
  expect(mempool.isFollowed).toBe(true);
  asked = [];
  return txid;
}

describe('a mempool that is followed', () => {
  it('is known from what the node announces, without asking it', async () => {
    const first = await follow();
    const coin = await coinOf(opened.node, walletKey);
    const parent = spend([coin], walletKey, [{ satoshis: coin.satoshis - 1_000, script: other }]);
    const parentId = await accepted(opened.node, parent);
    const child = spend([outputCoin(parent, parentId, 0)], otherKey, [
      { satoshis: coin.satoshis - 2_000, script: other },
    ]);
    const childId = await accepted(opened.node, child);
    await hears(childId);
    expect(await listed()).toEqual([first, parentId, childId]);
    expect(await listed(3)).toHaveLength(3);
    expect(asked).toEqual([]);
    expect(await listed(2)).toBeUndefined();
    expect(asked).toEqual(['getmempoolinfo']);
  });

  it('has what waited before it was followed', async () => {
    const waiting = await pay();
    await subscribed();
    await listed();
    const last = await pay();
    await hears(last);
    await listed();
    asked = [];
    expect(await listed()).toEqual([waiting, last]);
    expect(asked).toEqual([]);
  });

  it('is listed once after a block that empties it', async () => {
    await follow();
    const [hash = ''] = await opened.node.mine(1);
    expect(hash).toHaveLength(64);
    await expect.poll(() => mempool.isFollowed, { interval: 5 }).toBe(false);
    expect(await listed()).toEqual([]);
    expect(await listed()).toEqual([]);
    expect(asked).toEqual(['getrawmempool']);
  });

  it('is listed once after a reorganisation that refills it', async () => {
    const txid = await follow();
    await opened.node.mine(1);
    await expect.poll(() => mempool.isFollowed, { interval: 5 }).toBe(false);
    expect(await listed()).toEqual([]);
    expect(mempool.isFollowed).toBe(true);
    const before = heard.length;
    await opened.node.reorg(1);
    await expect.poll(() => heard.slice(before), { interval: 5 }).toContain(txid);
    await expect.poll(() => mempool.isFollowed, { interval: 5 }).toBe(false);
    asked = [];
    expect(await listed()).toEqual([txid]);
    expect(await listed()).toEqual([txid]);
    expect(asked).toEqual(['getrawmempool']);
  });

  it('is listed once where a message was lost, as the number of the next one shows', async () => {
    const first = await follow();
    const lost = vi.spyOn(Publisher.prototype, 'publish').mockImplementation(() => undefined);
    const missed = await pay();
    lost.mockRestore();
    const next = await pay();
    await hears(next);
    expect(heard).not.toContain(missed);
    expect(await listed()).toEqual([first, missed, next]);
    expect(await listed()).toEqual([first, missed, next]);
    expect(asked).toEqual(['getrawmempool']);
    expect(mempool.isFollowed).toBe(true);
  });

  it('is listed after the connection was lost, and followed again once it is back', async () => {
    const first = await follow();
    await publisher?.close();
    await expect.poll(() => mempool.isFollowed, { interval: 5 }).toBe(false);
    const away = await pay();
    expect(await listed()).toEqual([first, away]);
    expect(await listed()).toEqual([first, away]);
    expect(asked).toEqual(['getrawmempool', 'getrawmempool']);
    publisher = await ZmqPublisher.open({ node: opened.node, address });
    await subscribed();
    const isFollowed = async () => {
      await listed();
      return mempool.isFollowed;
    };
    await expect.poll(isFollowed, { interval: 5 }).toBe(true);
    asked = [];
    expect(await listed()).toEqual([first, away]);
    expect(asked).toEqual([]);
  });

  it('has what is announced while it is listed', async () => {
    await follow();
    await opened.node.mine(1);
    await expect.poll(() => mempool.isFollowed, { interval: 5 }).toBe(false);
    let meanwhile = '';
    const call: NodeRpc['call'] = async (method, params) => {
      const answer = await rpc.call(method, params);
      meanwhile = await pay();
      await hears(meanwhile);
      return answer as never;
    };
    await createNodeChainData({ call }, undefined, mempool).mempool();
    asked = [];
    expect(await listed()).toEqual([meanwhile]);
    expect(asked).toEqual([]);
  });

  it('is not listed anew for an older list that comes after a newer one', async () => {
    const first = await follow();
    const coin = await coinOf(opened.node, walletKey);
    const raw = spend([coin], walletKey, [{ satoshis: coin.satoshis - 1_000, script: other }]);
    // listed before it is announced
    const both = told([first, txidOf(raw)]);
    for (const tip of tips) tip();
    const late = Promise.withResolvers<typeof both>();
    const older = mempool.list(() => late.promise);
    clock.advance(1);
    await mempool.list(async () => both);
    late.resolve(both);
    await older;
    await hears(await accepted(opened.node, raw));
    expect(mempool.isFollowed).toBe(true);
  });

  it('is listed after a transaction that is too long to be read from its announcement', async () => {
    await follow();
    const coin = await coinOf(opened.node, walletKey);
    const data = new Uint8Array(1_000_100).fill(1);
    data.set([0x00, 0x6a, 0x4e, ...new Uint8Array(Uint32Array.of(data.length - 7).buffer)]);
    const change = { satoshis: satoshis(coin.satoshis - 1_000_000), script: other };
    const long = await accepted(
      opened.node,
      spend([coin], walletKey, [change, { satoshis: satoshis(0), script: data }]),
    );
    await expect.poll(() => mempool.isFollowed, { interval: 5 }).toBe(false);
    expect(heard).not.toContain(long);
    expect(await listed()).toContain(long);
    expect(mempool.isFollowed).toBe(true);
  });

  it('is listed again after ten minutes without a block, since nothing tells what a node discards', async () => {
    await follow();
    clock.advance(599_999);
    await listed();
    expect(asked).toEqual([]);
    clock.advance(1);
    await listed();
    expect(asked).toEqual(['getrawmempool']);
  });

  it('is listed again where the clock was put back, and followed on', async () => {
    await follow();
    clock.advance(-3_600_000);
    await listed();
    await listed();
    expect(asked).toEqual(['getrawmempool']);
  });

  it('is listed each time while more waits than is held', async () => {
    stop();
    open({ mostIds: 1 });
    const first = await follow();
    const second = await pay();
    await hears(second);
    expect(mempool.isFollowed).toBe(false);
    expect(await listed()).toEqual([first, second]);
    expect(mempool.isFollowed).toBe(true);
  });

  it('hears of blocks from the tip where the node announces none at that address', async () => {
    await follow();
    for (const tip of tips) tip();
    expect(mempool.isFollowed).toBe(false);
    await listed();
    await opened.node.mine(1);
    await expect.poll(() => mempool.isFollowed, { interval: 5 }).toBe(false);
    await listed();
    // the announcement is enough
    for (const tip of tips) tip();
    expect(mempool.isFollowed).toBe(true);
  });
});

describe('a node that does not announce all that it has', () => {
  /** The node has it, and does not say so. */
  async function silently(): Promise<string> {
    const number = vi.spyOn(publisher as ZmqPublisher, 'isWanted').mockReturnValue(false);
    const txid = await pay();
    number.mockRestore();
    return txid;
  }

  it('is listed each time while it announces nothing', async () => {
    await subscribed();
    const txid = await silently();
    for (let n = 0; n < 3; n++) {
      expect(await listed()).toEqual([txid]);
      clock.advance(10_000);
    }
    expect(asked).toEqual(['getrawmempool', 'getrawmempool', 'getrawmempool']);
  });

  it('is listed for an hour once a list has what was not announced for a while', async () => {
    const { node } = opened;
    const first = await follow();
    // the list of another node: the announcements are complete by their numbers, and lack what it has
    const elsewhere = 'ab'.repeat(32);
    const call: NodeRpc['call'] = async (method, params) => {
      const ids = await rpc.call<string[]>(method, params);
      return [...ids, elsewhere] as never;
    };
    const lists = async () => (await createNodeChainData({ call }, undefined, mempool).mempool()).value;
    clock.advance(600_000);
    expect(await lists()).toEqual([first, elsewhere]);
    expect(mempool.isFollowed).toBe(false);
    clock.advance(4_999);
    await lists();
    clock.advance(5_000);
    await lists();
    expect(mempool.isFollowed).toBe(false);
    const next = await node.fund(other, satoshis(2_000));
    await hears(next);
    for (let n = 0; n < 3; n++) expect(await lists()).toContain(elsewhere);
    expect(asked.filter((method) => method === 'getrawmempool')).toHaveLength(6);
    clock.advance(3_600_000);
    await lists();
    expect(mempool.isFollowed).toBe(true);
  });

  it('is doubted no longer where the clock was put back', async () => {
    await follow();
    const elsewhere = async () => told([...(await rpc.call<string[]>('getrawmempool')), 'ab'.repeat(32)]);
    clock.advance(600_000);
    await mempool.list(elsewhere);
    clock.advance(5_000);
    await mempool.list(elsewhere);
    clock.advance(-3_600_000);
    await listed();
    expect(mempool.isFollowed).toBe(true);
  });

  it('is listed each time where the list is that of another node, which has nothing of what is announced', async () => {
    await subscribed();
    await listed();
    await hears(await pay());
    await mempool.list(async () => ({ value: [], basis: 'node' }) as never);
    expect(mempool.isFollowed).toBe(false);
  });

  it('is trusted where a lost message explains what was not announced', async () => {
    await follow();
    vi.spyOn(Publisher.prototype, 'publish').mockImplementation(() => undefined);
    const missed = await pay();
    clock.advance(600_000);
    expect(await listed()).toContain(missed);
    expect(mempool.isFollowed).toBe(false);
    vi.restoreAllMocks();
    await hears(await pay());
    clock.advance(5_000);
    await listed();
    expect(mempool.isFollowed).toBe(true);
  });

  it('is trusted where the announcement comes after the list', async () => {
    await follow();
    const held: Parameters<Publisher['publish']>[] = [];
    const publish = vi.spyOn(Publisher.prototype, 'publish').mockImplementation((...args) => void held.push(args));
    const late = await pay();
    clock.advance(600_000);
    expect(await listed()).toContain(late);
    expect(mempool.isFollowed).toBe(false);
    clock.advance(4_999);
    await listed();
    const real = publish.mock.contexts[0] as Publisher;
    publish.mockRestore();
    for (const args of held) real.publish(...args);
    await hears(late);
    expect(mempool.isFollowed).toBe(true);
  });
});

it("a node's ZMQ is not listened to while nobody wants to know, and no longer at an address that was given up", async () => {
  await follow();
  const stopOther = mempool.onTransaction(() => undefined);
  stop();
  await listed();
  expect(mempool.isFollowed).toBe(true);
  stopOther();
  await expect.poll(() => publisher?.isWanted('rawtx'), { interval: 5 }).toBe(false);
  await listed();
  await listed();
  expect(asked).toEqual(['getrawmempool', 'getrawmempool']);
  expect(tips.size).toBe(0);
  stop = mempool.onTransaction(() => undefined);
  await subscribed();
  address = '';
  await listed();
  await expect.poll(() => publisher?.isWanted('rawtx'), { interval: 5 }).toBe(false);
  address = 'no address';
  await listed();
  expect(mempool.isFollowed).toBe(false);
});

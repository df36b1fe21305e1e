import { afterEach, describe, expect, it } from 'vitest';
import { fromHex, headerHash, serializeTx, toHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { lockingScriptOf, otherKey, walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { accepted, coinOf, outputCoin, spend } from '../../sandbox/node/test-support/spend.ts';
import { type MinedHeader, mineHeaders } from '../test-support/chain-upstream.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { clientParts, endpointsOf, quiet, settingsOf } from '../test-support/upstream.ts';
import { NodeClient } from '../upstream/client.ts';
import { ChainPoller } from './chain-poller.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

const broken = new PlanchetError({ code: 'upstream-unreachable', message: 'The connection broke.' });

/** A poller of a real chain whose calls fail where `breaksAt` says so. */
async function polled(
  breaksAt: (method: string, calls: number) => boolean,
  failure = broken,
  wanted = new Set(['hashblock', 'rawblock', 'hashtx', 'rawtx']),
) {
  const upstream = await startSandboxUpstream();
  open.push(upstream);
  await upstream.node.mine(2);
  const client = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl: upstream.url }),
    settings: settingsOf(),
    clock: systemClock,
  });
  open.push({ stop: () => client.close() });
  const calls = new Map<string, number>();
  const node: NodeRpc = {
    call: (method, params, options) => {
      const count = (calls.get(method) ?? 0) + 1;
      calls.set(method, count);
      if (breaksAt(method, count)) throw failure;
      return client.call(method, params, options);
    },
  };
  const clock = new HandClock();
  const told: { topic: string; hex: string }[] = [];
  const publish = (topic: string, body: Buffer): void => void told.push({ topic, hex: body.toString('hex') });
  const isWanted = (topic: string): boolean => wanted.has(topic);
  const poller = new ChainPoller({ node, clock, logger: quiet, publish, isWanted });
  open.push(poller);
  poller.start();
  const round = async (): Promise<void> => {
    await expect.poll(() => clock.waiting, { timeout: 30_000, interval: 5 }).toBe(1);
    await clock.pass(1_000);
    await expect.poll(() => clock.waiting, { timeout: 30_000, interval: 5 }).toBe(1);
  };
  const of = (topic: string): string[] => told.filter((one) => one.topic === topic).map(({ hex }) => hex);
  await expect.poll(() => clock.waiting, { timeout: 30_000, interval: 5 }).toBe(1);
  return { node: upstream.node, round, of, calls, poller, told, wanted, clock };
}

describe('what nobody waits for', () => {
  const never = (): boolean => false;
  const patience = { timeout: 30_000, interval: 5 };

  it('is not read: nothing without a subscriber, and nothing of that time is published to a later one', async () => {
    const { node, round, calls, told, wanted, poller, clock } = await polled(never, broken, new Set());
    await node.mine(1);
    for (let count = 0; count < 3; count++) await round();
    expect([...calls]).toEqual([]);
    wanted.add('hashblock');
    poller.wake();
    await expect.poll(() => [calls.get('getbestblockhash'), clock.waiting], patience).toEqual([1, 1]);
    // Woken again, it has what it compares with.
    poller.wake();
    const [hash] = await node.mine(1);
    await round();
    await expect.poll(() => told, patience).toEqual([{ topic: 'hashblock', hex: hash }]);
    const asked = calls.get('getbestblockhash');
    wanted.clear();
    await node.mine(1);
    await round();
    wanted.add('hashblock');
    await round();
    expect(told).toHaveLength(1);
    expect(calls.get('getbestblockhash')).toBe((asked as number) + 1);
  });

  it('is not read beside what somebody waits for', async () => {
    const { node, round, calls, told, wanted } = await polled(never, broken, new Set(['hashblock']));
    const pay = async (): Promise<string> => {
      const coin = await coinOf(node, walletKey);
      return accepted(node, spend([coin], walletKey, [{ satoshis: 500, script: lockingScriptOf(otherKey) }]));
    };
    await node.mine(1);
    await round();
    await expect.poll(() => told.map(({ topic }) => topic), patience).toEqual(['hashblock']);
    for (const method of ['getblock', 'getrawmempool', 'getrawtransaction']) expect(calls.has(method)).toBe(false);
    // The ids of transactions need neither their bytes nor those of blocks.
    wanted.clear();
    wanted.add('hashtx');
    await round();
    const txid = await pay();
    await round();
    await expect.poll(() => told.at(-1), patience).toEqual({ topic: 'hashtx', hex: txid });
    expect(calls.has('getrawtransaction')).toBe(false);
    await node.mine(1);
    await round();
    await expect.poll(() => told.at(-1)?.topic, patience).toBe('hashblock');
    expect(told.filter(({ hex }) => hex === txid)).toHaveLength(2);
    expect(told.map(({ topic }) => topic)).not.toContain('rawblock');
    expect(told.map(({ topic }) => topic)).not.toContain('rawtx');
  });
});

describe('a poller whose connection breaks', () => {
  it('publishes each of several new blocks once and in order', async () => {
    const { node, round, of } = await polled((method, count) => method === 'getblock' && count === 3);
    const mined = await node.mine(5);
    await round();
    await expect.poll(() => of('hashblock')).toEqual(mined.slice(0, 2));
    await round();
    await expect.poll(() => of('rawblock')).toHaveLength(5);
    expect(of('rawblock').map((raw) => headerHash(fromHex(raw.slice(0, 160))))).toEqual(mined);
    expect(of('hashblock')).toEqual(mined);
    await round();
    expect(of('hashblock')).toEqual(mined);
    expect(of('rawblock')).toHaveLength(5);
  });

  it('publishes the transaction that failed in the next round, and the others once', async () => {
    const { node, round, of } = await polled((method, count) => method === 'getrawtransaction' && count === 2);
    const coin = await coinOf(node, walletKey);
    const half = { satoshis: Math.floor(coin.satoshis / 2) - 500, script: lockingScriptOf(otherKey) };
    const parent = spend([coin], walletKey, [half, half]);
    const txids = [await accepted(node, parent)];
    for (const vout of [0, 1]) {
      const child = outputCoin(parent, txids[0] as string, vout);
      const payment = { satoshis: child.satoshis - 500, script: lockingScriptOf(walletKey) };
      txids.push(await accepted(node, spend([child], otherKey, [payment])));
    }
    await round();
    expect(of('hashtx')).toHaveLength(1);
    await round();
    await round();
    expect(of('hashtx').toSorted()).toEqual(txids.toSorted());
    expect(of('rawtx')).toHaveLength(3);
  });
});

it('a block too large to fetch in one call is published by its hash alone, later blocks as usual', async () => {
  const tooLong = new PlanchetError({
    code: 'upstream-error',
    message: 'It sent more than 256 MB.',
    detail: { longest: 1 },
  });
  const { node, round, of } = await polled((method, count) => method === 'getblock' && count === 2, tooLong);
  const mined = await node.mine(3);
  await round();
  await expect.poll(() => of('rawblock')).toHaveLength(2);
  expect(of('hashblock')).toEqual(mined);
});

describe('a block that takes long to fetch', () => {
  const coinbase = { inputs: [], outputs: [], version: 1, lockTime: 0 };
  const mempoolTx = toHex(serializeTx({ ...coinbase, lockTime: 1 }));

  /** A node with two new blocks. The test answers when the first of them is asked for. */
  async function slowBlock() {
    const headers = mineHeaders(3);
    const [, slow, next] = headers as [MinedHeader, MinedHeader, MinedHeader];
    const rawOf = ({ raw }: MinedHeader): string => `${raw}01${toHex(serializeTx(coinbase))}`;
    let tip = 0;
    let mempool: string[] = [];
    const asked: PromiseWithResolvers<string>[] = [];
    const answers: Record<string, (given: unknown) => unknown> = {
      getbestblockhash: () => headers[tip]?.hash,
      getblockhash: (height) => headers[height as number]?.hash,
      getblockheader: (hash) => {
        const { height, previousHash } = headers.find((header) => header.hash === hash) as MinedHeader;
        return { height, previousblockhash: previousHash };
      },
      getrawmempool: () => mempool,
      getrawtransaction: () => mempoolTx,
      getblock: (hash) => {
        if (hash !== slow.hash) return rawOf(next);
        asked.push(Promise.withResolvers());
        return asked.at(-1)?.promise;
      },
    };
    const node: NodeRpc = {
      call: async <T>(method: string, [given]: readonly unknown[] = []) => (await answers[method]?.(given)) as T,
    };
    const clock = new HandClock();
    const published: string[] = [];
    const publish = (topic: string, body: Buffer): void => void published.push(`${topic} ${body.toString('hex')}`);
    const poller = new ChainPoller({ node, clock, logger: quiet, publish, isWanted: () => true });
    open.push({
      stop: async () => {
        for (const { resolve } of asked) resolve(rawOf(slow));
        await poller.stop();
      },
    });
    poller.start();
    const round = async (): Promise<void> => {
      // what the test answered is dealt with before the next poll
      await clock.pass(0);
      await expect.poll(() => clock.waiting).toBe(1);
      await clock.pass(1_000);
      await expect.poll(() => clock.waiting).toBe(1);
    };
    await expect.poll(() => clock.waiting).toBe(1);
    const hashed = [slow, next].map(({ hash }) => `hashblock ${hash}`);
    const raw = [slow, next].map((header) => `rawblock ${rawOf(header)}`);
    const of = (topic: string): string[] => published.filter((message) => message.startsWith(topic));
    return {
      asked,
      round,
      of,
      hashed,
      raw,
      slowRaw: rawOf(slow),
      move: (to: number) => {
        tip = to;
      },
      setMempool: (txids: string[]) => {
        mempool = txids;
      },
    };
  }

  it('is published by its hash, and polling goes on until it is there', async () => {
    const { asked, round, of, hashed, raw, slowRaw, move, setMempool } = await slowBlock();
    move(1);
    await round();
    expect(asked).toHaveLength(1);
    setMempool(['ee'.repeat(32)]);
    await round();
    expect(of('hashblock')).toEqual(hashed.slice(0, 1));
    expect(of('rawtx')).toEqual([`rawtx ${mempoolTx}`]);
    move(2);
    await round();
    await round();
    expect(of('hashblock')).toEqual(hashed);
    expect(of('rawblock')).toEqual([]);
    expect(asked).toHaveLength(1);
    asked[0]?.resolve(slowRaw);
    await expect.poll(() => of('rawblock')).toEqual(raw);
    expect(of('hashblock')).toEqual(hashed);
  });

  it('no longer keeps back the blocks after it when it could not be fetched five times', async () => {
    const { asked, round, of, hashed, raw, move } = await slowBlock();
    move(2);
    for (let count = 1; count <= 5; count++) {
      await round();
      await expect.poll(() => asked).toHaveLength(count);
      asked.at(-1)?.reject(new PlanchetError({ code: 'upstream-timeout', message: 'The upstream is late.' }));
    }
    await expect.poll(() => of('rawblock')).toEqual(raw.slice(1));
    expect(of('hashblock')).toEqual(hashed);
    await round();
    expect(asked).toHaveLength(5);
  });
});

it('a node that is behind and lacks the newest block makes no older one new', async () => {
  const hashOf = (height: number): string => height.toString(16).padStart(64, '0');
  let best = 5;
  const answers: Record<string, (given: unknown) => unknown> = {
    getbestblockhash: () => hashOf(best),
    getrawmempool: () => [],
    getblockhash: (height) => {
      if ((height as number) > best) throw new NodeRpcError(-8, 'Block height out of range');
      return hashOf(height as number);
    },
    getblockheader: (hash) => {
      const height = Number.parseInt(hash as string, 16);
      if (height > best) throw new NodeRpcError(-5, 'Block not found');
      return { height, previousblockhash: hashOf(height - 1) };
    },
    getblock: () => {
      throw new PlanchetError({ code: 'upstream-error', message: 'It is too large.', detail: { longest: 1 } });
    },
  };
  const node: NodeRpc = {
    call: async <T>(method: string, [given]: readonly unknown[] = []) => answers[method]?.(given) as T,
  };
  const clock = new HandClock();
  const told: string[] = [];
  const poller = new ChainPoller({
    node,
    clock,
    logger: quiet,
    publish: (_, body) => void told.push(body.toString('hex')),
    isWanted: () => true,
  });
  open.push(poller);
  poller.start();
  for (const height of [6, 5, 6, 7]) {
    await expect.poll(() => clock.waiting).toBe(1);
    best = height;
    await clock.pass(1_000);
    await expect.poll(() => clock.waiting).toBe(1);
  }
  expect(told).toEqual([hashOf(6), hashOf(7)]);
});

import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HEADER_BYTES, headerHash, parseHeader } from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';
import type { HeadersChange } from '../../ports/headers.ts';
import { createNodeHeaders } from '../node/node-headers.ts';
import { FakeNode, regtest, TIME } from '../test-support/header-node.ts';
import { type ChainRules, rulesOf } from './chain-rules.ts';
import { type HeaderView, requiredBits } from './difficulty.ts';
import { HeaderStore } from './header-store.ts';

let dataDir: string;
let node: FakeNode;
let store: HeaderStore;
let onTip: (() => void) | undefined;
/** What the clock was asked to run later. */
let later: (() => void) | undefined;
const after = (_: number, run: () => void): (() => void) => {
  later = run;
  return () => {
    later = undefined;
  };
};
const changes: [number, number][] = [];

function open(options: { network?: Network; rest?: boolean; batches?: boolean; rules?: ChainRules } = {}): HeaderStore {
  const { network = 'sandbox', rest = true, batches = false, rules } = options;
  const opened = new HeaderStore({
    network,
    dataDir,
    ...(rules && { rules }),
    sources: (signal) => [
      createNodeHeaders(
        {
          node: { call: (method, params) => node.call(method, params) },
          ...(batches && { callAll: node.callAll }),
          ...(rest && { readRest: (path: string) => node.readRest(path) }),
        },
        signal,
      ),
    ],
    tip: {
      onTip: (listener) => {
        onTip = listener;
        return () => {
          onTip = undefined;
        };
      },
    },
    clock: { now: () => (TIME + 1e9) * 1_000, after },
    logger: pino({ enabled: false }),
  });
  opened.onChange(({ fork, tip }: HeadersChange) => changes.push([fork, tip.height]));
  return opened;
}

/** Whether the store holds exactly the node's chain. */
function expectSame(): void {
  expect(store.tip).toMatchObject({ height: node.height, hash: node.hashes.at(-1) });
  for (const [height, hash] of node.hashes.entries()) {
    const header = node.headers[height] as Uint8Array;
    expect(store.at(height)).toStrictEqual({ hash, height, header });
    expect(store.header(hash)).toStrictEqual({ hash, height, header });
  }
  expect(store.at(node.height + 1)).toBeUndefined();
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-headers-'));
  node = new FakeNode();
  store = open();
  changes.length = 0;
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the stored headers', () => {
  it('are read up to the node’s tip, over REST or RPC, and followed', async () => {
    node.mine(40);
    store.start();
    await store.refresh();
    expectSame();
    expect(node.calls.filter((call) => call === 'rest').length).toBe(1);
    expect(store.status()).toMatchObject({ chain: 'regtest', tip: { height: 40 }, target: null, failure: null });
    node.mine(2);
    onTip?.();
    await store.refresh();
    expectSame();
    expect(changes).toEqual([
      [0, 40],
      [40, 42],
    ]);
    await store.close();
    rmSync(join(dataDir, 'headers-regtest.dat'));
    store = open({ rest: false });
    node.mine(700);
    await store.refresh();
    expectSame();
  });

  it('are read in batches from a node without REST paths, or one by one where it takes none', async () => {
    for (const refusesBatches of [false, true]) {
      await store.close();
      rmSync(join(dataDir, 'headers-regtest.dat'), { force: true });
      store = open({ rest: false, batches: true });
      node.mine(600).refusesBatches = refusesBatches;
      node.calls.length = 0;
      await store.refresh();
      expectSame();
      const singles = node.calls.filter((call) => call === 'getblockheader').length;
      expect(singles).toBe(refusesBatches ? node.height : 0);
      const batches = node.calls.filter((call) => call === 'batch').length;
      expect(batches).toBe(refusesBatches ? 1 : 2 * Math.ceil(node.height / 250));
    }
  });

  it('are read again a moment after a node failed', async () => {
    node.mine(30).isAway = true;
    store.start();
    await store.refresh();
    expect(store.status().failure?.message).toBe('away');
    node.isAway = false;
    later?.();
    await store.refresh();
    expectSame();
    expect(later).toBeUndefined();
    node.isAway = true;
    await store.refresh();
    expect(later).toBeDefined();
    await store.stop();
    expect(later).toBeUndefined();
  });

  it('survive a restart, and are there without a node', async () => {
    node.mine(30);
    await store.refresh();
    await store.close();
    node.isAway = true;
    store = open();
    await store.refresh();
    expectSame();
    expect(store.status().failure?.message).toBe('away');
    node.isAway = false;
    node.mine(5);
    await store.refresh();
    expectSame();
    expect(store.status().failure).toBeNull();
  });

  it('are repaired where the end of the file was lost or damaged', async () => {
    const file = join(dataDir, 'headers-regtest.dat');
    node.mine(50);
    const damages: (() => void)[] = [
      () => truncateSync(file, 40 * HEADER_BYTES + 17),
      () => writeFileSync(file, readFileSync(file).fill(0, 30 * HEADER_BYTES)),
      () => writeFileSync(file, readFileSync(file).fill(7, 45 * HEADER_BYTES + 50, 45 * HEADER_BYTES + 60)),
      () => truncateSync(file, 3),
      () => writeFileSync(file, 'something else entirely'.repeat(50)),
    ];
    for (const damage of damages) {
      await store.refresh();
      await store.close();
      damage();
      store = open();
      await store.refresh();
      expectSame();
      expect(statSync(file).size).toBe(51 * HEADER_BYTES);
    }
  });

  it('hold no block of a branch that was left', async () => {
    node.mine(30);
    await store.refresh();
    const left = node.hashes.slice(20);
    node.unmine(11).mine(15);
    await store.refresh();
    expectSame();
    expect(left.map((hash) => store.isActive(hash))).toEqual(left.map(() => false));
    expect(changes.at(-1)).toEqual([19, 34]);
  });

  it('equal the node’s chain after any number of reorganisations', async () => {
    let seed = 7;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    node.mine(20);
    for (let round = 0; round < 60; round++) {
      const depth = next(Math.min(7, node.height));
      node.unmine(depth).mine(next(9));
      await store.refresh();
      expect(store.tip?.hash).toBe(node.hashes.at(-1));
    }
    expectSame();
    await store.close();
    store = open();
    await store.refresh();
    expectSame();
  });

  it('do not include headers that break the rules', async () => {
    const good = 12;
    const breaks: [string, (from: FakeNode) => unknown][] = [
      ['work', (from) => from.mine(1, { worthless: true })],
      ['difficulty', (from) => from.mine(1, { bits: 0x2070ffff })],
      ['older', (from) => from.mine(1, { time: TIME + 600 })],
      ['follow', (from) => from.mine(1, { previousHash: from.hashes[3] as string })],
    ];
    for (const [why, spoil] of breaks) {
      node = new FakeNode().mine(good);
      spoil(node);
      node.mine(20);
      await store.refresh();
      expect(store.status().failure?.message).toContain(why);
      expect(store.tip?.height).toBe(good);
      await store.close();
      rmSync(join(dataDir, 'headers-regtest.dat'));
      store = open();
    }
  });
});

describe('the branch with the most work', () => {
  const rules: ChainRules = { ...regtest, followsNode: false };
  beforeEach(async () => {
    await store.close();
    store = open({ rules });
    node.mine(20);
    await store.refresh();
  });

  it('is the active chain, whatever the node follows', async () => {
    const [headers, hashes] = [[...node.headers], [...node.hashes]];
    const best = store.tip?.hash;
    for (const shorter of [0, 1, 5]) {
      node.unmine(8).mine(8 - shorter);
      await store.refresh();
      expect(store.tip?.hash).toBe(best);
      expect(store.isActive(node.hashes[15] as string)).toBe(false);
      node.headers = [...headers];
      node.hashes = [...hashes];
    }
    node.unmine(5);
    await store.refresh();
    expect(store.tip?.hash).toBe(best);
    node.unmine(3).mine(9);
    await store.refresh();
    expectSame();
  });

  it('is not one that breaks a rule, however long', async () => {
    const best = store.tip?.hash;
    node.unmine(8).mine(3).mine(1, { worthless: true }).mine(30);
    await store.refresh();
    expect(store.tip?.hash).toBe(best);
    expect(store.status().failure?.message).toContain('work');
  });

  it('goes through every checkpoint', async () => {
    const [headers, hashes] = [[...node.headers], [...node.hashes]];
    await store.close();
    store = open({ rules: { ...rules, checkpoints: [{ height: 15, hash: node.hashes[15] as string }] } });
    node.unmine(8).mine(40);
    await store.refresh();
    expect(store.status()).toMatchObject({ tip: { hash: hashes.at(-1) }, checkpoint: 15 });
    expect(store.status().failure?.message).toContain('known at this height');
    await store.close();
    rmSync(join(dataDir, 'headers-regtest.dat'));
    store = open({ rules: { ...rules, checkpoints: [{ height: 15, hash: hashes[15] as string }] } });
    await store.refresh();
    expect(store.tip?.height).toBe(14);
    node.headers = headers;
    node.hashes = hashes;
    await store.refresh();
    expectSame();
  });
});

describe('a chain whose difficulty moves', () => {
  const rules: ChainRules = { ...regtest, isFixed: false, allowsEasiest: false, followsNode: false, daaHeight: 160 };
  const view = (): HeaderView => ({
    height: node.height,
    time: (at) => parseHeader(node.headers[at] as Uint8Array).time,
    bits: (at) => parseHeader(node.headers[at] as Uint8Array).bits,
  });
  /** Blocks that come faster than they should. */
  const mineFast = (count: number): void => {
    for (let left = count; left > 0; left--) {
      const time = view().time(node.height) + 200 + 37 * (left % 5);
      node.mine(1, { time, bits: requiredBits(rules, view(), time) });
    }
  };

  it('is followed, through a restart, and its rule is enforced', async () => {
    await store.close();
    store = open({ rules });
    node.mine(150);
    mineFast(250);
    await store.refresh();
    expectSame();
    expect(parseHeader(store.tip?.header as Uint8Array).bits).toBeLessThan(0x207fffff);
    await store.close();
    store = open({ rules });
    mineFast(20);
    await store.refresh();
    expectSame();
    const time = view().time(node.height) + 300;
    node.mine(1, { time, bits: requiredBits(rules, view(), time) + 1 });
    await store.refresh();
    expect(store.status().failure?.message).toContain('difficulty');
    expect(store.tip?.height).toBe(node.height - 1);
  });
});

describe('the scaling test network', () => {
  it('is followed where it starts over, though the new chain has less work', async () => {
    await store.close();
    const { followsNode } = rulesOf('test', 'stn') as ChainRules;
    store = open({ rules: { ...regtest, followsNode } });
    node.mine(30);
    await store.refresh();
    node.unmine(30).mine(3);
    await store.refresh();
    expectSame();
  });
});

describe('on a test network, which may be one of several chains', () => {
  it('the headers stored last are there without a node', async () => {
    await store.close();
    store = open({ network: 'test' });
    await store.refresh();
    const other = join(dataDir, 'headers-stn.dat');
    writeFileSync(other, (rulesOf('test', 'stn') as ChainRules).genesis);
    utimesSync(other, 0, 0);
    node.mine(30);
    await store.refresh();
    await store.close();
    node.isAway = true;
    store = open({ network: 'test' });
    await store.refresh();
    expectSame();
    expect(store.status()).toMatchObject({ chain: 'regtest', failure: { message: 'away' } });
    node.isAway = false;
    node.mine(2);
    await store.refresh();
    expectSame();
    // the node follows another of them now
    node = new FakeNode((rulesOf('test', 'stn') as ChainRules).genesis);
    node.chain = 'stn';
    await store.refresh();
    expectSame();
    expect(store.status().chain).toBe('stn');
  });
});

describe('on a public network', () => {
  it('the node must follow that network’s chain', async () => {
    await store.close();
    store = open({ network: 'main' });
    node.mine(3);
    await store.refresh();
    expect(store.status()).toMatchObject({ chain: 'main', tip: { height: 0 } });
    expect(store.status().failure?.message).toContain('another chain');
    await store.close();
    store = open({ network: 'test' });
    node.chain = 'main';
    await store.refresh();
    expect(store.status()).toMatchObject({
      chain: null,
      tip: null,
      failure: { message: 'The node follows the chain main.' },
    });
    node.chain = 'regtest';
    await store.refresh();
    expectSame();
  });

  it('the rules of difficulty and the published first block apply', async () => {
    await store.close();
    store = open({ network: 'main' });
    const main = rulesOf('main', 'main') as ChainRules;
    node = new FakeNode(main.genesis).mine(2, { time: 1_231_469_665, bits: 0x207fffff });
    await store.refresh();
    expect(store.status().failure?.message).toContain('difficulty');
    expect(store.tip?.height).toBe(0);
    // blocks 1 to 3 of the main network
    const published = [
      '010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd1e4ba744bbbe680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e61bc6649ffff001d01e36299',
      '010000004860eb18bf1b1620e37e9490fc8a427514416fd75159ab86688e9a8300000000d5fdcc541e25de1c7a5addedf24858b8bb665c9f36ef744ee42c316022c90f9bb0bc6649ffff001d08d2bd61',
      '01000000bddd99ccfda39da1b108ce1a5d70038d0a967bacb68b6b63065f626a0000000044f672226090d85db9a9f2fbfe5f0f9609b387af7be5b7fbb7a1767c831c9e995dbe6649ffff001d05e0ed6d',
    ].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
    const follow = async (headers: readonly Uint8Array[]): Promise<void> => {
      node = new FakeNode(main.genesis);
      node.headers.push(...headers);
      node.hashes.push(...headers.map(headerHash));
      await store.refresh();
    };
    // the third without its work: one bit of its nonce
    const [first, second, third] = published as [Uint8Array, Uint8Array, Uint8Array];
    await follow([first, second, third.with(76, (third[76] as number) ^ 1)]);
    expect(store.status().failure?.message).toContain('work');
    await follow(published);
    expect(store.tip).toMatchObject({
      height: 3,
      hash: '0000000082b5015589a3fdf2d4baff403e6f0be035a5d9742c1cae6295464449',
    });
    expect(store.status().failure).toBeNull();
  });
});

it('headers are read again when a block comes at any microtask around the end of a read', async () => {
  store.start();
  await store.refresh();
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const lost: number[] = [];
  for (let offset = 0; offset < 60; offset += 1) {
    for (let turn = 0; turn < 5; turn += 1) await settled();
    void store.refresh();
    for (let step = 0; step < offset; step += 1) await undefined;
    node.mine(1);
    void store.refresh();
    for (let turn = 0; turn < 10; turn += 1) await settled();
    if (store.tip?.height !== node.height) lost.push(offset);
    await store.refresh();
  }
  expect(lost).toEqual([]);
});

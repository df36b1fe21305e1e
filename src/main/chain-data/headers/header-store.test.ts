import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HEADER_BYTES } from '../../../chain/index.ts';
import { FakeNode, TIME } from '../test-support/header-node.ts';
import { HeadersOfTest } from '../test-support/headers-of-test.ts';

const stored = new HeadersOfTest();

describe('the stored headers', () => {
  it('are read up to the node’s tip, over REST or RPC, and followed', async () => {
    stored.node.mine(40);
    stored.store.start();
    await stored.store.refresh();
    stored.expectSame();
    expect(stored.node.calls.filter((call) => call === 'rest').length).toBe(1);
    expect(stored.store.status()).toMatchObject({ chain: 'regtest', tip: { height: 40 }, target: null, failure: null });
    stored.node.mine(2);
    stored.onTip?.();
    await stored.store.refresh();
    stored.expectSame();
    expect(stored.changes).toEqual([
      [0, 40],
      [40, 42],
    ]);
    await stored.store.close();
    rmSync(join(stored.dataDir, 'headers-regtest.dat'));
    stored.store = stored.open({ rest: false });
    stored.node.mine(700);
    await stored.store.refresh();
    stored.expectSame();
  });

  it('are read in batches from a node without REST paths, or one by one where it takes none', async () => {
    for (const refusesBatches of [false, true]) {
      await stored.store.close();
      rmSync(join(stored.dataDir, 'headers-regtest.dat'), { force: true });
      stored.store = stored.open({ rest: false, batches: true });
      stored.node.mine(600).refusesBatches = refusesBatches;
      stored.node.calls.length = 0;
      await stored.store.refresh();
      stored.expectSame();
      const singles = stored.node.calls.filter((call) => call === 'getblockheader').length;
      expect(singles).toBe(refusesBatches ? stored.node.height : 0);
      const batches = stored.node.calls.filter((call) => call === 'batch').length;
      expect(batches).toBe(refusesBatches ? 1 : 2 * Math.ceil(stored.node.height / 250));
    }
  });

  it('are read once where somebody asks for them before the start, and nobody is called a liar', async () => {
    stored.node.mine(40);
    const asked = stored.store.refresh();
    stored.store.start();
    await Promise.all([asked, stored.store.refresh()]);
    stored.expectSame();
    expect(stored.node.calls.filter((call) => call === 'rest').length).toBe(1);
    expect(stored.store.status().sources).toMatchObject([{ refused: 0, failure: null }]);
  });

  it('are read by one reading at a time where it is stopped and started again meanwhile', async () => {
    stored.node.mine(40);
    stored.store.start();
    void stored.store.stop();
    stored.store.start();
    await stored.store.refresh();
    stored.expectSame();
    expect(stored.store.status().sources).toMatchObject([{ refused: 0, failure: null }]);
  });

  it('are read again a moment after a node failed', async () => {
    stored.node.mine(30).isAway = true;
    stored.store.start();
    await stored.store.refresh();
    expect(stored.store.status().failure?.message).toBe('away');
    stored.node.isAway = false;
    stored.later?.();
    await stored.store.refresh();
    stored.expectSame();
    expect(stored.later).toBeUndefined();
    stored.node.isAway = true;
    await stored.store.refresh();
    expect(stored.later).toBeDefined();
    await stored.store.stop();
    expect(stored.later).toBeUndefined();
  });

  it('survive a restart, and are there without a node', async () => {
    stored.node.mine(30);
    await stored.store.refresh();
    await stored.store.close();
    stored.node.isAway = true;
    stored.store = stored.open();
    await stored.store.refresh();
    stored.expectSame();
    expect(stored.store.status().failure?.message).toBe('away');
    stored.node.isAway = false;
    stored.node.mine(5);
    await stored.store.refresh();
    stored.expectSame();
    expect(stored.store.status().failure).toBeNull();
  });

  it('are repaired where the end of the file was lost or damaged', async () => {
    const file = join(stored.dataDir, 'headers-regtest.dat');
    stored.node.mine(50);
    const damages: (() => void)[] = [
      () => truncateSync(file, 40 * HEADER_BYTES + 17),
      () => writeFileSync(file, readFileSync(file).fill(0, 30 * HEADER_BYTES)),
      () => writeFileSync(file, readFileSync(file).fill(7, 45 * HEADER_BYTES + 50, 45 * HEADER_BYTES + 60)),
      () => truncateSync(file, 3),
      () => writeFileSync(file, 'something else entirely'.repeat(50)),
    ];
    for (const damage of damages) {
      await stored.store.refresh();
      await stored.store.close();
      damage();
      stored.store = stored.open();
      await stored.store.refresh();
      stored.expectSame();
      expect(statSync(file).size).toBe(51 * HEADER_BYTES);
    }
  });

  it('hold no block of a branch that was left', async () => {
    stored.node.mine(30);
    await stored.store.refresh();
    const left = stored.node.hashes.slice(20);
    stored.node.unmine(11).mine(15);
    await stored.store.refresh();
    stored.expectSame();
    expect(left.map((hash) => stored.store.isActive(hash))).toEqual(left.map(() => false));
    expect(stored.changes.at(-1)).toEqual([19, 34]);
  });

  it('equal the node’s chain after any number of reorganisations', async () => {
    let seed = 7;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    stored.node.mine(20);
    for (let round = 0; round < 60; round++) {
      const depth = next(Math.min(7, stored.node.height));
      stored.node.unmine(depth).mine(next(9));
      await stored.store.refresh();
      expect(stored.store.tip?.hash).toBe(stored.node.hashes.at(-1));
    }
    stored.expectSame();
    await stored.store.close();
    stored.store = stored.open();
    await stored.store.refresh();
    stored.expectSame();
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
      stored.node = new FakeNode().mine(good);
      spoil(stored.node);
      stored.node.mine(20);
      await stored.store.refresh();
      expect(stored.store.status().failure?.message).toContain(why);
      expect(stored.store.tip?.height).toBe(good);
      await stored.store.close();
      rmSync(join(stored.dataDir, 'headers-regtest.dat'));
      stored.store = stored.open();
    }
  });
});

it('headers are read again when a block comes at any microtask around the end of a read', async () => {
  stored.store.start();
  await stored.store.refresh();
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const lost: number[] = [];
  for (let offset = 0; offset < 60; offset += 1) {
    for (let turn = 0; turn < 5; turn += 1) await settled();
    void stored.store.refresh();
    for (let step = 0; step < offset; step += 1) await undefined;
    stored.node.mine(1);
    void stored.store.refresh();
    for (let turn = 0; turn < 10; turn += 1) await settled();
    if (stored.store.tip?.height !== stored.node.height) lost.push(offset);
    await stored.store.refresh();
  }
  expect(lost).toEqual([]);
});

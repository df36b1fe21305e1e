import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { headerHash, parseHeader } from '../../../chain/index.ts';
import { FakeNode, regtest } from '../test-support/header-node.ts';
import { HeadersOfTest } from '../test-support/headers-of-test.ts';
import { type ChainRules, rulesOf } from './chain-rules.ts';
import { type HeaderView, requiredBits } from './difficulty.ts';

const stored = new HeadersOfTest();

describe('the branch with the most work', () => {
  const rules: ChainRules = { ...regtest, followsNode: false };
  beforeEach(async () => {
    await stored.store.close();
    stored.store = stored.open({ rules });
    stored.node.mine(20);
    await stored.store.refresh();
  });

  it('is the active chain, whatever the node follows', async () => {
    const [headers, hashes] = [[...stored.node.headers], [...stored.node.hashes]];
    const best = stored.store.tip?.hash;
    for (const shorter of [0, 1, 5]) {
      stored.node.unmine(8).mine(8 - shorter);
      await stored.store.refresh();
      expect(stored.store.tip?.hash).toBe(best);
      expect(stored.store.isActive(stored.node.hashes[15] as string)).toBe(false);
      stored.node.headers = [...headers];
      stored.node.hashes = [...hashes];
    }
    stored.node.unmine(5);
    await stored.store.refresh();
    expect(stored.store.tip?.hash).toBe(best);
    stored.node.unmine(3).mine(9);
    await stored.store.refresh();
    stored.expectSame();
  });

  it('is not one that breaks a rule, however long', async () => {
    const best = stored.store.tip?.hash;
    stored.node.unmine(8).mine(3).mine(1, { worthless: true }).mine(30);
    await stored.store.refresh();
    expect(stored.store.tip?.hash).toBe(best);
    expect(stored.store.status().failure?.message).toContain('work');
  });

  it('goes through every checkpoint', async () => {
    const [headers, hashes] = [[...stored.node.headers], [...stored.node.hashes]];
    await stored.store.close();
    stored.store = stored.open({
      rules: { ...rules, checkpoints: [{ height: 15, hash: stored.node.hashes[15] as string }] },
    });
    stored.node.unmine(8).mine(40);
    await stored.store.refresh();
    expect(stored.store.status()).toMatchObject({ tip: { hash: hashes.at(-1) }, checkpoint: 15 });
    expect(stored.store.status().failure?.message).toContain('known at this height');
    await stored.store.close();
    rmSync(join(stored.dataDir, 'headers-regtest.dat'));
    stored.store = stored.open({ rules: { ...rules, checkpoints: [{ height: 15, hash: hashes[15] as string }] } });
    await stored.store.refresh();
    expect(stored.store.tip?.height).toBe(14);
    stored.node.headers = headers;
    stored.node.hashes = hashes;
    await stored.store.refresh();
    stored.expectSame();
  });
});

describe('a chain whose difficulty moves', () => {
  const rules: ChainRules = { ...regtest, isFixed: false, allowsEasiest: false, followsNode: false, daaHeight: 160 };
  const view = (): HeaderView => ({
    height: stored.node.height,
    time: (at) => parseHeader(stored.node.headers[at] as Uint8Array).time,
    bits: (at) => parseHeader(stored.node.headers[at] as Uint8Array).bits,
  });
  /** Blocks that come faster than they should. */
  const mineFast = (count: number): void => {
    for (let left = count; left > 0; left--) {
      const time = view().time(stored.node.height) + 200 + 37 * (left % 5);
      stored.node.mine(1, { time, bits: requiredBits(rules, view(), time) });
    }
  };

  it('is followed, through a restart, and its rule is enforced', async () => {
    await stored.store.close();
    stored.store = stored.open({ rules });
    stored.node.mine(150);
    mineFast(250);
    await stored.store.refresh();
    stored.expectSame();
    expect(parseHeader(stored.store.tip?.header as Uint8Array).bits).toBeLessThan(0x207fffff);
    await stored.store.close();
    stored.store = stored.open({ rules });
    mineFast(20);
    await stored.store.refresh();
    stored.expectSame();
    const time = view().time(stored.node.height) + 300;
    stored.node.mine(1, { time, bits: requiredBits(rules, view(), time) + 1 });
    await stored.store.refresh();
    expect(stored.store.status().failure?.message).toContain('difficulty');
    expect(stored.store.tip?.height).toBe(stored.node.height - 1);
  });
});

describe('the scaling test network', () => {
  it('is followed where it starts over, though the new chain has less work', async () => {
    await stored.store.close();
    const { followsNode } = rulesOf('test', 'stn') as ChainRules;
    stored.store = stored.open({ rules: { ...regtest, followsNode } });
    stored.node.mine(30);
    await stored.store.refresh();
    stored.node.unmine(30).mine(3);
    await stored.store.refresh();
    stored.expectSame();
  });
});

describe('on a test network, which may be one of several chains', () => {
  it('the headers stored last are there without a node', async () => {
    await stored.store.close();
    stored.store = stored.open({ network: 'test' });
    await stored.store.refresh();
    const other = join(stored.dataDir, 'headers-stn.dat');
    writeFileSync(other, (rulesOf('test', 'stn') as ChainRules).genesis);
    utimesSync(other, 0, 0);
    stored.node.mine(30);
    await stored.store.refresh();
    await stored.store.close();
    stored.node.isAway = true;
    stored.store = stored.open({ network: 'test' });
    await stored.store.refresh();
    stored.expectSame();
    expect(stored.store.status()).toMatchObject({ chain: 'regtest', failure: { message: 'away' } });
    stored.node.isAway = false;
    stored.node.mine(2);
    await stored.store.refresh();
    stored.expectSame();
    // the node follows another of them now
    stored.node = new FakeNode((rulesOf('test', 'stn') as ChainRules).genesis);
    stored.node.chain = 'stn';
    await stored.store.refresh();
    stored.expectSame();
    expect(stored.store.status().chain).toBe('stn');
  });
});

describe('on a public network', () => {
  it('the node must follow that network’s chain', async () => {
    await stored.store.close();
    stored.store = stored.open({ network: 'main' });
    stored.node.mine(3);
    await stored.store.refresh();
    expect(stored.store.status()).toMatchObject({ chain: 'main', tip: { height: 0 } });
    expect(stored.store.status().failure?.message).toContain('another chain');
    await stored.store.close();
    stored.store = stored.open({ network: 'test' });
    stored.node.chain = 'main';
    await stored.store.refresh();
    expect(stored.store.status()).toMatchObject({
      chain: null,
      tip: null,
      failure: { message: 'The node follows the chain main.' },
    });
    stored.node.chain = 'regtest';
    await stored.store.refresh();
    stored.expectSame();
  });

  it('the rules of difficulty and the published first block apply', async () => {
    await stored.store.close();
    stored.store = stored.open({ network: 'main' });
    const main = rulesOf('main', 'main') as ChainRules;
    stored.node = new FakeNode(main.genesis).mine(2, { time: 1_231_469_665, bits: 0x207fffff });
    await stored.store.refresh();
    expect(stored.store.status().failure?.message).toContain('difficulty');
    expect(stored.store.tip?.height).toBe(0);
    // blocks 1 to 3 of the main network
    const published = [
      '010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000982051fd1e4ba744bbbe680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e61bc6649ffff001d01e36299',
      '010000004860eb18bf1b1620e37e9490fc8a427514416fd75159ab86688e9a8300000000d5fdcc541e25de1c7a5addedf24858b8bb665c9f36ef744ee42c316022c90f9bb0bc6649ffff001d08d2bd61',
      '01000000bddd99ccfda39da1b108ce1a5d70038d0a967bacb68b6b63065f626a0000000044f672226090d85db9a9f2fbfe5f0f9609b387af7be5b7fbb7a1767c831c9e995dbe6649ffff001d05e0ed6d',
    ].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
    const follow = async (headers: readonly Uint8Array[]): Promise<void> => {
      stored.node = new FakeNode(main.genesis);
      stored.node.headers.push(...headers);
      stored.node.hashes.push(...headers.map(headerHash));
      await stored.store.refresh();
    };
    // the third without its work: one bit of its nonce
    const [first, second, third] = published as [Uint8Array, Uint8Array, Uint8Array];
    await follow([first, second, third.with(76, (third[76] as number) ^ 1)]);
    expect(stored.store.status().failure?.message).toContain('work');
    await follow(published);
    expect(stored.store.tip).toMatchObject({
      height: 3,
      hash: '0000000082b5015589a3fdf2d4baff403e6f0be035a5d9742c1cae6295464449',
    });
    expect(stored.store.status().failure).toBeNull();
  });
});

import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { concatBytes, HEADER_BYTES } from '../../../chain/index.ts';
import { HandClock } from '../../gateway/test-support/hand-clock.ts';
import { FakeNode, regtest, TIME } from '../test-support/header-node.ts';
import type { ChainRules } from './chain-rules.ts';
import type { HeaderSource } from './header-source.ts';
import { HeaderStore } from './header-store.ts';
import { HeaderRefused } from './header-window.ts';

/** Height of the block that the program knows. */
const CHECKPOINT = 2_600;
const LOWEST = CHECKPOINT - 147;

let dataDir: string;
let chain: FakeNode;
let rules: ChainRules;
/** Of the store that was opened last. */
let clock: HandClock;
const stores: HeaderStore[] = [];

/** What an operator has; it may alter what it shows. */
class Operator implements HeaderSource {
  readonly name: string;
  readonly operator: string;
  node: FakeNode;
  asked = 0;
  alter: (headers: Uint8Array, first: number) => Uint8Array = (headers) => headers;

  constructor(name: string, node: FakeNode) {
    this.name = name;
    this.operator = name;
    this.node = node;
  }

  height = async () => this.node.height;
  hashAt = async (height: number) => this.node.hashes[height] as string;
  heightOf = async (hash: string) => {
    const at = this.node.hashes.indexOf(hash);
    return at < 0 ? undefined : at;
  };
  read = async (_: string | undefined, first: number, last: number) => {
    this.asked += 1;
    if (this.node.isAway) throw new Error('away');
    return this.alter(concatBytes(...this.node.headers.slice(first, Math.min(last + 1, first + 700))), first);
  };
}

function open(...sources: HeaderSource[]): HeaderStore {
  clock = new HandClock();
  clock.time = (TIME + 1e9) * 1_000;
  const logger = pino({ enabled: false });
  const tip = { onTip: () => () => undefined };
  const store = new HeaderStore({ network: 'sandbox', dataDir, rules, sources: () => sources, tip, clock, logger });
  stores.push(store);
  return store;
}

function stored(): { size: number; room: number } {
  const { size, blocks } = statSync(join(dataDir, 'headers-regtest.dat'));
  return { size, room: blocks * 512 };
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-headers-'));
  chain = new FakeNode().mine(CHECKPOINT + 20);
  rules = { ...regtest, checkpoints: [{ height: CHECKPOINT, hash: chain.hashes[CHECKPOINT] as string, work: 1_000n }] };
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('headers from a checkpoint on', () => {
  it('begin 147 blocks below it, and take the room of no others', async () => {
    const store = open(new Operator('a', chain));
    await store.refresh();
    const status = store.status();
    expect(status).toMatchObject({ lowest: LOWEST, checkpoint: CHECKPOINT, failure: null });
    expect(status).toMatchObject({ tip: { height: chain.height }, bytes: (148 + 20 + 1) * HEADER_BYTES });
    // each of the twenty has a work of two
    expect(status.work).toBe((1_000 + 20 * 2).toString(16));
    expect(store.at(LOWEST)?.hash).toBe(chain.hashes[LOWEST]);
    expect(store.at(LOWEST - 1)).toBeUndefined();
    expect(store.header(chain.hashes[LOWEST - 1] as string)).toBeUndefined();
    expect(store.at(0)?.hash).toBe(chain.hashes[0]);
    expect(stored().room).toBeLessThan(stored().size);
  });

  it('begin where the work is known, and lead to a newer checkpoint that is known by its hash alone', async () => {
    const newer = (hash: string) => {
      rules = { ...rules, checkpoints: [rules.checkpoints[0]!, { height: CHECKPOINT + 10, hash }] };
    };
    newer(chain.hashes[CHECKPOINT + 10] as string);
    const store = open(new Operator('a', chain));
    await store.refresh();
    expect(store.status()).toMatchObject({ lowest: LOWEST, checkpoint: CHECKPOINT + 10, work: (1_040).toString(16) });
    await store.close();
    rmSync(join(dataDir, 'headers-regtest.dat'));
    newer('ab'.repeat(32));
    const other = open(new Operator('a', chain));
    await other.refresh();
    expect(other.tip?.height).toBe(CHECKPOINT + 9);
    expect(other.status().sources[0]).toMatchObject({ refused: 1 });
  });

  it('do not begin with any others than those that its hash leads to', async () => {
    const liar = new Operator('liar', new FakeNode().mine(1, { time: TIME + 7 }).mine(CHECKPOINT + 30));
    const store = open(liar, new Operator('a', chain));
    await store.refresh();
    expect(store.tip?.hash).toBe(chain.hashes.at(-1));
    expect(store.status().sources[0]).toMatchObject({ name: 'liar', refused: 1 });
    expect(store.status().sources[0]?.failure?.message).toContain(
      `height ${CHECKPOINT.toLocaleString('en')} does not have the hash`,
    );
  });

  it('end below the first block of a chain that split off', async () => {
    rules = { ...rules, denied: new Set([chain.hashes[CHECKPOINT + 4] as string]) };
    const store = open(new Operator('a', chain));
    await store.refresh();
    expect(store.status()).toMatchObject({ tip: { height: CHECKPOINT + 3 }, sources: [{ refused: 1 }] });
  });

  it('are loaded again, and what a power cut left of them', async () => {
    const first = open(new Operator('a', chain));
    await first.refresh();
    await first.close();
    const path = join(dataDir, 'headers-regtest.dat');
    truncateSync(path, stored().size - HEADER_BYTES - 30);
    chain.isAway = true;
    const cut = open(new Operator('a', chain));
    await cut.refresh();
    expect(cut.status()).toMatchObject({
      lowest: LOWEST,
      tip: { height: chain.height - 2 },
      failure: { message: 'away' },
    });
    await cut.close();
    // less than the next difficulty needs
    truncateSync(path, (LOWEST + 100) * HEADER_BYTES);
    chain.isAway = false;
    const anew = open(new Operator('a', chain));
    await anew.refresh();
    expect(anew.status()).toMatchObject({ lowest: LOWEST, tip: { height: chain.height } });
  });

  it('bring older ones for a block that is asked for by height or hash', async () => {
    const store = open(new Operator('a', chain));
    await store.refresh();
    await store.refresh(LOWEST - 10);
    expect(store.status().lowest).toBe(LOWEST - 10);
    await store.refresh(chain.hashes[200]);
    expect(store.status().lowest).toBe(200);
    expect(store.header(chain.hashes[200] as string)?.height).toBe(200);
    await store.refresh('ab'.repeat(32));
    expect(store.status().lowest).toBe(200);
  });

  it('are read down to the first one, from where an earlier reading ended', async () => {
    const broken = new Operator('a', chain);
    const store = open(broken);
    await store.refresh();
    broken.alter = (headers, first) => {
      if (first < 300) throw new Error('away');
      return headers;
    };
    store.sync({ from: 0 });
    await store.refresh();
    const { lowest, downTo } = store.status();
    expect(downTo).toBe(0);
    expect(lowest).toBeGreaterThan(0);
    expect(lowest).toBeLessThan(LOWEST);
    await store.close();
    const whole = open(new Operator('a', chain));
    whole.sync({ from: 0 });
    await whole.refresh();
    expect(whole.status()).toMatchObject({ lowest: 0, downTo: null });
    for (const [height, hash] of chain.hashes.entries()) expect(whole.at(height)?.hash).toBe(hash);
  });

  it('that are older are refused where one is not the one that the next names', async () => {
    const liar = new Operator('liar', chain);
    const store = open(liar, new Operator('a', chain));
    await store.refresh();
    liar.alter = (headers) => headers.map((byte, at) => (at === 70 ? byte ^ 1 : byte));
    await store.refresh(1_500);
    expect(store.status()).toMatchObject({ lowest: 1_500 });
    expect(store.status().sources[0]).toMatchObject({ name: 'liar', refused: 1 });
    expect(store.at(1_500)?.hash).toBe(chain.hashes[1_500]);
  });
});

/** The same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const RUNS = process.env.PLANCHET_LONG === undefined ? 25 : 500;

describe('headers of several operators', () => {
  it(`end at the chain with the most work, through reorganisations, lies, outages and kills (${RUNS} times)`, async () => {
    rules = { ...regtest, checkpoints: [] };
    for (let run = 1; run <= RUNS; run++) {
      const next = numbers(run);
      rmSync(dataDir, { recursive: true, force: true });
      const honest = new FakeNode().mine(20 + next(30));
      const [a, b, liar] = [new Operator('a', honest), new Operator('b', honest), new Operator('liar', honest)];
      const lies = [
        (headers: Uint8Array) => headers.subarray(0, Math.max(HEADER_BYTES, headers.length - 17)),
        (headers: Uint8Array) => headers.map((byte, at) => (at % HEADER_BYTES === 73 ? 0 : byte)),
        (headers: Uint8Array) => headers.map((byte, at) => (at % 97 === 40 ? byte ^ 255 : byte)),
        () => new Uint8Array(),
      ];
      let store = open(liar, a, b);
      for (let step = 0; step < 8; step++) {
        const action = next(6);
        if (action === 0) honest.unmine(1 + next(5)).mine(6 + next(4));
        else if (action === 1) liar.alter = lies[next(lies.length)] as typeof liar.alter;
        else if (action === 2) liar.node = copyOf(honest).unmine(next(4)).mine(next(3));
        else if (action === 3) b.node = copyOf(honest).unmine(next(3));
        else if (action === 4) {
          const reading = store.refresh();
          await store.close();
          await reading;
          store = open(liar, a, b);
        } else honest.mine(1 + next(5));
        await store.refresh();
      }
      liar.node = new FakeNode().mine(1, { time: TIME + 7 }).mine(3);
      liar.alter = (headers) => headers;
      b.node = honest;
      honest.mine(10);
      await store.refresh();
      expect(store.tip?.hash, `run ${run}`).toBe(honest.hashes.at(-1));
      for (const [height, hash] of honest.hashes.entries()) expect(store.at(height)?.hash).toBe(hash);
      expect(store.isAgreed).toBe(true);
      await store.close();
    }
  });

  it('count as agreed only while two of them have the tip or a block at most two below it', async () => {
    rules = { ...regtest, checkpoints: [] };
    const [a, b] = [new Operator('a', chain), new Operator('b', copyOf(chain))];
    const second = Object.assign(new Operator('a2', chain), { operator: 'a' });
    const store = open(a, second, b);
    expect(store.isAgreed).toBe(false);
    await store.refresh();
    expect(store.isAgreed).toBe(true);
    chain.mine(2);
    await store.refresh();
    expect(store.isAgreed).toBe(true);
    chain.mine(1);
    await store.refresh();
    expect(store.isAgreed).toBe(false);
    b.node = chain;
    b.alter = () => {
      throw new HeaderRefused('a lie');
    };
    await store.refresh();
    expect(store.isAgreed).toBe(true);
  });

  it('count as agreed soon after the second operator is back, though no block is told', async () => {
    rules = { ...regtest, checkpoints: [] };
    const [a, b] = [new Operator('a', chain), new Operator('b', chain)];
    const store = open(a, b);
    store.start();
    await store.refresh();
    const { height } = b;
    b.height = () => Promise.reject(new Error('away'));
    chain.mine(3);
    await store.refresh();
    expect([store.isAgreed, store.failure]).toEqual([false, null]);
    await clock.pass(30_000);
    await store.refresh();
    expect(store.isAgreed).toBe(false);
    b.height = height;
    // three reads failed by now, each of which doubles the wait
    await clock.pass(120_000);
    await expect.poll(() => store.isAgreed).toBe(true);
    expect(clock.waiting).toBe(0);
  });
});

function copyOf({ headers, hashes }: FakeNode): FakeNode {
  return Object.assign(new FakeNode(), { headers: [...headers], hashes: [...hashes] });
}

import { afterAll, expect, it, vi } from 'vitest';
import { equalBytes } from '../../chain/index.ts';
import type { SandboxFault } from '../../contract/index.ts';
import { Faults } from '../sandbox/controls/faults.ts';
import { TestSandbox } from '../sandbox/test-support/open-sandbox.ts';
import { seededRandom } from '../test-support/seeded-random.ts';
import { createWorkerPool } from '../workers/worker-pool.ts';
import { fullBalanceOf } from './coins/spendable.ts';
import { LiedLife, spendsOutput } from './test-support/lied-life.ts';
import { WalletOfServices } from './test-support/wallet-of-services.ts';

const names = {
  woc: 'whatsonchain',
  bananablocks: 'bananablocks',
  arcade: 'arcade',
  onesat: 'onesat',
} as const;
type Area = keyof typeof names;
const areas = Object.keys(names) as Area[];
const lies: readonly SandboxFault['name'][] = [
  'invented-rows',
  'wrong-amount',
  'other-bytes',
  'other-block',
  'inner-node',
  'stale-proof',
  'forged-headers',
  'headers-fork',
  'hidden-rows',
  'denied-spend',
  'echoed-broadcast',
];
const outages = [
  'html-answer',
  'half-answer',
  'http-error',
  'drop-connection',
  'endless-body',
  'too-many-requests',
] as const;

const SEED = Number(process.env.PLANCHET_SEED ?? 29);
/** Lies that a world tells at least, its reorganisations, and how many worlds there are: a chain stays short. */
const [LIES, REORGANISATIONS, WORLDS] = process.env.PLANCHET_LONG ? [4_000, 40, 25] : [75, 2, 1];
const HOUR_MS = 3_600_000;

const pool = createWorkerPool({ size: 1 });
const worlds: World[] = [];
afterAll(async () => {
  for (const world of worlds) await world.close();
  await pool.close();
});

/** How often each fault was played in the world of now. */
const told = new Map<string, number>();
const { take } = Faults.prototype;
vi.spyOn(Faults.prototype, 'take').mockImplementation(function (this: Faults, ...asked) {
  const taken = take.apply(this, asked);
  if (taken !== undefined) told.set(taken.name, (told.get(taken.name) ?? 0) + 1);
  return taken;
});

class World {
  readonly random: () => number;
  readonly sandbox: TestSandbox;
  readonly services: WalletOfServices;
  readonly life: LiedLife;
  /** Milliseconds since 1970. */
  readonly time: { now: number };
  /** Who lied when, the last first. */
  liars: { readonly liar: Area; readonly at: number }[] = [];
  kills = 0;
  outages = 0;
  rounds = 0;

  private constructor(parts: Pick<World, 'random' | 'sandbox' | 'services' | 'time'>) {
    this.random = parts.random;
    this.sandbox = parts.sandbox;
    this.services = parts.services;
    this.time = parts.time;
    this.life = new LiedLife(this.sandbox, this.services, this.random);
  }

  static async open(seed: number): Promise<World> {
    const sandbox = await TestSandbox.open();
    await sandbox.service.mine({ blocks: 3 });
    const time = { now: sandbox.clock.now() + HOUR_MS };
    const services = await WalletOfServices.open({
      root: sandbox.root,
      sources: ['whatsonchain', 'bananablocks', 'arcade', 'onesat'],
      now: () => time.now,
      scripts: pool.verifyInputs,
    });
    const world = new World({ random: seededRandom(seed), sandbox, services, time });
    worlds.push(world);
    return world;
  }

  async close(): Promise<void> {
    await this.services.remove();
    await this.sandbox.remove();
  }

  get lies(): number {
    return lies.reduce((sum, name) => sum + (told.get(name) ?? 0), 0);
  }

  play(name: SandboxFault['name'], area: SandboxFault['area']): void {
    // each is read up to the limit of what was asked for
    const times = name === 'endless-body' ? 2 : null;
    this.sandbox.service.faults.set({ name, area, value: name === 'http-error' ? 503 : 0, times });
  }

  pass(ms: number): void {
    this.time.now += ms;
    this.sandbox.clock.advance(ms);
  }

  /** Things happen while one operator lies and others may be away; the wallet looks, and is shown to show nothing false. */
  async round(): Promise<void> {
    this.rounds += 1;
    const { random, services, life } = this;
    this.sandbox.service.faults.clear({});
    const liar = pick(random, areas);
    for (let count = 0; count < 1 + random() * 4; count++) this.play(pick(random, lies), liar);
    if (random() < 0.25) {
      this.outages += 1;
      this.play(pick(random, outages), random() < 0.2 ? 'all' : pick(random, areas));
    }
    for (let count = 0; count < 1 + random() * 3; count++) await life.step();
    this.pass(random() < 0.3 ? 5_000 : 700_000);
    services.named.length = 0;
    if (random() < 0.08) {
      this.kills += 1;
      const looking = services.look();
      for (let turns = random() * 300; turns > 0; turns--) await new Promise(setImmediate);
      await services.kill();
      await looking;
    }
    await services.look();
    await this.expectNothingFalse();
    // what was told in the last minute may be seen to be false only now
    this.liars = [{ liar, at: this.time.now }, ...this.liars.filter(({ at }) => at > this.time.now - 70_000)];
    const liars = this.liars.map((one) => names[one.liar]);
    expect(services.named.filter(({ source }) => !liars.some((one) => one === source))).toEqual([]);
    // inscriptions of others are found by one service alone: while it hides them, they are missing
    if (this.rounds % 8 !== 0) return;
    const goesOn = random() < 0.5 && liar !== 'onesat' ? liar : undefined;
    await this.expectTruth(goesOn);
    // it lied until now, hours later
    if (goesOn !== undefined) this.liars = [{ liar: goesOn, at: this.time.now }];
  }

  /** Every coin, confirmation and spend that is shown is there. */
  async expectNothingFalse(): Promise<void> {
    const { coinStore, chain } = this.services;
    const { node } = this.sandbox.service;
    // where nobody tells of a reorganisation, the chain before it is shown
    const isTip = chain.headers.tip?.hash === node.tip().hash;
    const isAt = async (txid: string, height: number): Promise<boolean> =>
      (await node.transaction(txid))?.blockHeight === height;
    for (const [outpoint, coin] of coinStore.coins) {
      const made = this.life.made.get(coin.txid)?.outputs[coin.vout];
      expect(made?.satoshis, outpoint).toBe(coin.satoshis);
      if (coin.scriptHash === null) expect(equalBytes(made?.script as Uint8Array, coin.lockingScript)).toBe(true);
      if (coin.height !== null && isTip) expect(await isAt(coin.txid, coin.height), `${outpoint} confirmed`).toBe(true);
      if (coin.spentBy === null) continue;
      expect(spendsOutput(this.life.made.get(coin.spentBy), outpoint), `${outpoint} spent`).toBe(true);
      if (coin.spentHeight !== null && isTip) expect(await isAt(coin.spentBy, coin.spentHeight)).toBe(true);
    }
  }

  /** Everything ends as the node has it. @param liar goes on lying; left out, all lies end */
  async expectTruth(liar: Area | undefined): Promise<void> {
    const { sandbox, services } = this;
    if (liar === undefined) sandbox.service.faults.clear({});
    else for (const name of outages) sandbox.service.faults.clear({ name });
    await this.life.mine();
    // unhurried: other operators are asked for one address after the other, and coins in rounds
    for (let looks = 0; looks < 12; looks++) {
      this.pass(10 * HOUR_MS);
      await services.look();
      await this.expectNothingFalse();
      if ((await this.difference()) === '') return;
      // of two blocks with as much work the first that is told stays, until the next block
      if (liar !== undefined) await this.life.mine();
    }
    expect(await this.difference(), `${liar ?? 'nobody'} lies`).toBe('');
  }

  /** Lines of what is shown and not so, or so and not shown. */
  async difference(): Promise<string> {
    const line = (outpoint: string, satoshis: number, height: number | null) => `${outpoint} ${satoshis} ${height}`;
    const { coinStore } = this.services;
    const shown = new Set(
      [...coinStore.coins].flatMap(([outpoint, { spentBy, satoshis, height }]) =>
        spentBy === null ? [line(outpoint, satoshis, height)] : [],
      ),
    );
    const truth = new Set(
      (await this.life.truth()).map(({ outpoint, satoshis, height }) => line(outpoint, satoshis, height)),
    );
    const isDisputed = coinStore.disputes.size > 0 ? [`disputed ${[...coinStore.disputes.keys()].join(' ')}`] : [];
    return [
      ...[...shown].filter((one) => !truth.has(one)).map((one) => `false ${one}`),
      ...[...truth].filter((one) => !shown.has(one)).map((one) => `missing ${one}`),
      ...isDisputed,
    ].join('\n');
  }
}

function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

it(`a wallet that ${LIES * WORLDS} lies of public services are told, with reorganisations, outages and kills, shows nothing false and ends as the chain is`, {
  timeout: 14_400_000,
}, async () => {
  const totals = { reorganisations: 0, kills: 0, outages: 0, rounds: 0, lies: 0 };
  const toldInAll = new Map<string, number>();
  for (let at = 0; at < WORLDS; at++) {
    const world = await World.open(SEED + at);
    while (world.lies < LIES || world.life.reorganisations < REORGANISATIONS) await world.round();
    await world.expectTruth(undefined);
    const { coinStore } = world.services;
    const truth = await world.life.truth();
    const money = truth.filter(({ isToken }) => !isToken).reduce((sum, { satoshis }) => sum + satoshis, 0);
    const tokens = truth.filter(({ isToken }) => isToken).length;
    expect(fullBalanceOf(coinStore)).toMatchObject({ total: money, confirmed: money, tokens });
    for (const [name, count] of told) toldInAll.set(name, (toldInAll.get(name) ?? 0) + count);
    totals.reorganisations += world.life.reorganisations;
    totals.kills += world.kills;
    totals.outages += world.outages;
    totals.rounds += world.rounds;
    totals.lies += world.lies;
  }
  // lists of coins with amounts are asked of nobody, so no amount of theirs can be believed
  expect(toldInAll.get('wrong-amount')).toBeUndefined();
  if (!process.env.PLANCHET_LONG) return;
  process.stdout.write(`seed ${SEED}: ${JSON.stringify({ ...totals, ...Object.fromEntries(toldInAll) })}\n`);
  for (const name of lies.filter((one) => one !== 'wrong-amount'))
    expect(toldInAll.get(name), name).toBeGreaterThanOrEqual(50);
});

import { describe, expect, it } from 'vitest';
import { bitsToTarget, headerHash, parseHeader, targetToBits } from '../../../chain/index.ts';
import { type ChainRules, rulesOf } from './chain-rules.ts';
import { type HeaderView, requiredBits } from './difficulty.ts';

// the sequences and expected values of bitcoin-sv's src/test/pow_tests.cpp (MIT)
const main = rulesOf('main', 'main') as ChainRules;
const LIMIT = (1n << 224n) - 1n;

/** Headers reduced to times and targets. */
class Times implements HeaderView {
  readonly #times: number[] = [];
  readonly #bits: number[] = [];
  readonly #from: number;
  /** @param from height of the first one */
  constructor(time: number, bits: number, from = 0) {
    this.#from = from;
    this.#times.push(time);
    this.#bits.push(bits);
  }
  get height(): number {
    return this.#from + this.#times.length - 1;
  }
  time(height: number): number {
    return this.#times[height - this.#from] as number;
  }
  bits(height: number): number {
    return this.#bits[height - this.#from] as number;
  }
  add(seconds: number, bits: number): this {
    this.#times.push(this.time(this.height) + seconds);
    this.#bits.push(bits);
    return this;
  }
}

describe('the chains', () => {
  it('begin with the blocks that the node has', () => {
    const firsts = ['main', 'test', 'stn', 'regtest'].map((chain) => {
      const { genesis } = rulesOf(chain === 'main' ? 'main' : 'test', chain) as ChainRules;
      return headerHash(genesis);
    });
    expect(firsts).toEqual([
      '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
      '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
      '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
      '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    ]);
    expect(parseHeader(main.genesis).bits).toBe(main.easiestBits);
    expect(rulesOf('test', 'main')).toBeUndefined();
    expect(rulesOf('test', 'toString')).toBeUndefined();
    expect(rulesOf('sandbox', 'regtest')?.followsNode).toBe(true);
  });

  it('keep one target on a chain for regression tests', () => {
    const regtest = rulesOf('sandbox', 'regtest') as ChainRules;
    const view = new Times(1_000, 0x207fffff).add(1, 0x207fffff);
    expect(requiredBits(regtest, view, 5_000)).toBe(0x207fffff);
  });
});

describe('every 2,016 blocks, the target', () => {
  /** Two known headers, 2,015 blocks apart. */
  const targetAfter = (firstTime: number, lastTime: number, height: number, bits: number): number => {
    const view: HeaderView = {
      height,
      time: (at) => (at === height ? lastTime : firstTime),
      bits: () => bits,
    };
    return requiredBits(main, view, lastTime + 600);
  };

  it('follows the time they took, within a factor of four', () => {
    expect(targetAfter(1261130161, 1262152739, 32_255, 0x1d00ffff)).toBe(0x1d00d86a);
    expect(targetAfter(1231006505, 1233061996, 2_015, 0x1d00ffff)).toBe(0x1d00ffff);
    expect(targetAfter(1279008237, 1279297671, 68_543, 0x1c05a3f4)).toBe(0x1c0168fd);
    expect(targetAfter(1263163443, 1269211443, 46_367, 0x1c387f6f)).toBe(0x1d00e1fd);
  });

  it('becomes easier between them if six blocks took half a day', () => {
    const initial = targetToBits(LIMIT >> 1n);
    const view = new Times(1269211443, initial);
    for (let i = 1; i < 100; i++) view.add(600, initial);
    for (let i = 100; i < 110; i++) expect(requiredBits(main, view.add(7_200, initial), 0)).toBe(initial);
    let bits = initial;
    view.add(7_200, bits);
    for (let step = 0; step < 3; step++) {
      const target = bitsToTarget(bits);
      bits = targetToBits(target + (target >> 2n));
      expect(requiredBits(main, view, 0)).toBe(bits);
      view.add(7_200, bits);
    }
    expect(requiredBits(main, view, 0)).toBe(main.easiestBits);
  });
});

describe('the adjustment over 144 blocks', () => {
  it('computes the targets of the node', () => {
    const rules = { ...main, daaHeight: 0 };
    const initial = targetToBits(LIMIT >> 4n);
    const view = new Times(1269211443, initial);
    for (let i = 1; i < 2_050; i++) view.add(600, initial);
    let bits = requiredBits(rules, view, 0);
    const next = (seconds: number): number => {
      bits = requiredBits(rules, view.add(seconds, bits), 0);
      return bits;
    };
    const steady = bits;
    for (let i = 0; i < 10; i++) expect(next(600)).toBe(steady);
    expect(next(6_000)).toBe(steady);
    expect(next(2 * 600 - 6_000)).toBe(steady);
    for (let i = 0; i < 20; i++) expect(next(600)).toBe(steady);
    expect(next(550)).toBe(steady);
    for (let i = 0; i < 10; i++) next(550);
    expect(bits).toBe(0x1c0fe7b1);
    for (let i = 0; i < 20; i++) next(10);
    expect(bits).toBe(0x1c0db19f);
    expect(next(6_000)).toBe(0x1c0d9222);
    for (let i = 0; i < 93; i++) next(6_000);
    expect(bits).toBe(0x1c2f13b9);
    expect(next(6_000)).toBe(0x1c2ee9bf);
    for (let i = 0; i < 192; i++) next(6_000);
    expect(bits).toBe(0x1d00ffff);
    for (let i = 0; i < 5; i++) expect(next(6_000)).toBe(main.easiestBits);
  });

  it('lets a test network mine an easiest block after twenty minutes, and returns to the earlier target', () => {
    const test = rulesOf('test', 'test') as ChainRules;
    const view = new Times(1_000_000, 0x1c0fffff, 4_032);
    view.add(600, 0x1c0fffff).add(1_300, test.easiestBits);
    expect(requiredBits(test, view, 1_001_900 + 1_201)).toBe(test.easiestBits);
    expect(requiredBits(test, view, 1_001_900 + 1_200)).toBe(0x1c0fffff);
  });
});

import { describe, expect, it } from 'vitest';
import { headerHash } from '../../../chain/index.ts';
import { anchoredRules, type ChainRules, rulesOf } from './chain-rules.ts';

const main = rulesOf('main', 'main') as ChainRules;
const test = rulesOf('test', 'test') as ChainRules;
const stn = rulesOf('test', 'stn') as ChainRules;
const regtest = rulesOf('sandbox', 'regtest') as ChainRules;

describe('the rules of a chain', () => {
  it('take back what a node takes back only where the chain starts over or is the node’s own', () => {
    expect([main, test, stn, regtest].map(({ followsNode }) => followsNode)).toEqual([false, false, true, true]);
  });

  it('take the easiest target on test networks alone, and a fixed one on a chain of one’s own', () => {
    expect([main, test, stn, regtest].map(({ allowsEasiest }) => allowsEasiest)).toEqual([false, true, false, true]);
    expect([main, test, stn, regtest].map(({ isFixed }) => isFixed)).toEqual([false, false, false, true]);
  });

  it('begin with the published first block', () => {
    expect(headerHash(main.genesis)).toBe('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f');
    expect(headerHash(test.genesis)).toBe('000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943');
    expect(headerHash(stn.genesis)).toBe(headerHash(test.genesis));
    expect(headerHash(regtest.genesis)).toBe('0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206');
  });

  it('name checkpoints from the lowest up, each a block that took work', () => {
    for (const { checkpoints } of [main, test]) {
      const heights = checkpoints.map(({ height }) => height);
      expect(heights).toEqual(heights.toSorted((a, b) => a - b));
      expect(new Set(heights).size).toBe(heights.length);
      for (const { hash } of checkpoints) expect(hash).toMatch(/^0{8}[0-9a-f]{56}$/);
    }
  });

  it('name newest checkpoints of the main chain whose hashes show the work that it took on average', () => {
    const newest = main.checkpoints.filter(({ height }) => height >= 899_999);
    const [first, second] = newest.filter(({ work }) => work !== undefined) as [(typeof newest)[0], (typeof newest)[0]];
    const workOfOne = ((second.work as bigint) - (first.work as bigint)) / BigInt(second.height - first.height);
    const target = 2n ** 256n / workOfOne;
    expect(newest).toHaveLength(3);
    for (const { hash } of newest) expect(BigInt(`0x${hash}`)).toBeLessThan(target);
  });

  it('are those of the network, and of no chain that it cannot be', () => {
    const nameOf = (network: Parameters<typeof rulesOf>[0], chain: string) => rulesOf(network, chain)?.name;
    expect([nameOf('main', 'test'), nameOf('sandbox', 'main'), nameOf('private', 'main')]).toEqual([
      ...['main', 'regtest', 'regtest'],
    ]);
    for (const chain of ['test', 'stn', 'regtest']) expect(nameOf('test', chain)).toBe(chain);
    for (const chain of ['main', 'toString', 'unknown']) expect(nameOf('test', chain)).toBeUndefined();
  });

  it('fix the second block of another installation’s sandbox, once it is known, and of no other chain', () => {
    const joined = rulesOf('private', 'regtest') as ChainRules;
    const second = 'ab'.repeat(32);
    expect(anchoredRules(joined, second)).toEqual({ ...joined, checkpoints: [{ height: 1, hash: second }] });
    expect(anchoredRules(joined, undefined)).toBe(joined);
    for (const rules of [main, regtest]) expect(anchoredRules(rules, second)).toBe(rules);
  });
});

import { describe, expect, it } from 'vitest';
import type { HeldToken, TokenHolding } from '../../../contract/index.ts';
import { issueOf, stepOf, type TokenStep, tokenSteps } from './subjects.ts';

const token = (n: number, changes: Partial<HeldToken> = {}): HeldToken => ({
  outpoint: `${'ab'.repeat(32)}_${n}`,
  satoshis: 10,
  address: 'mine',
  confirmed: true,
  inUse: false,
  history: 'genuine',
  ...changes,
});
const holding = (tokens: HeldToken[], changes: Partial<TokenHolding> = {}): TokenHolding => ({
  kind: 'cd'.repeat(32),
  symbol: 'CAFE',
  splittable: true,
  mergeable: true,
  issuer: 'issuer',
  ownIssue: false,
  data: null,
  satoshis: 10,
  satsPerToken: 10,
  tokens,
  ...changes,
});
const possible = (first: HeldToken, of: TokenHolding): TokenStep[] =>
  tokenSteps.filter((step) => stepOf(step, first, of, 'mine') !== undefined);

describe('what can be done with a token', () => {
  const first = token(0);

  it('is everything where it is free, large enough and not alone', () => {
    expect(possible(first, holding([first, token(1)]))).toEqual(['transfer', 'split', 'merge', 'redeem']);
  });

  it('is nothing while a transaction spends it', () => {
    const used = token(0, { inUse: true });
    expect(possible(used, holding([used, token(1)]))).toEqual([]);
  });

  it('is no split of one satoshi, or where its rules forbid it', () => {
    const one = token(0, { satoshis: 1 });
    expect(possible(one, holding([one, token(1)]))).toEqual(['transfer', 'merge', 'redeem']);
    expect(possible(first, holding([first, token(1)], { splittable: false }))).not.toContain('split');
  });

  it.each([
    ['there is no other', []],
    ['the other is in use', [token(1, { inUse: true })]],
    ['the other belongs to another address', [token(1, { address: 'another' })]],
  ])('is no merge where %s', (_, others) => {
    expect(possible(first, holding([first, ...others]))).toEqual(['transfer', 'split', 'redeem']);
  });
});

describe('a contract', () => {
  const contract = { outpoint: `${'ab'.repeat(32)}_0`, satoshis: 10, confirmed: true, inUse: false };
  const schema = { symbol: 'CAFE', satsPerToken: 1, totalSupply: 10 };

  it('is issued where it can be read and nothing uses it', () => {
    expect(issueOf({ ...contract, schema }, 'mine')).toMatchObject({ action: 'issue', symbol: 'CAFE' });
    expect(issueOf({ ...contract, schema, inUse: true }, 'mine')).toBeUndefined();
    expect(issueOf({ ...contract, schema: null }, 'mine')).toBeUndefined();
  });
});

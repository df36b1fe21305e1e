import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { HeldToken, TokenHolding } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { TokenList } from './token-list.tsx';

const token = (n: number, history: HeldToken['history'], changes: Partial<HeldToken> = {}): HeldToken => ({
  outpoint: `${String(n).repeat(64)}_0`,
  satoshis: n,
  address: 'mine',
  confirmed: true,
  inUse: false,
  history,
  ...changes,
});

function show(tokens: HeldToken[], changes: Partial<TokenHolding> = {}) {
  const holding: TokenHolding = {
    kind: 'cd'.repeat(32),
    symbol: 'CAFE',
    splittable: true,
    mergeable: true,
    issuer: 'issuer',
    ownIssue: false,
    data: null,
    satoshis: 500,
    satsPerToken: 10,
    tokens,
    ...changes,
  };
  renderPart(<TokenList holding={holding} own="mine" onAction={() => {}} />, {});
}

it('the list of redeemable tokens marks tokens whose history is not checked or was found not genuine', () => {
  const inUse = { inUse: true };
  show([
    ...[token(6, 'genuine'), token(5, 'genuine', inUse), token(4, 'unchecked')],
    ...[token(3, 'checking'), token(2, 'notGenuine'), token(1, 'notGenuine', inUse)],
  ]);
  const badges = screen
    .getAllByRole('row')
    .flatMap((row) => within(row).queryAllByText(/^(Mined|In use|Not checked|Being checked|Not genuine)$/))
    .map(({ textContent }) => textContent);
  expect(badges).toEqual(['Mined', 'In use', 'Not checked', 'Being checked', 'Not genuine', 'Not genuine']);
});

it('the list of redeemable tokens counts tokens where the satoshis of one are known, and satoshis otherwise', () => {
  show([token(1, 'genuine')]);
  expect(screen.getByText('50 tokens (500 sat)')).toBeTruthy();
  show([token(1, 'genuine')], { symbol: 'TEA', satsPerToken: null });
  expect(screen.getByText('500 sat')).toBeTruthy();
  show([token(1, 'genuine')], { symbol: 'MILK', satsPerToken: 10, satoshis: 505 });
  expect(screen.getByText('505 sat')).toBeTruthy();
});

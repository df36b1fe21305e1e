import { expect, it } from 'vitest';
import type { WalletHistoryEntry } from '../../../contract/index.ts';
import { EMPTY_BALANCE } from '../../wallet/coins/spendable.ts';
import { balanceLine, historyLine } from './lines.ts';

const entry: WalletHistoryEntry = {
  txid: 'ab'.repeat(32),
  at: 0,
  height: null,
  amount: -500_113,
  fee: 113,
  balance: 2_000_000,
  tokens: 0,
  purpose: 'sent',
  label: '',
  contacts: [],
  state: 'double-spent',
};

it('the terminal tells a payment that was lost from one that was made', () => {
  const line = `1970-01-01T00:00:00.000Z  sent             -500113          2000000  ${'ab'.repeat(32)}`;
  expect(historyLine(entry)).toBe(`${line}  double-spent`);
  expect(historyLine({ ...entry, state: 'unconfirmed' })).toBe(`${line}  unconfirmed`);
  expect(historyLine({ ...entry, state: 'confirmed' })).toBe(line);
});

it('the terminal names the parts of the balance that cannot be spent now', () => {
  expect(balanceLine({ ...EMPTY_BALANCE, spendable: 5, elsewhere: 1 })).toBe(
    '6 satoshis to spend, 0 unconfirmed, 0 tokens',
  );
  expect(balanceLine({ ...EMPTY_BALANCE, locked: 100, frozen: 20, waiting: 3, unconfirmed: 3, tokens: 2 })).toBe(
    '0 satoshis to spend, 100 locked, 20 frozen, 3 waiting, 3 unconfirmed, 2 tokens',
  );
});

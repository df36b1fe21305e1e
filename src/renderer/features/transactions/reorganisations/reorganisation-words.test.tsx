import { describe, expect, it } from 'vitest';
import type { Reorganisation } from '../../../../contract/index.ts';
import { i18n } from '../../../i18n/index.ts';
import { reorganisationLink, reorganisationWords } from './reorganisation-words.ts';

type Affected = Reorganisation['affected'][number];

const base: Reorganisation = { at: 0, blocks: 2, height: 106, affected: [], total: 0 };
const token: Affected = { txid: 'aa'.repeat(32), origin: 'mint', outcome: 'waiting', height: null, tokens: ['Sun 3'] };
const payment: Affected = { txid: 'bb'.repeat(32), origin: 'wallet', outcome: 'mined', height: 105, tokens: [] };

function told(...affected: Reorganisation['affected']): Reorganisation {
  return { ...base, affected, total: affected.length };
}
const words = (one: Reorganisation) => reorganisationWords(i18n.t, one, 'en');

describe('the sentence about a reorganisation', () => {
  it('names what waits again and where the rest was mined', () => {
    expect(words(told(payment, token))).toBe(
      '2 blocks were replaced: your token “Sun 3” is waiting again, 1 payment was mined again in block 105.',
    );
  });

  it('counts what is alike', () => {
    const two = { ...token, tokens: ['Sun 1', 'Sun 2'] };
    const other = { ...payment, txid: 'cc'.repeat(32), height: 106 };
    expect(words({ ...told(two, payment, other), blocks: 1 })).toBe(
      '1 block was replaced: 2 tokens are waiting again, 2 payments were mined again.',
    );
  });

  it('says what is lost first, and how many are not named', () => {
    const lost: Affected = { ...payment, outcome: 'lost', height: null };
    expect(words({ ...told(token, lost), total: 1_002 })).toBe(
      '2 blocks were replaced: 1 payment is lost, your token “Sun 3” is waiting again, and 1,000 further transactions.',
    );
  });

  it('says that nothing was touched', () => {
    expect(words(base)).toBe('2 blocks were replaced: nothing of yours was in them.');
  });

  it('leads to the one transaction, or to the list', () => {
    expect(reorganisationLink(base)).toBeUndefined();
    expect(reorganisationLink(told(token))).toBe(`/transactions/${token.txid}`);
    expect(reorganisationLink(told(token, payment))).toBe('/transactions');
  });
});

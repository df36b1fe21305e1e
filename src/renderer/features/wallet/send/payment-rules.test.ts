import { beforeEach, describe, expect, it } from 'vitest';
import { paymentUri } from '../../../components/receive/payment-uri.ts';
import { ADDRESS, review, TXID } from '../../../test-support/samples.ts';
import { sideOf } from '../coins/coin-rules.ts';
import { isWordCount, wordsOf } from '../keys/words.ts';
import { paidBy } from './paid.ts';
import { receiver, requestOf, sumOf, useSendDraft } from './send-draft.ts';

describe('the request of a filled-in form', () => {
  beforeEach(() => useSendDraft.getState().clear());

  it('leaves out what was left empty', () => {
    useSendDraft.getState().change({ receivers: [receiver(ADDRESS, 500)], label: '  ' });
    expect(requestOf(useSendDraft.getState())).toEqual({ to: [{ address: ADDRESS, satoshis: 500 }] });
  });

  it('gives the last receiver all that is left, and does not count it in the sum', () => {
    useSendDraft.getState().change({ receivers: [receiver(ADDRESS, 500), receiver('b', 7)], all: true });
    expect(requestOf(useSendDraft.getState()).to).toEqual([
      { address: ADDRESS, satoshis: 500 },
      { address: 'b', satoshis: 'all' },
    ]);
    expect(sumOf(useSendDraft.getState())).toBe(500);
  });

  it('is the same after it was reviewed and taken back to the form', () => {
    const request = {
      to: [
        { address: ADDRESS, satoshis: 500 },
        { address: 'b', satoshis: 'all' as const },
      ],
      feeRate: 50,
      coins: [`${TXID}_0`],
      label: 'Rent',
    };
    useSendDraft.getState().load(request);
    expect(requestOf(useSendDraft.getState())).toEqual(request);
  });
});

describe('what a payment pays', () => {
  const output = (satoshis: number, kind: 'payment' | 'change', address: string) => ({
    ...(review.outputs[0] as (typeof review.outputs)[number]),
    satoshis,
    kind,
    address,
  });

  it('tells payments from change', () => {
    const outputs = [output(500, 'payment', 'b'), output(300, 'payment', 'c'), output(90, 'change', ADDRESS)];
    expect(paidBy({ outputs }, ADDRESS)).toMatchObject({ sum: 800, change: 90, isMove: false });
  });

  it('is a move within the wallet where all of it goes to the main address', () => {
    expect(paidBy({ outputs: [output(500, 'payment', ADDRESS)] }, ADDRESS).isMove).toBe(true);
    expect(paidBy({ outputs: [output(500, 'payment', ADDRESS)] }, null).isMove).toBe(false);
  });
});

describe('what the code for a payment says', () => {
  it('is the address alone, or the address with the exact amount in BSV', () => {
    expect(paymentUri(ADDRESS, undefined)).toBe(ADDRESS);
    expect(paymentUri(ADDRESS, 123_456_789_012)).toBe(`bitcoin:${ADDRESS}?sv&amount=1234.56789012`);
  });
});

describe('the block of a coin', () => {
  it('is as many pixels wider for each tenfold value', () => {
    const step = sideOf(100_000) - sideOf(10_000);
    expect(sideOf(1_000_000) - sideOf(100_000)).toBe(step);
    expect(step).toBeGreaterThan(0);
    expect(sideOf(2)).toBe(sideOf(100));
  });
});

describe('words of a seed as pasted', () => {
  it('are read whatever separates them', () => {
    expect(wordsOf(' 1. Legal\n2. winner,thank ')).toEqual(['legal', 'winner', 'thank']);
    expect([11, 12, 13, 24].map(isWordCount)).toEqual([false, true, false, true]);
  });
});

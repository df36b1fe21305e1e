import { describe, expect, it } from 'vitest';
import { feeFor, parseTxObj, txidOf } from '../../../chain/index.ts';
import { coin, facts, failedIds, honest, type Loose, RATE, request } from '../test-support/review-fixture.ts';
import { reviewTransaction } from './review.ts';

describe('the fee of a reviewed transaction', () => {
  it('accepts change too small for an output as part of the fee', () => {
    const fee = 600;
    const spent = coin('a', 2 + fee);
    const txObj = structuredClone(honest((p) => Object.assign(p, { spent: [spent], fee }))) as Loose;
    txObj.outputs = txObj.outputs.slice(0, 2);
    Object.assign(txObj, { changeIndex: undefined });
    txObj.hash = txidOf(parseTxObj({ ...txObj, hash: undefined }).tx);
    const known = { coins: [{ ...spent, utxo: spent, unspent: true }] };
    expect(failedIds(txObj, request({ coins: [spent] }), known)).toEqual([]);

    // The review names the cause of a fee that is too high, and the amount that would give a change output.
    const told = (limits: object) => {
      const { checks } = reviewTransaction(request({ coins: [spent], ...limits }), txObj, known);
      const maximum = checks.find(({ id }) => id === 'fee-maximum')?.sentences ?? [];
      const failed = checks.filter(({ passed }) => !passed);
      return {
        quote: Number(maximum[0]?.values?.quote),
        failed: failed.map(({ id, sentences = [] }) => [id, ...sentences.slice(1)]),
      };
    };
    const { quote } = told({});
    const missing = 546 - (fee - quote) + feeFor(148 + 34, RATE);
    const dust = { key: 'review.fee.dust', values: { satoshis: fee - quote, missing } };
    expect(missing).toBeGreaterThan(0);
    expect(told({ maxFee: fee - 1 }).failed).toEqual([['fee-limit', dust]]);
    expect(told({ maxFee: quote }).failed).toEqual([['fee-limit', dust]]);
    expect(told({ maxFee: quote - 1 }).failed).toEqual([['fee-limit']]);
    expect(told({ maxFeeRate: 550 }).failed).toEqual([['fee-rate', dust]]);
    // A quote above the limit is reported alone: a change output would not help.
    expect(told({ maxFeeRate: 450 }).failed).toMatchObject([['fee-rate', { key: 'review.fee-rate.above' }]]);
  });

  it('accepts up to the smallest change as part of the fee, and no satoshi more', () => {
    /** The review of tokens alone, without an output for change. */
    const paying = (fee: number, limits: object = { maxFeeRate: 100_000 }) => {
      const spent = coin('a', 2 + fee);
      const txObj = structuredClone(honest((p) => Object.assign(p, { spent: [spent], fee }))) as Loose;
      txObj.outputs = txObj.outputs.slice(0, 2);
      Object.assign(txObj, { changeIndex: undefined });
      txObj.hash = txidOf(parseTxObj({ ...txObj, hash: undefined }).tx);
      const known = { coins: [{ ...spent, utxo: spent, unspent: true }] };
      return reviewTransaction(request({ coins: [spent], ...limits }), txObj, known).checks;
    };
    const quote = Number(paying(600).find(({ id }) => id === 'fee-maximum')?.sentences?.[0]?.values?.quote);
    const failed = (fee: number) => paying(fee).flatMap(({ id, passed }) => (passed ? [] : [id]));
    expect(failed(2 * quote + 546)).toEqual([]);
    expect(failed(2 * quote + 547)).toEqual(['fee-maximum']);
    const said = (extra: number) =>
      paying(quote + extra, { maxFee: quote })
        .find(({ id }) => id === 'fee-limit')
        ?.sentences?.map(({ key }) => key);
    expect(said(545)).toEqual(['review.fee-limit.above', 'review.fee.dust']);
    expect(said(546)).toEqual(['review.fee-limit.above']);
  });

  it('is refused if the quote or the fee exceeds the highest rate of the settings', () => {
    const { size } = reviewTransaction(request(), honest(), facts);
    const dear = { satoshis: 2_000, bytes: 1_000 };
    const atCap = { satoshis: 1_000, bytes: 1_000 };
    const cases: [RATE: typeof RATE, fee: number, failed: string[]][] = [
      [atCap, size, []],
      [atCap, size + 1, ['fee-rate']],
      [dear, 2 * size, ['fee-rate']],
      [{ satoshis: 1_001, bytes: 1_000 }, size + 2, ['fee-rate']],
    ];
    for (const [rate, fee, failed] of cases) {
      const asked = request({ quote: { standard: rate, data: rate } });
      expect(
        failedIds(
          honest((p) => Object.assign(p, { fee })),
          asked,
        ),
        `${fee}`,
      ).toEqual(failed);
    }
  });

  it('names the signer of the quote, and since when the key is known', () => {
    const source = {
      endpoint: 'https://miner.example/mapi',
      publicKey: `02${'ab'.repeat(32)}`,
      since: 0,
      pinned: false,
    };
    const told = (changes: object) => {
      const quote = { standard: RATE, data: RATE, source: { ...source, ...changes } };
      const review = reviewTransaction(request({ quote }), honest(), facts);
      expect(review).toMatchObject({ ok: true, quote: quote.source });
      return review.checks.find(({ id }) => id === 'quote-signer')?.text;
    };
    expect(told({})).toContain(`https://miner.example/mapi, signed with the key ${source.publicKey}`);
    expect(told({})).toContain('known since 1970-01-01 00:00 UTC');
    expect(told({ pinned: true })).toContain('pinned');
    expect(told({ publicKey: null })).toContain('not signed');
  });

  it('is refused above the limit of the settings', () => {
    expect(failedIds(honest(), request({ maxFee: 100 }))).toEqual(['fee-limit']);
  });

  it('is accepted from the lowest to the highest fee, and no satoshi beyond', () => {
    const paying = (fee: number, req = request()) =>
      failedIds(
        honest((p) => Object.assign(p, { fee })),
        req,
      );
    const says = (fee: number, req = request()) =>
      reviewTransaction(
        req,
        honest((p) => Object.assign(p, { fee })),
        facts,
      ).checks.flatMap(({ passed, sentences }) => (passed ? [] : (sentences ?? [])));
    const least = Number(says(1)[0]?.values?.least);
    expect(paying(least)).toEqual([]);
    expect(paying(least - 1)).toEqual(['fee-minimum']);
    const wide = request({ maxFeeRate: 100_000 });
    const most = 2 * Number(says(8_000, wide)[0]?.values?.quote);
    expect(paying(most, wide)).toEqual([]);
    expect(paying(most + 1, wide)).toEqual(['fee-maximum']);
    expect(paying(least, request({ maxFee: least }))).toEqual([]);
    expect(paying(least + 1, request({ maxFee: least }))).toEqual(['fee-limit']);
  });

  it('is refused for a quote that is too high, even if less is paid', () => {
    const dear = { satoshis: 1_001, bytes: 1_000 };
    for (const quote of [
      { standard: dear, data: RATE },
      { standard: RATE, data: dear },
    ]) {
      const review = reviewTransaction(request({ quote }), honest(), facts);
      const keys = review.checks.flatMap(({ passed, sentences }) =>
        passed ? [] : (sentences ?? []).map(({ key }) => key),
      );
      expect(keys).toContain('review.fee-rate.quote');
    }
  });
});

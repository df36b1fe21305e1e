import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asFundingUtxo, feeFor, LEAST_CHANGE, p2pkhScript, satoshis, type Utxo } from '../../../chain/index.ts';
import { type Candidate, MORE_FOR_CONFIRMED, selectCoins, worthTheirCost } from './coin-selection.ts';

const script = p2pkhScript(new Uint8Array(20));
const rate = { satoshis: 500, bytes: 1_000 };
/** A transaction of `outputs` bytes and so many P2PKH inputs. */
const fee = (outputs: number) => (inputs: number) => feeFor(outputs + 148 * inputs, rate);

function candidate(value: number, at: number, confirmed = true): Candidate {
  const utxo: Utxo = {
    txid: at.toString(16).padStart(64, '0'),
    vout: 0,
    satoshis: satoshis(value),
    lockingScript: script,
  };
  const coin = asFundingUtxo(utxo);
  if (!coin) throw new Error('not a funding coin');
  return { coin, confirmed };
}
const coins = (...values: number[]): Candidate[] => values.map((value, at) => candidate(value, at));
const sumOf = (chosen: readonly { satoshis: number }[]): number => chosen.reduce((sum, coin) => sum + coin.satoshis, 0);
const valuesOf = (chosen: readonly { satoshis: number }[] | undefined) => chosen?.map(({ satoshis }) => satoshis);

const candidates = fc
  .array(
    fc.record({
      value: fc.oneof(fc.integer({ min: 2, max: 400 }), fc.integer({ min: 2, max: 1e9 })),
      confirmed: fc.boolean(),
    }),
    {
      maxLength: 40,
    },
  )
  .map((list) => list.map(({ value, confirmed }, at) => candidate(value, at, confirmed)));

describe('selectCoins', () => {
  it('pays outputs and fee, with candidates only, each once, whatever the wallet holds', () => {
    fc.assert(
      fc.property(
        candidates,
        fc.integer({ min: 0, max: 2e9 }),
        fc.integer({ min: 10, max: 5_000 }),
        (list, total, bytes) => {
          const chosen = selectCoins(list, satoshis(total), fee(bytes));
          if (!chosen) {
            // No subset is enough: adding the largest coins first is the most that any number of coins can give.
            const sorted = list.map(({ coin }) => coin).sort((a, b) => b.satoshis - a.satoshis);
            for (let n = 1; n <= sorted.length; n++) {
              expect(sumOf(sorted.slice(0, n))).toBeLessThan(total + fee(bytes)(n));
            }
            return;
          }
          expect(new Set(chosen).size).toBe(chosen.length);
          for (const coin of chosen) expect(list.some((one) => one.coin === coin)).toBe(true);
          expect(sumOf(chosen)).toBeGreaterThanOrEqual(total + fee(bytes)(chosen.length));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('takes a coin that waits for its block where the confirmed ones would leave dust', () => {
    const [small, large] = [candidate(600, 0), candidate(50_000, 1, false)];
    expect(valuesOf(selectCoins([small, large], satoshis(1), fee(200)))).toEqual([50_000]);
    // where all leave dust, or none does, the confirmed ones pay
    expect(valuesOf(selectCoins([candidate(300, 0), candidate(310, 1, false)], satoshis(1), fee(200)))).toEqual([300]);
    expect(valuesOf(selectCoins([candidate(1_000, 0), large], satoshis(1), fee(200)))).toEqual([1_000]);
  });

  it('takes at most one coin more than the fewest, and only to avoid dust', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 0, max: 2e9 }), (list, total) => {
        const confirmed = list.map((one) => ({ ...one, confirmed: true }));
        const chosen = selectCoins(confirmed, satoshis(total), fee(200));
        if (!chosen) return;
        const sorted = confirmed.map(({ coin }) => coin).sort((a, b) => b.satoshis - a.satoshis);
        const fewest = sorted.findIndex((_, n) => sumOf(sorted.slice(0, n + 1)) >= total + fee(200)(n + 1)) + 1;
        expect(chosen.length).toBeLessThanOrEqual(fewest + 1);
        const change = sumOf(chosen) - total - fee(200)(chosen.length);
        if (chosen.length > fewest) expect(change === 0 || change >= LEAST_CHANGE).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('uses unconfirmed coins only where confirmed ones are not enough, cost many inputs more, or leave dust', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 0, max: 2e9 }), (list, total) => {
        const confirmed = list.filter((one) => one.confirmed);
        const chosen = selectCoins(list, satoshis(total), fee(200));
        const safe = selectCoins(confirmed, satoshis(total), fee(200));
        if (!safe || !chosen) return;
        const isSafe = chosen.every((coin) => confirmed.some((one) => one.coin === coin));
        if (isSafe) return;
        const left = sumOf(safe) - total - fee(200)(safe.length);
        const isDusty = left > 0 && left < LEAST_CHANGE;
        expect(isDusty || safe.length > chosen.length + MORE_FOR_CONFIRMED).toBe(true);
      }),
    );
  });

  it('never adds a coin that costs more than it is worth', () => {
    fc.assert(
      fc.property(
        candidates,
        fc.integer({ min: 0, max: 2e9 }),
        fc.integer({ min: 1, max: 5_000 }),
        (list, total, price) => {
          const priced = (inputs: number) => feeFor(200 + 148 * inputs, { satoshis: price, bytes: 1_000 });
          const chosen = selectCoins(list, satoshis(total), priced);
          if (!chosen) return;
          const least = chosen.reduce((min, coin) => Math.min(min, coin.satoshis), Number.POSITIVE_INFINITY);
          const rest = sumOf(chosen) - least;
          // without its smallest coin the payment is not paid, or is left with less than with it
          const without = rest - priced(chosen.length - 1);
          if (chosen.length > 1 && without >= total)
            expect(sumOf(chosen) - priced(chosen.length)).toBeGreaterThan(without);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('is not made dearer by any number of small coins', () => {
    const dust = Array.from({ length: 600 }, (_, at) => candidate(2, at + 10));
    const small = Array.from({ length: 600 }, (_, at) => candidate(150, at + 1_000));
    const large = candidate(50_000_000, 1);
    const unsettled = candidate(50_000_000, 2, false);
    expect(valuesOf(selectCoins([...dust, large], satoshis(1_000), fee(200)))).toEqual([50_000_000]);
    expect(valuesOf(selectCoins([...small, unsettled], satoshis(20_000), fee(200)))).toEqual([50_000_000]);
    expect(selectCoins([...dust, candidate(900, 1)], satoshis(1_000), fee(200))).toBeUndefined();
    // one coin of exactly what is missing would cost more than it brings
    const need = 1_000 + fee(200)(2);
    expect(valuesOf(selectCoins(coins(need - 60, 60), satoshis(1_000), fee(200)))).toEqual([need - 60]);
  });

  it('pays as much as the coins that are worth their cost can, and nothing beyond', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 1, max: 5_000 }), (list, price) => {
        const priced = (inputs: number) => feeFor(200 + 148 * inputs, { satoshis: price, bytes: 1_000 });
        const worth = worthTheirCost(list, priced).map(({ coin }) => coin);
        const most = sumOf(worth) - priced(worth.length);
        if (most >= 0 && worth.length > 0) expect(selectCoins(list, satoshis(most), priced)).toBeDefined();
        expect(selectCoins(list, satoshis(Math.max(0, most) + 1), priced)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('chooses the same coins whatever order they come in', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 0, max: 2e9 }), fc.infiniteStream(fc.nat()), (list, total, order) => {
        const shuffled = list
          .map((one) => ({ one, at: order.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        expect(selectCoins(shuffled, satoshis(total), fee(200))).toEqual(selectCoins(list, satoshis(total), fee(200)));
      }),
    );
  });

  it('cannot be given a token: there is no way to make one a candidate', () => {
    const token: Utxo = { txid: 'ab'.repeat(32), vout: 0, satoshis: satoshis(1), lockingScript: script };
    expect(asFundingUtxo(token)).toBeUndefined();
    // @ts-expect-error a plain output is no funding coin
    selectCoins([{ coin: token, confirmed: true }], satoshis(0), () => satoshis(0));
  });

  it('leaves large coins free where a small one will do', () => {
    expect(valuesOf(selectCoins(coins(1_000_000, 5_000, 2_000, 300), satoshis(1_000), fee(200)))).toEqual([2_000]);
    expect(valuesOf(selectCoins(coins(10_000, 6_000, 5_900, 100), satoshis(15_000), fee(200)))).toEqual([
      10_000, 5_900,
    ]);
  });

  it('avoids change of a few satoshis where there is a choice', () => {
    const need = 1_000 + fee(200)(1);
    expect(valuesOf(selectCoins(coins(need + 1, need + LEAST_CHANGE, 9_000), satoshis(1_000), fee(200)))).toEqual([
      need + LEAST_CHANGE,
    ]);
    expect(valuesOf(selectCoins(coins(need + 1, need, 9_000), satoshis(1_000), fee(200)))).toEqual([need]);
    expect(valuesOf(selectCoins(coins(need + 1, 700), satoshis(1_000), fee(200)))).toEqual([need + 1, 700]);
    expect(valuesOf(selectCoins(coins(need + 1), satoshis(1_000), fee(200)))).toEqual([need + 1]);
  });

  it('avoids change that a token service would add to the fee', () => {
    // 239 satoshis are needed of a coin of 600 that came from a redeemed token.
    expect(valuesOf(selectCoins(coins(1_000_000, 600), satoshis(1), () => satoshis(238)))).toEqual([1_000_000]);
  });

  it('gives nothing where all coins together are one satoshi short', () => {
    const need = 1_000 + fee(200)(2);
    expect(selectCoins(coins(need - 501, 500), satoshis(1_000), fee(200))).toBeUndefined();
    expect(valuesOf(selectCoins(coins(need - 500, 500), satoshis(1_000), fee(200)))).toEqual([need - 500, 500]);
    expect(selectCoins([], satoshis(0), fee(0))).toBeUndefined();
  });
});

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  encodeAddress,
  feeFor,
  formatOutpoint,
  leastChangeAt,
  parseTx,
  predictSignedSize,
  serializeTx,
  txidOf,
} from '../../../chain/index.ts';
import { PlanchetError, type WalletSendRequest } from '../../../contract/index.ts';
import { payment } from '../test-support/test-node.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';
import { buildPayment, namedTotal, paymentFee } from './send-draft.ts';
import { reviewPayment } from './send-review.ts';

const FOREIGN = encodeAddress(new Uint8Array(20).fill(7), 'test');

const opened = new WalletOfTest();
let wallet: Wallet;
beforeEach(() => {
  ({ wallet } = opened);
});

const coins = fc.array(
  fc.record({
    satoshis: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 600 }), fc.integer({ min: 2, max: 1e8 })),
    key: fc.integer({ min: 0, max: 20 }),
    frozen: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);
const amounts = fc.array(fc.oneof(fc.integer({ min: 2, max: 2_000 }), fc.integer({ min: 2, max: 5e7 })), {
  minLength: 1,
  maxLength: 5,
});

describe('payments', () => {
  it('spend no token and no frozen coin, and pay at most dust and a satoshi over the price, whatever the wallet holds', async () => {
    let built = 0;
    await fc.assert(
      fc.asyncProperty(coins, amounts, fc.integer({ min: 1, max: 3_000 }), async (held, values, perThousand) => {
        const { coinStore, keys } = wallet.open();
        const scripts = keys.money.map(({ lockingScript }) => lockingScript);
        const txs = held.map(({ satoshis, key }) => payment({ script: scripts[key] as Uint8Array, satoshis }));
        const { observeAll, forgetAll } = observed(txs);
        const outpoints = await observeAll();
        const forbidden = new Set(outpoints.filter((_, i) => held[i]?.frozen || held[i]?.satoshis === 1));
        await coinStore.change((edit) => {
          outpoints.forEach((outpoint, i) => {
            if (held[i]?.frozen) edit.setFrozen(outpoint, true);
          });
        });
        const rate = { satoshis: perThousand, bytes: 1_000 };
        const to = values.map((satoshis) => ({ address: FOREIGN, satoshis }));
        const request: WalletSendRequest = { to };
        try {
          const total = namedTotal(request) as Parameters<Wallet['reserve']>[1];
          const chosen = await wallet.reserve('send:p', total, paymentFee(request, rate));
          const unsigned = buildPayment(request, chosen, wallet.lockingScript(), rate);
          const tx = parseTx(unsigned);
          for (const input of tx.inputs) expect(forbidden.has(formatOutpoint(input))).toBe(false);
          const given = chosen.reduce((sum, coin) => sum + coin.satoshis, 0);
          const fee = given - tx.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
          const price = feeFor(predictSignedSize(tx), rate);
          expect(fee).toBeGreaterThanOrEqual(price);
          expect(fee).toBeLessThanOrEqual(price + leastChangeAt(rate) + 1);
          for (const { satoshis } of tx.outputs) expect(satoshis).toBeGreaterThan(1);
          const review = reviewPayment(request, unsigned, {
            network: 'sandbox',
            rate,
            source: undefined,
            caps: { maxFeeSatoshis: 1e9, maxFeeRate: 1e6 },
            changeScript: wallet.lockingScript(),
            held: wallet.reserved('send:p'),
          });
          expect(review.checks.filter(({ passed }) => !passed)).toEqual([]);
          built += 1;
        } catch (error) {
          if (!(error instanceof PlanchetError)) throw error;
          expect(error.code).toBe('funds-insufficient');
        } finally {
          await wallet.release('send:p');
          await forgetAll();
        }
      }),
      { numRuns: process.env.PLANCHET_LONG ? 2_000 : 100 },
    );
    expect(built).toBeGreaterThan(10);
  });

  it('are refused by the review if anything was changed after they were built', async () => {
    const script = wallet.lockingScript();
    const { observeAll } = observed([payment({ script, satoshis: 50_000 })]);
    await observeAll();
    const rate = { satoshis: 50, bytes: 1_000 };
    const request: WalletSendRequest = { to: [{ address: FOREIGN, satoshis: 1_000 }] };
    const total = namedTotal(request) as Parameters<Wallet['reserve']>[1];
    const held = await wallet.reserve('send:p', total, paymentFee(request, rate));
    const unsigned = buildPayment(request, held, script, rate);
    const caps = { maxFeeSatoshis: 1e6, maxFeeRate: 1_000 };
    const context = { network: 'sandbox' as const, rate, source: undefined, caps, changeScript: script, held };
    expect(reviewPayment(request, unsigned, context).ok).toBe(true);
    const failing = (asked: WalletSendRequest, bytes: Uint8Array, changed: Partial<typeof context> = {}): string[] =>
      reviewPayment(asked, bytes, { ...context, ...changed })
        .checks.filter(({ passed }) => !passed)
        .map(({ id }) => id);
    const other = encodeAddress(new Uint8Array(20).fill(8), 'test');
    expect(failing({ to: [{ address: other, satoshis: 1_000 }] }, unsigned)).toEqual(['outputs']);
    expect(failing({ to: [{ address: FOREIGN, satoshis: 999 }] }, unsigned)).toEqual(['outputs']);
    expect(failing({ ...request, coins: [`${'0'.repeat(64)}_0`] }, unsigned)).toEqual(['inputs']);
    expect(failing(request, unsigned, { changeScript: new Uint8Array(25) })).toEqual(['change']);
    expect(failing(request, unsigned, { held: [] })).toContain('inputs');
    expect(failing(request, unsigned, { rate: { satoshis: 500, bytes: 1_000 } })).toEqual(['fee-minimum']);
    const version2 = unsigned.slice();
    version2[0] = 2;
    expect(failing(request, version2)).toEqual(['form']);
  });
});

/** Shows transactions to the wallet, and takes them back. */
function observed(txs: readonly ReturnType<typeof payment>[]) {
  const ids: string[] = [];
  return {
    observeAll: async (): Promise<string[]> => {
      for (const tx of txs) {
        await wallet.observe(serializeTx(tx));
        ids.push(txidOf(tx));
      }
      return ids.map((txid) => `${txid}_0`);
    },
    forgetAll: async (): Promise<void> => {
      for (const txid of ids) await wallet.forget(txid);
    },
  };
}

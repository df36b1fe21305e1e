import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  encodeAddress,
  type FundingUtxo,
  p2pkhScript,
  parseTx,
  satoshis,
  serializeTx,
  type Tx,
  type Utxo,
} from '../../../chain/index.ts';
import type { WalletSendRequest } from '../../../contract/index.ts';
import { buildPayment } from './send-draft.ts';
import { reviewPayment } from './send-review.ts';

const changeScript = p2pkhScript(new Uint8Array(20).fill(1));
const receiver = new Uint8Array(20).fill(2);
const token: Utxo = { txid: 'aa'.repeat(32), vout: 3, satoshis: satoshis(1), lockingScript: changeScript };
const request: WalletSendRequest = {
  token: `${token.txid}_${token.vout}`,
  to: [{ address: encodeAddress(receiver, 'test'), satoshis: 1 }],
};
const rate = { satoshis: 50, bytes: 1_000 };

function coinOf(value: number, index: number): FundingUtxo {
  return { txid: 'bb'.repeat(32), vout: index, satoshis: satoshis(value), lockingScript: changeScript } as FundingUtxo;
}

const coinsOf = fc
  .array(fc.integer({ min: 200, max: 1_000_000 }), { minLength: 1, maxLength: 6 })
  .map((values) => values.map(coinOf));

function review(unsigned: Uint8Array, held: readonly FundingUtxo[]) {
  const caps = { maxFeeSatoshis: 1_000_000, maxFeeRate: 1_000 };
  return reviewPayment(request, unsigned, {
    network: 'sandbox',
    rate,
    source: undefined,
    caps,
    changeScript,
    held,
    tokens: [token],
  });
}

it('the move of a token keeps the one satoshi of a token whole, whatever coins pay the fee', () => {
  fc.assert(
    fc.property(coinsOf, (coins) => {
      const unsigned = buildPayment(request, [token, ...coins], changeScript, rate);
      const tx = parseTx(unsigned);
      expect(tx.inputs[0]).toMatchObject({ txid: token.txid, vout: token.vout });
      expect(tx.outputs[0]).toEqual({ satoshis: 1, script: p2pkhScript(receiver) });
      expect(tx.outputs.slice(1).every(({ satoshis: value }) => value > 1)).toBe(true);
      expect(review(unsigned, coins)).toMatchObject({ ok: true });
    }),
  );
});

it('the move of a token refuses every transaction that would move the token in another way', () => {
  const otherOutput = fc.record({ value: fc.integer({ min: 0, max: 500 }), key: fc.integer({ min: 1, max: 3 }) });
  fc.assert(
    fc.property(coinsOf, otherOutput, fc.nat(5), fc.boolean(), (coins, other, place, swap) => {
      const tx = parseTx(buildPayment(request, [token, ...coins], changeScript, rate));
      const output = { satoshis: satoshis(other.value), script: p2pkhScript(new Uint8Array(20).fill(other.key)) };
      const forged: Tx = swap
        ? { ...tx, inputs: [...tx.inputs.slice(1), ...tx.inputs.slice(0, 1)] }
        : place === 0
          ? { ...tx, outputs: [output, ...tx.outputs.slice(1)] }
          : place === 1
            ? { ...tx, inputs: tx.inputs.slice(1) }
            : { ...tx, outputs: [output, ...tx.outputs] };
      const same = place === 0 && !swap && other.value === 1 && other.key === 2;
      expect(review(serializeTx(forged), coins).ok).toBe(same);
    }),
  );
});

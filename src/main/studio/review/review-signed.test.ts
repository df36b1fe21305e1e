import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  formatOutpoint,
  parseTx,
  parseTxObj,
  pushData,
  satoshis,
  serializeTx,
  sha256,
  sighashPreimage,
  type Utxo,
} from '../../../chain/index.ts';
import { KEY, signWith } from '../test-support/file-wallet.ts';
import { facts, honest, request } from '../test-support/review-fixture.ts';
import { reviewSignedTransaction, reviewTransaction } from './review.ts';

describe('reviewSignedTransaction', () => {
  const spent = facts.coins.map(({ utxo }) => utxo as Utxo);
  const unsigned = serializeTx(parseTxObj(honest()).tx);
  const { digest } = reviewTransaction(request(), honest(), facts);
  const failed = (raw: Uint8Array) =>
    reviewSignedTransaction(request(), raw, facts, digest)
      .checks.filter(({ passed }) => !passed)
      .map(({ id }) => id);

  it('passes the approved transaction, signed, with the same digest', () => {
    const review = reviewSignedTransaction(request(), signWith(unsigned, spent), facts, digest);
    expect(review.ok).toBe(true);
    expect(review.digest).toBe(digest);
  });

  it('finds a transaction that is not signed, wrongly signed, or not a transaction', () => {
    expect(failed(unsigned)).toContain('signatures');
    const wrongValue = spent.map((utxo) => ({ ...utxo, satoshis: satoshis(utxo.satoshis + 1) }));
    expect(failed(signWith(unsigned, wrongValue))).toEqual(['signatures']);
    expect(failed(Uint8Array.of(1, 2, 3))).toEqual(['form']);
  });

  it('finds a signature with 0x20, good as it is, and an unlocking script that computes', () => {
    const tx = parseTx(unsigned);
    const inputs = tx.inputs.map((input, index) => {
      const { lockingScript, satoshis: value } = spent[index] as Utxo;
      const preimage = sighashPreimage(tx, index, lockingScript, value, 0x61);
      const signature = Uint8Array.of(...(KEY.sign(Array.from(sha256(preimage))).toDER() as number[]), 0x61);
      const key = Uint8Array.from(KEY.toPublicKey().toDER() as number[]);
      return { ...input, script: concatBytes(pushData(signature), pushData(key)) };
    });
    const review = reviewSignedTransaction(request(), serializeTx({ ...tx, inputs }), facts, digest);
    const text = review.checks.find(({ id }) => id === 'signatures')?.text;
    expect(text).toMatch(/^Input 0 has a signature with 0x20/);
    expect(text).not.toMatch(/not signed correctly/);
    const signed = parseTx(signWith(unsigned, spent));
    const computing = signed.inputs.map((input) => ({
      ...input,
      script: concatBytes(input.script, Uint8Array.of(0x61)),
    }));
    const computed = reviewSignedTransaction(request(), serializeTx({ ...signed, inputs: computing }), facts, digest);
    expect(computed.checks.find(({ id }) => id === 'signatures')?.text).toMatch(/unlocking script that computes/);
  });

  it('finds another transaction than the approved one', () => {
    const other = parseTx(unsigned);
    const raw = signWith(serializeTx({ ...other, inputs: [...other.inputs].reverse() }), [...spent].reverse());
    expect(failed(raw)).toEqual(['same-transaction']);
    expect(parseTx(raw).inputs.map(formatOutpoint)).toEqual([...spent].reverse().map(formatOutpoint));
  });
});

import { describe, expect, it } from 'vitest';
import { decodedTxSchema, receiptsOf } from './address-scan.ts';

const tx = decodedTxSchema.parse({
  txid: 'ab'.repeat(32),
  vout: [
    { value: 0.29, n: 0, scriptPubKey: { addresses: ['mine'], asm: '' } },
    { value: 20_999_999.9769, n: 1, scriptPubKey: { address: 'mine' } },
    { value: 0, n: 2, scriptPubKey: { type: 'nulldata' } },
    { value: 1, n: 3, scriptPubKey: { addresses: ['other'] } },
  ],
});

describe('what an address received', () => {
  it('is told in whole satoshis, with its place', () => {
    expect(receiptsOf(tx, 'mine', { height: 7, time: 1_700_000_000 })).toEqual([
      { outpoint: `${tx.txid}_0`, txid: tx.txid, index: 0, satoshis: 29_000_000, height: 7, time: 1_700_000_000 },
      {
        outpoint: `${tx.txid}_1`,
        txid: tx.txid,
        index: 1,
        satoshis: 2_099_999_997_690_000,
        height: 7,
        time: 1_700_000_000,
      },
    ]);
    expect(receiptsOf(tx, 'mine', null)[0]).toMatchObject({ height: null, time: null });
    expect(receiptsOf(tx, 'nobody', null)).toEqual([]);
  });
});

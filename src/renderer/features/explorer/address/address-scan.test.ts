import { describe, expect, it } from 'vitest';
import { fromHex, hash160 } from '../../../../chain/encoding/bytes.ts';
import { encodeAddress } from '../../../../chain/keys/address.ts';
import { decodedTxSchema, receiptsOf } from './address-scan.ts';
import { payeeOf } from './payee.ts';

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
  it('is given in whole satoshis, with its place', () => {
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

describe('tokens of an address', () => {
  const address = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
  const lock = '76a914243f1394f44554f4ce3fd68649c19adc483ce92488ac';
  const envelope = '0063036f726451106170706c69636174696f6e2f6a736f6e00' + '4c025b5d' + '68';

  const paid = (scripts: readonly string[], to = address): number[] => {
    const vout = scripts.map((hex, n) => ({ value: 0.00000001, n, scriptPubKey: { type: 'nonstandard', hex } }));
    return receiptsOf(decodedTxSchema.parse({ txid: 'ab'.repeat(32), vout }), to, null).map(({ index }) => index);
  };

  it('are found with the envelope before or after the lock', () => {
    const scripts = [lock + envelope, envelope + lock, `${envelope}ab${lock}`, `${envelope + envelope + lock}6a0161`];
    expect(paid(scripts)).toEqual(scripts.map((_, n) => n));
  });

  it('are found behind an envelope also where the lock has the public key, as the wallet finds them', () => {
    const key = `02${'11'.repeat(32)}`;
    const own = encodeAddress(hash160(fromHex(key)), 'test');
    expect(paid([`${envelope}21${key}ac`, `${envelope}ab21${key}ac`, `21${key}ac`], own)).toEqual([0, 1]);
  });

  it('are not taken from scripts that merely hold the bytes', () => {
    const other = lock.replace('243f', '243e');
    const scripts = [
      '',
      other,
      `${envelope}${other}`,
      `00631a68${lock}68${other}`,
      `0063${lock}68`,
      `0063036f72`,
      `00634d`,
      `00634effffffff${lock}`,
      `51${lock}`,
      `ab${lock}`,
      `${lock}0`,
    ];
    expect(paid(scripts)).toEqual([]);
    for (const none of ['', 'mine', '0OIl'.repeat(8), 'z'.repeat(60), address.replace('Z', 'Y')])
      expect(payeeOf(none)).toBeUndefined();
  });

  it('are not those of several keys, whatever addresses the node names', () => {
    const scriptPubKey = { addresses: [address], hex: `51${`21${'02'.repeat(33)}`.repeat(2)}52ae` };
    const one = decodedTxSchema.parse({ txid: 'ab'.repeat(32), vout: [{ value: 1, n: 0, scriptPubKey }] });
    expect(receiptsOf(one, address, null)).toEqual([]);
  });
});

import { PrivateKey } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { chronicleUse, concatBytes, fromHex, pushData, type Tx } from '../index.ts';

const key = new PrivateKey(9);
const der = Uint8Array.from(key.sign([1, 2, 3]).toDER() as number[]);
const signature = (type: number) => pushData(concatBytes(der, Uint8Array.of(type)));

function spending(version: number, ...scripts: Uint8Array[]): Tx {
  const inputs = scripts.map((script, vout) => ({ txid: 'ab'.repeat(32), vout, script, sequence: 0xffffffff }));
  return { version, inputs, outputs: [], lockTime: 0 };
}

describe('chronicleUse', () => {
  it('lists the inputs whose signatures have 0x20 together with the fork id', () => {
    const scripts = [0x41, 0x61, 0xe3, 0x21, 0x64, 0x62].map(signature);
    expect(chronicleUse(spending(1, ...scripts))).toEqual({
      isMalleable: false,
      originalDigest: [1, 2, 5],
      computing: [],
    });
    // data that merely ends like one is not a signature
    expect(chronicleUse(spending(1, pushData(fromHex(`${'00'.repeat(70)}61`)))).originalDigest).toEqual([]);
  });

  it('lists the inputs whose unlocking scripts do more than push', () => {
    const scripts = ['51', '5193', '004f5060', '0151ab', '4c0193', '6a93'].map(fromHex);
    expect(chronicleUse(spending(2, ...scripts))).toEqual({
      isMalleable: true,
      originalDigest: [],
      computing: [1, 3, 5],
    });
  });

  it('ignores the scripts and the version of a coinbase', () => {
    const input = { txid: '0'.repeat(64), vout: 0xffffffff, script: fromHex('02abab'), sequence: 0 };
    const tx = { version: 2, inputs: [input], outputs: [], lockTime: 0 };
    expect(chronicleUse(tx)).toEqual({ isMalleable: false, originalDigest: [], computing: [] });
  });
});

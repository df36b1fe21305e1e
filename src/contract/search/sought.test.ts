import { describe, expect, it } from 'vitest';
import { readSought } from './sought.ts';

const id = 'ab'.repeat(32);

describe('readSought', () => {
  it.each([
    ['0', { kind: 'height', height: 0 }],
    [' 830,000 ', { kind: 'height', height: 830_000 }],
    [id.toUpperCase(), { kind: 'hash', hash: id }],
    [`${id}_1`, { kind: 'outpoint', txid: id, index: 1 }],
    [`${id}:0`, { kind: 'outpoint', txid: id, index: 0 }],
    ['1BitcoinEaterAddressDontSendf59kuE', { kind: 'address', address: '1BitcoinEaterAddressDontSendf59kuE' }],
    ['', { kind: 'unclear' }],
    [id.slice(1), { kind: 'unclear' }],
    ['-1', { kind: 'unclear' }],
  ])('classifies "%s"', (text, sought) => {
    expect(readSought(text)).toEqual(sought);
  });
});

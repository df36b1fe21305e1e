/** Generators and samples shared by the tests of this folder. */
import { readFileSync } from 'node:fs';
import { PrivateKey } from '@bsv/sdk';
import fc from 'fast-check';
import { hash160 } from '../encoding/bytes.ts';
import { MAX_SATOSHIS, satoshis } from '../transaction/amount.ts';
import type { Tx, TxInput, TxOutput } from '../transaction/transaction.ts';

export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8')) as T;
}

export const key = PrivateKey.fromHex('1'.padStart(64, '0'));
export const otherKey = PrivateKey.fromHex('2'.padStart(64, '0'));

export function keyHash(privateKey: PrivateKey): Uint8Array {
  return hash160(Uint8Array.from(privateKey.toPublicKey().toDER() as number[]));
}

export const u32 = fc.nat({ max: 0xffffffff });
export const i32 = fc.integer({ min: -0x80000000, max: 0x7fffffff });
const bytes = (max: number) => fc.uint8Array({ maxLength: max });
export const hashHex = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((hash) => Buffer.from(hash).toString('hex'));

/** Records with the ordinary prototype, which strict equality requires. */
function plainRecord<T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

export const txInput: fc.Arbitrary<TxInput> = plainRecord({
  txid: hashHex,
  vout: u32,
  script: bytes(300),
  sequence: u32,
});

export const txOutput: fc.Arbitrary<TxOutput> = plainRecord({
  satoshis: fc.integer({ min: 0, max: MAX_SATOSHIS }).map(satoshis),
  script: bytes(300),
});

export const anyTx: fc.Arbitrary<Tx> = plainRecord({
  version: i32,
  inputs: fc.array(txInput, { maxLength: 5 }),
  outputs: fc.array(txOutput, { maxLength: 5 }),
  lockTime: u32,
});

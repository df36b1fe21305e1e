import { describe, expect, it } from 'vitest';
import { ADDRESS } from '../../test-support/samples.ts';
import { originOf } from './origin.ts';

const id = (n: number): string => String(n).padStart(64, '0');
const inscription = { contentType: 'text/plain', bytes: 3, sha256: 'ab'.repeat(32), metadata: { name: 'Gift' } };

function chain(outputs: Record<number, { satoshis?: number; inscribed?: boolean; spends?: [number, number] }>) {
  return async ({ txid, output }: { txid: string; output: number }) => {
    const { satoshis = 1, inscribed = false, spends } = outputs[Number(txid)] ?? {};
    return {
      blockHeight: Number(txid),
      blockHash: null,
      inputs:
        spends === undefined
          ? []
          : [{ txid: id(spends[0]), vout: spends[1], satoshis: 1, address: null, scriptAsm: '' }],
      outputs: [
        {
          index: output,
          satoshis,
          address: ADDRESS,
          scriptAsm: '',
          data: null,
          inscription: inscribed ? inscription : null,
        },
      ],
    };
  };
}

describe('the origin of a received token', () => {
  it('is the inscription its moves lead back to', async () => {
    const read = chain({ 1: { inscribed: true }, 2: { spends: [1, 3] }, 3: { spends: [2, 0] } });
    const origin = await originOf(`${id(3)}_0`, read);
    expect(origin.inscription).toEqual(inscription);
    expect(origin.hops.map(({ blockHeight, index }) => [blockHeight, index])).toEqual([
      [1, 3],
      [2, 0],
      [3, 0],
    ]);
  });

  it('is unknown where the way back is not certain, leads to money, or never ends', async () => {
    const uncertain = chain({ 1: { inscribed: true }, 2: { spends: [1, 0] } });
    expect((await originOf(`${id(2)}_1`, uncertain)).inscription).toBeNull();
    const money = chain({ 1: { satoshis: 5, inscribed: true }, 2: { spends: [1, 0] } });
    expect((await originOf(`${id(2)}_0`, money)).inscription).toBeNull();
    const circle = chain({ 1: { spends: [1, 0] } });
    expect((await originOf(`${id(1)}_0`, circle)).hops).toHaveLength(50);
  });
});

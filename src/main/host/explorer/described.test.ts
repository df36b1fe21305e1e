import { describe, expect, it } from 'vitest';
import { fromHex, MAX_SATOSHIS, satoshis, serializeTx, type Tx, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { describe as described } from './described.ts';

const lock = '76a914243f1394f44554f4ce3fd68649c19adc483ce92488ac';
const envelope = '0063036f726451106170706c69636174696f6e2f6a736f6e004c025b5d68';

function txOf(outputs: readonly (readonly [value: number, script: string])[], inputs = 1): Tx {
  return {
    version: 1,
    inputs: Array.from({ length: inputs }, (_, vout) => ({
      txid: 'ab'.repeat(32),
      vout,
      script: fromHex('51'),
      sequence: 0,
    })),
    outputs: outputs.map(([value, script]) => ({ satoshis: satoshis(value), script: fromHex(script) })),
    lockTime: 0,
  };
}

/** Chain data that has these transactions. */
function having(known: ReadonlyMap<string, Uint8Array>, parts: Partial<ChainData> = {}): ChainData {
  return {
    transaction: async (txid: string) => {
      const value = known.get(txid);
      return value === undefined ? { basis: 'unknown' } : { basis: 'proven', value };
    },
    transactions: async (txids: readonly string[]) =>
      new Map(txids.flatMap((one) => (known.has(one) ? [[one, known.get(one) as Uint8Array]] : []))),
    ...parts,
  } as ChainData;
}

const mint = txOf(
  [
    [1, envelope + lock],
    [1, lock + envelope],
    [1, lock],
    [2, envelope + lock],
    [500, lock],
  ],
  2,
);
const raw = serializeTx(mint);
const txid = txidOf(mint);

describe('transactions of a block', () => {
  it('are told in figures, where an inscription counts on one satoshi alone', async () => {
    const figures = { txid, size: raw.length, inputs: 2, outputs: 5, value: 505, tokens: 2, fee: null };
    expect(await described(having(new Map([[txid, raw]])), [txid])).toEqual([figures]);
  });

  it('are left out where nobody tells them, or where they are none', async () => {
    const tooMuch = txOf([
      [MAX_SATOSHIS, lock],
      [1, lock],
    ]);
    const known = new Map([
      ['cut', raw.subarray(0, 60)],
      ['too much', serializeTx(tooMuch)],
      [txid, raw],
    ]);
    const found = await described(having(known), ['unknown', 'cut', 'too much', txid]);
    expect(found.map((one) => one.txid)).toEqual([txid]);
  });

  it('are not asked of public services, which answer few questions a second', async () => {
    expect(await described(having(new Map([[txid, raw]]), { withoutLists: true }), [txid])).toEqual([]);
  });

  it('fail where the node does', async () => {
    const failing = having(new Map(), {
      transaction: async () => {
        throw new PlanchetError('upstream.call-cancelled');
      },
    });
    await expect(described(failing, [txid])).rejects.toMatchObject({ id: 'upstream.call-cancelled' });
  });
});

import { ByteReader, ByteWriter, type Satoshis, satoshis } from '../../../../chain/index.ts';
import type { NodeUtxo } from '../types.ts';

/** An output that a block spent. */
export type SpentCoin = NodeUtxo & { readonly height: number };

// value, height with coinbase flag, empty script
const SMALLEST_COIN = 13;

/** @param coins one for each input of each transaction except the coinbase, in block order. */
export function encodeUndo(coins: readonly SpentCoin[]): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(coins.length);
  for (const { satoshis: value, height, coinbase, lockingScript } of coins) {
    writer.u64le(value);
    writer.u32le(height * 2 + (coinbase ? 1 : 0));
    writer.varBytes(lockingScript);
  }
  return writer.done();
}

/** @throws ChainError `bytes-malformed` for invalid data */
export function decodeUndo(bytes: Uint8Array): SpentCoin[] {
  const reader = new ByteReader(bytes);
  const coins: SpentCoin[] = [];
  for (let left = reader.count(SMALLEST_COIN); left > 0; left--) {
    const value: Satoshis = satoshis(reader.u64le());
    const packed = reader.u32le();
    coins.push({
      satoshis: value,
      height: Math.floor(packed / 2),
      coinbase: packed % 2 === 1,
      lockingScript: reader.varBytes(),
    });
  }
  reader.end();
  return coins;
}

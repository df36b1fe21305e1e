import { ByteReader, ChainError, MAX_SATOSHIS, txidOf } from '../../../chain/index.ts';

/**
 * A transaction that can be read but for an amount there cannot be. The node refuses it; what else was handed in with it may spend from
 * it all the same, and is told so.
 */
export interface Unsound {
  readonly raw: Uint8Array;
  readonly txid: string;
  /** Satoshis of its outputs, as signed 64-bit numbers: that is how the reference reads them. */
  readonly amounts: readonly bigint[];
}

/**
 * Reads the transaction at the beginning of some bytes, whatever its amounts are.
 * @param bytes must never change
 * @returns undefined where its amounts are not what is wrong with it
 */
export function readUnsound(bytes: Uint8Array): Unsound | undefined {
  try {
    const reader = new ByteReader(bytes, 'tx-malformed', true);
    reader.i32le();
    for (let left = reader.varint(); left > 0; left--) {
      reader.bytes(36);
      reader.varBytes();
      reader.u32le();
    }
    const amounts: bigint[] = [];
    for (let left = reader.varint(); left > 0; left--) {
      const low = BigInt(reader.u32le());
      amounts.push(BigInt.asIntN(64, (BigInt(reader.u32le()) << 32n) | low));
      reader.varBytes();
    }
    reader.u32le();
    if (amounts.every((amount) => amount >= 0n && amount <= MAX_SATOSHIS)) return undefined;
    const raw = bytes.subarray(0, reader.position);
    return { raw, txid: txidOf(raw), amounts };
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

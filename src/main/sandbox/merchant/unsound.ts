import { ByteReader, ChainError, MAX_SATOSHIS, txidOf } from '../../../chain/index.ts';

/**
 * A transaction that is well formed except for an impossible amount. The node refuses it, but other transactions of the same request may
 * spend its outputs and get a specific error.
 */
export interface Unsound {
  readonly raw: Uint8Array;
  readonly txid: string;
  /** Output amounts in satoshis, read as signed 64-bit numbers like in the reference. */
  readonly amounts: readonly bigint[];
}

/**
 * Parses the transaction at the start of some bytes, with any amounts.
 * @param bytes must not be modified
 * @returns undefined if it is malformed in another way
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

import {
  ByteReader,
  ChainError,
  fromHex,
  HEADER_BYTES,
  hashToDisplay,
  headerHash,
  merkleRoot,
  readHeader,
  readTx,
  sha256d,
} from '../../chain/index.ts';

/**
 * Hash of a block that is what its hash stands for: its transactions, no two of them the same, hash to the Merkle root of its header.
 * (The tree pairs an odd last hash with itself, so a block with transactions repeated at its end can have the same root.)
 * Transactions are hashed where they stand, one after the other, and not copied.
 * @param hex the serialised block
 * @returns display hex; undefined where something was altered, is missing or left over
 */
export function hashOfRawBlock(hex: string): string | undefined {
  try {
    const bytes = fromHex(hex);
    const reader = new ByteReader(bytes, 'block-malformed', true);
    const header = readHeader(reader);
    const txids: string[] = [];
    for (let left = reader.varint(); left > 0; left--) {
      const start = reader.position;
      readTx(reader);
      txids.push(hashToDisplay(sha256d(bytes.subarray(start, reader.position))));
    }
    reader.end();
    if (new Set(txids).size < txids.length || merkleRoot(txids) !== header.merkleRoot) return undefined;
    return headerHash(bytes.subarray(0, HEADER_BYTES));
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

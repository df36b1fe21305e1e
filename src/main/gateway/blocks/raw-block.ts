import {
  ByteReader,
  ChainError,
  fromHex,
  HEADER_BYTES,
  hashPair,
  hashToDisplay,
  headerHash,
  readHeader,
  readTx,
  sha256d,
} from '../../../chain/index.ts';

/** Milliseconds of hashing before the event loop runs other work. */
const SLICE_MS = 2;
/** Number of hashes between two looks at the clock. */
const HASHES_PER_LOOK = 16;

/**
 * Verifies a serialised block and returns its hash. Its transactions must all differ and hash to the Merkle root of its header. (The Merkle
 * tree pairs an odd last hash with itself, so a block that repeats its last transactions can have the same root.)
 * Transactions are hashed in place, one after the other, without copies. A large block is hashed in slices, so that other work can run.
 * @param hex the serialised block
 * @returns display hex; undefined if bytes were changed, are missing or left over
 */
export async function hashOfRawBlock(hex: string): Promise<string | undefined> {
  const pace = new Pace();
  try {
    const bytes = fromHex(hex);
    const reader = new ByteReader(bytes, 'block-malformed', true);
    const header = readHeader(reader);
    const hashes: Uint8Array[] = [];
    for (let left = reader.varint(); left > 0; left--) {
      const start = reader.position;
      readTx(reader);
      hashes.push(sha256d(bytes.subarray(start, reader.position)));
      if (pace.isDue()) await pace.turn();
    }
    reader.end();
    if (new Set(hashes.map(hashToDisplay)).size < hashes.length) return undefined;
    if ((await rootOf(hashes, pace)) !== header.merkleRoot) return undefined;
    return headerHash(bytes.subarray(0, HEADER_BYTES));
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** Merkle root in display hex; undefined without leaves. */
async function rootOf(leaves: readonly Uint8Array[], pace: Pace): Promise<string | undefined> {
  let level = leaves;
  while (level.length > 1) {
    const up: Uint8Array[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const left = level[at] as Uint8Array;
      up.push(hashPair(left, level[at + 1] ?? left));
      if (pace.isDue()) await pace.turn();
    }
    level = up;
  }
  return level[0] && hashToDisplay(level[0]);
}

/** Measures when long work has used up its slice of the event loop. */
class Pace {
  #began = performance.now();
  #hashes = 0;

  isDue(): boolean {
    this.#hashes += 1;
    return this.#hashes % HASHES_PER_LOOK === 0 && performance.now() - this.#began > SLICE_MS;
  }

  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#began = performance.now();
  }
}

import {
  ByteReader,
  ChainError,
  concatBytes,
  HEADER_BYTES,
  type LazyTx,
  plainBytes,
  type Steps,
  scanTx,
  varintSize,
} from '../../../../chain/index.ts';
import { inTurns, pause } from '../../../pause.ts';
import type { NodeDb } from './tables.ts';
import { BLOCK_PART_BYTES } from './tables.ts';

/** Stores the bytes of a block, unless they are stored already because it comes from another branch. */
export async function insertBlockBytes(db: NodeDb, hash: string, raw: Uint8Array): Promise<void> {
  for (let part = 0; part * BLOCK_PART_BYTES < raw.length; part++) {
    await pause();
    const start = part * BLOCK_PART_BYTES;
    await db
      .insertInto('node_block_parts')
      .values({ hash, part, bytes: raw.subarray(start, start + BLOCK_PART_BYTES) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/**
 * Reads the bytes of a block on any branch from `start` to `end` in chunks: only one chunk is in memory at a time.
 * @throws Error if the block is shorter
 */
export async function* blockPieces(db: NodeDb, hash: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const part = Math.floor(at / BLOCK_PART_BYTES);
    const row = await db
      .selectFrom('node_block_parts')
      .select('bytes')
      .where('hash', '=', hash)
      .where('part', '=', part)
      .executeTakeFirst();
    const from = at - part * BLOCK_PART_BYTES;
    const bytes = row && plainBytes(row.bytes).subarray(from, from + end - at);
    if (bytes === undefined || bytes.length === 0) throw new Error(`bytes of block ${hash} are missing`);
    yield bytes;
    at += bytes.length;
  }
}

/**
 * Reads the transactions of a block on any branch one by one. Memory is limited to twice the largest transaction plus one chunk. Yields to
 * the event loop.
 */
export async function* blockTransactions(db: NodeDb, hash: string, size: number): AsyncGenerator<LazyTx> {
  const pieces = blockPieces(db, hash, HEADER_BYTES, size);
  let held: Uint8Array = new Uint8Array();
  let ended = false;
  /** Loads more bytes. At least doubles the buffer, so that a long transaction is not scanned again for every chunk. */
  const more = async (): Promise<void> => {
    const parts = [held];
    for (let wanted = Math.max(1, held.length); wanted > 0 && !ended; ) {
      await pause();
      const { value, done } = await pieces.next();
      if (done === true) ended = true;
      else {
        parts.push(value);
        wanted -= value.length;
      }
    }
    held = concatBytes(...parts);
  };
  /** Parses one value; if the bytes end early, loads more and tries again. */
  const next = async <T>(read: (bytes: Uint8Array) => Steps<T>, sizeOf: (value: T) => number): Promise<T> => {
    for (;;) {
      try {
        const value = await inTurns(read(held));
        held = held.subarray(sizeOf(value));
        return value;
      } catch (error) {
        if (ended || !(error instanceof ChainError)) throw error;
        await more();
      }
    }
  };
  const count = await next(readCount, varintSize);
  for (let left = count; left > 0; left--) {
    await pause();
    yield await next(
      (bytes) => scanTx(bytes, 'block-malformed'),
      ({ raw }) => raw.length,
    );
  }
}

// biome-ignore lint/correctness/useYield: it is one step
function* readCount(bytes: Uint8Array): Steps<number> {
  return new ByteReader(bytes, 'block-malformed').varint();
}

/** The complete bytes of a block on any branch; undefined if it is not stored. */
export async function rawBlock(db: NodeDb, hash: string): Promise<Uint8Array | undefined> {
  const rows = await db
    .selectFrom('node_block_parts')
    .select('bytes')
    .where('hash', '=', hash)
    .orderBy('part')
    .execute();
  return rows.length === 0 ? undefined : plainBytes(Buffer.concat(rows.map(({ bytes }) => bytes)));
}

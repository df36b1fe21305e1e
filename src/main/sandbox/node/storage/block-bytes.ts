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

/** Keeps the bytes of a block; one that comes back from another branch has them already. */
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
 * The bytes of a block of any branch from `start` up to `end`, piece by piece: no more than one piece is in memory.
 * @throws Error where there are not as many
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
 * The transactions of a block of any branch, one after the other: no more of it is in memory than twice one of them and a piece. Lets
 * others run in between.
 */
export async function* blockTransactions(db: NodeDb, hash: string, size: number): AsyncGenerator<LazyTx> {
  const pieces = blockPieces(db, hash, HEADER_BYTES, size);
  let held: Uint8Array = new Uint8Array();
  let ended = false;
  /** What is held is at least doubled, so that a long transaction is not walked through again with every piece. */
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
  /** What ends early is read again with more behind it. */
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

/** The bytes of a block of any branch, whole; undefined for one that is not kept. */
export async function rawBlock(db: NodeDb, hash: string): Promise<Uint8Array | undefined> {
  const rows = await db
    .selectFrom('node_block_parts')
    .select('bytes')
    .where('hash', '=', hash)
    .orderBy('part')
    .execute();
  return rows.length === 0 ? undefined : plainBytes(Buffer.concat(rows.map(({ bytes }) => bytes)));
}

import {
  ByteReader,
  ChainError,
  concatBytes,
  HEADER_BYTES,
  plainBytes,
  readTx,
  type Tx,
} from '../../../chain/index.ts';
import type { NodeDb } from './chain-store.ts';
import { pause } from './pause.ts';
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

/** The transactions of a block of any branch, one after the other: no more of it is in memory than one of them and one piece. */
export async function* blockTransactions(db: NodeDb, hash: string, size: number): AsyncGenerator<Tx> {
  const pieces = blockPieces(db, hash, HEADER_BYTES, size);
  let held: Uint8Array = new Uint8Array();
  let ended = false;
  const more = async (): Promise<void> => {
    const { value, done } = await pieces.next();
    if (done === true) ended = true;
    else held = concatBytes(held, value);
  };
  /** What ends early is read again with the next piece behind it. */
  const next = async <T>(read: (reader: ByteReader) => T): Promise<T> => {
    for (;;) {
      const reader = new ByteReader(held, 'block-malformed', true);
      try {
        const value = read(reader);
        held = held.subarray(reader.position);
        return value;
      } catch (error) {
        if (ended || !(error instanceof ChainError)) throw error;
        await more();
      }
    }
  };
  for (let left = await next((reader) => reader.varint()); left > 0; left--) yield await next(readTx);
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

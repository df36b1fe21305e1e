import { plainBytes } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import { ByteWriter } from '../encoding/writer.ts';
import { readTx, txidOf } from '../transaction/transaction.ts';
import { type Bump, readBump } from './bump.ts';

/** Little-endian forms of the magic numbers. */
const BEEF_V1 = 0xefbe0001;
const BEEF_V2 = 0xefbe0002;
const ATOMIC = 0x01010101;
/** Levels and nodes, a transaction without inputs: nothing shorter can follow a count. */
const SMALLEST_BUMP = 4;
const SMALLEST_ENTRY = 11;
const RAW_WITH_BUMP = 1;
const TXID_ONLY = 2;

interface BeefTransaction {
  /** Display-order hex. */
  readonly txid: string;
  /** Null if only the txid is given. */
  readonly raw: Uint8Array | null;
  /** The BUMP that proves it; null if it is proven only through its inputs. */
  readonly bump: Bump | null;
}

/** Transactions with their ancestors and Merkle paths (BRC-62, BRC-95 and BRC-96). */
export interface Beef {
  readonly bumps: readonly Bump[];
  /** Parents before children. */
  readonly transactions: readonly BeefTransaction[];
  /** The subject of the BEEF (BRC-95); undefined if it names none. */
  readonly subject: string | undefined;
}

interface BeefLimits {
  readonly most?: number;
  readonly parts?: number;
  readonly shared?: boolean;
}

/** Whether bytes begin as a BEEF does; no transaction has such a version. */
export function isBeef(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  return [ATOMIC, BEEF_V1, BEEF_V2].includes(new ByteReader(bytes.subarray(0, 4)).u32le());
}

/**
 * @param limits.most transactions and paths that are read: thousands of empty ones in a megabyte take a second
 * @param limits.parts the same with their inputs, outputs and hashes
 * @param limits.shared if true, the results are views of `bytes`. Only for callers that never modify `bytes`.
 * @throws ChainError `proof-malformed`, also for more than that, `tx-malformed`; `merkle-invalid` for a path that contradicts itself
 */
export function parseBeef(bytes: Uint8Array, limits: BeefLimits = {}): Beef {
  const { most = Number.POSITIVE_INFINITY, parts, shared = false } = limits;
  const data = plainBytes(bytes);
  const reader = new ByteReader(data, 'proof-malformed', shared, parts);
  let version = reader.u32le();
  const subject = version === ATOMIC ? reader.hash() : undefined;
  if (subject !== undefined) version = reader.u32le();
  if (version !== BEEF_V1 && version !== BEEF_V2) throw reader.fail('These bytes are no BEEF.');
  const countOf = (smallest: number): number => {
    const count = reader.count(smallest);
    if (count > most) throw reader.fail('It has more parts than are read.', { count, most });
    return count;
  };
  const bumps: Bump[] = [];
  for (let left = countOf(SMALLEST_BUMP); left > 0; left--) bumps.push(readBump(reader));
  const transactions: BeefTransaction[] = [];
  const bumpAt = (index: number): Bump => {
    const bump = bumps[index];
    if (bump === undefined) throw reader.fail('A transaction names a path that is missing.', { index });
    return bump;
  };
  const readRaw = (): Uint8Array => {
    const start = reader.position;
    readTx(reader);
    return shared ? data.subarray(start, reader.position) : data.slice(start, reader.position);
  };
  for (let left = countOf(SMALLEST_ENTRY); left > 0; left--) {
    if (version === BEEF_V1) {
      const raw = readRaw();
      const hasBump = reader.u8();
      if (hasBump > 1) throw reader.fail('A transaction neither has a path nor has none.', { hasBump });
      transactions.push({ txid: txidOf(raw), raw, bump: hasBump === 1 ? bumpAt(reader.varint()) : null });
      continue;
    }
    const format = reader.u8();
    if (format > TXID_ONLY) throw reader.fail('A transaction has an unknown format.', { format });
    if (format === TXID_ONLY) {
      transactions.push({ txid: reader.hash(), raw: null, bump: null });
      continue;
    }
    const bump = format === RAW_WITH_BUMP ? bumpAt(reader.varint()) : null;
    const raw = readRaw();
    transactions.push({ txid: txidOf(raw), raw, bump });
  }
  reader.end();
  return { bumps, transactions, subject };
}

/**
 * The oldest form of BEEF (BRC-62), which every service reads.
 * @param transactions parents before children; the last one is the subject. A BUMP is copied unchanged and unchecked.
 */
export function serializeBeef(
  transactions: readonly { readonly rawTx: Uint8Array; readonly bump: Uint8Array | null }[],
): Uint8Array {
  const bumps = transactions.flatMap(({ bump }) => bump ?? []);
  const size = [...transactions.map(({ rawTx }) => rawTx), ...bumps].reduce((sum, { length }) => sum + length + 10, 30);
  const writer = new ByteWriter(size);
  writer.u32le(BEEF_V1);
  writer.varint(bumps.length);
  for (const bump of bumps) writer.bytes(bump);
  writer.varint(transactions.length);
  let next = 0;
  for (const { rawTx, bump } of transactions) {
    writer.bytes(rawTx);
    writer.u8(bump === null ? 0 : 1);
    if (bump !== null) writer.varint(next++);
  }
  return writer.done();
}

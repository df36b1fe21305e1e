import {
  type Beef,
  ByteReader,
  ChainError,
  isBeef,
  isExtended,
  parseBeef,
  parseExtended,
  parseTx,
  plainBytes,
  readExtended,
  readTx,
  serializeTx,
  type Tx,
  type TxOutput,
  txidOf,
} from '../../../chain/index.ts';
import { inTurns, pause } from '../../pause.ts';
import { readTransactionInSteps } from '../node/consensus/validate.ts';
import { ArcProblem, causeOf } from './problems.ts';

export interface HandedIn {
  readonly txid: string;
  readonly raw: Uint8Array;
  readonly tx: Tx;
  /** The outputs it spends, if they were sent with it (extended format). */
  readonly spent?: readonly TxOutput[];
  /** The BEEF that contained it, with its ancestors and their proofs. */
  readonly beef?: Beef;
}

/** More would take a gigabyte of memory and seconds of blocking work. */
const MAX_TRANSACTIONS = 10_000;

/** Reads the body of a submission of one. @param isText hex instead of bytes @throws ArcProblem 400, 464, 474 */
export async function readOne(body: unknown, isText: boolean): Promise<HandedIn> {
  if (!Buffer.isBuffer(body)) return readBytes(bytesOf(rawTxOf(body)));
  return readBytes(isText ? bytesOf(body.toString('latin1').trim()) : body);
}

/** Reads the body of a submission of many: lines of hex, a JSON array, or the bytes one after the other. @throws ArcProblem */
export async function readMany(body: unknown, isText: boolean): Promise<HandedIn[]> {
  if (Buffer.isBuffer(body) && !isText) return readStream(body);
  const elements = Buffer.isBuffer(body)
    ? body.toString('latin1').split(/\s+/).filter(Boolean)
    : Array.isArray(body)
      ? body.map(rawTxOf)
      : undefined;
  if (elements === undefined) throw new ArcProblem(400, 'the body must be a JSON array of objects with rawTx');
  requireCount(elements.length);
  const read: HandedIn[] = [];
  for (const hex of elements) {
    await pause();
    read.push(await readBytes(bytesOf(hex)));
  }
  return read;
}

function requireCount(count: number): void {
  if (count === 0) throw new ArcProblem(400, 'the body has no transaction');
  if (count > MAX_TRANSACTIONS)
    throw new ArcProblem(413, `at most ${MAX_TRANSACTIONS} transactions can be submitted at once`);
}

function rawTxOf(value: unknown): string {
  const rawTx = typeof value === 'object' && value !== null ? (value as { rawTx?: unknown }).rawTx : undefined;
  if (typeof rawTx === 'string' && rawTx !== '') return rawTx;
  throw new ArcProblem(400, 'rawTx is missing or not text');
}

function bytesOf(hex: string): Uint8Array {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length === 0 || bytes.length * 2 !== hex.length) throw new ArcProblem(400, 'the transaction is not hex');
  return plainBytes(bytes);
}

async function readBytes(bytes: Uint8Array): Promise<HandedIn> {
  if (isBeef(bytes)) return subjectOf(bytes);
  if (isExtended(bytes)) return extended(() => parseExtended(bytes, true));
  const raw = plainBytes(bytes);
  const tx = await inTurns(readTransactionInSteps(raw));
  if ('code' in tx) {
    const { status } = causeOf(tx.reason);
    throw new ArcProblem(status, tx.reason, status === 464 ? txidOf(raw) : null);
  }
  return { txid: txidOf(raw), raw, tx };
}

async function readStream(body: Uint8Array): Promise<HandedIn[]> {
  const bytes = plainBytes(body);
  if (isBeef(bytes)) return [subjectOf(bytes)];
  const reader = new ByteReader(bytes, 'tx-malformed', true);
  const read: HandedIn[] = [];
  while (reader.remaining > 0) {
    await pause();
    requireCount(read.length + 1);
    const start = reader.position;
    if (isExtended(bytes, start)) {
      read.push(extended(() => readExtended(reader)));
      continue;
    }
    const tx = reading(() => readTx(reader));
    const raw = bytes.subarray(start, reader.position);
    read.push({ txid: txidOf(raw), raw, tx });
  }
  requireCount(read.length);
  return read;
}

/** The transaction that a BEEF is about. */
function subjectOf(bytes: Uint8Array): HandedIn {
  const beef = reading(() => parseBeef(bytes), 468);
  const { subject = beef.transactions.at(-1)?.txid, transactions } = beef;
  const raw = transactions.find(({ txid }) => txid === subject)?.raw;
  if (subject === undefined || !raw)
    throw new ArcProblem(468, 'the BEEF does not hold the transaction that it is about');
  return { txid: subject, raw, tx: reading(() => parseTx(raw, true)), beef };
}

function extended(read: () => { tx: Tx; spent: readonly TxOutput[] }): HandedIn {
  const { tx, spent } = reading(read);
  const raw = serializeTx(tx);
  return { txid: txidOf(raw), raw, tx, spent };
}

function reading<T>(read: () => T, status: 400 | 468 = 400): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const isAmount = error.data.satoshis !== undefined || error.data.high !== undefined;
    throw new ArcProblem(isAmount ? 464 : status, error.message);
  }
}

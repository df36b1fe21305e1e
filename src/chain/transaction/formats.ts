import { plainBytes } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import type { Steps } from '../encoding/steps.ts';
import { ChainError } from '../errors.ts';
import { isBeef, parseBeef } from '../proof/beef.ts';
import { isExtended, readExtended } from './extended.ts';
import { scanTx } from './lazy-tx.ts';
import { parseTx, serializeTx, type Tx, type TxOutput, txidOf } from './transaction.ts';

/** The serialisations in which wallets hand over transactions: raw, extended (BRC-30), and BEEF (BRC-62, BRC-95, BRC-96). */
type TransactionFormat = 'raw' | 'ef' | 'beef';

/** Transactions of a BEEF, which is read in one step. */
const MOST_IN_BEEF = 5_000;

export interface FormattedTx {
  readonly format: TransactionFormat;
  /** Display-order hex. */
  readonly txid: string;
  readonly raw: Uint8Array;
  readonly tx: Tx;
  /** The outputs that each input spends, if the serialisation contains them. Only BEEF proves them, by the txid of the parent. */
  readonly spent: readonly (TxOutput | undefined)[];
}

/**
 * Reads consecutive transactions, each raw or extended, or one BEEF. Of a BEEF, those without a proof are returned, parents
 * first, or its last one if all have a proof. Its proofs are not verified here.
 * @param bytes must not be modified afterwards: scripts are views of them
 * @param most inputs, outputs and transactions that are read: each becomes an object many times its bytes
 * @throws ChainError `tx-malformed`
 */
export function* readFormatted(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): Steps<FormattedTx[]> {
  if (isBeef(bytes)) return beefTransactions(bytes, most);
  const found: FormattedTx[] = [];
  let rest = plainBytes(bytes);
  let left = most;
  do {
    const { transaction, length } = yield* readNext(rest, left);
    left -= partsOf(transaction.tx);
    if (left < 0) throw tooMany(most);
    found.push(transaction);
    rest = rest.subarray(length);
    yield '';
  } while (rest.length > 0);
  return found;
}

/** The transaction itself, its inputs and its outputs. */
export function partsOf({ inputs, outputs }: Pick<Tx, 'inputs' | 'outputs'>): number {
  return 1 + inputs.length + outputs.length;
}

function tooMany(most: number): ChainError {
  return new ChainError('tx-malformed', 'It has more parts than are read.', { most });
}

function* readNext(bytes: Uint8Array, most: number): Steps<{ transaction: FormattedTx; length: number }> {
  if (isExtended(bytes)) return extendedAt(bytes, most);
  const { raw, inputCount, outputCount } = yield* scanTx(bytes);
  if (inputCount + outputCount > most) throw tooMany(most);
  const tx = parseTx(raw, true);
  const spent = tx.inputs.map(() => undefined);
  return { transaction: { format: 'raw', txid: txidOf(raw), raw, tx, spent }, length: raw.length };
}

function extendedAt(bytes: Uint8Array, most: number): { transaction: FormattedTx; length: number } {
  const reader = new ByteReader(bytes, 'tx-malformed', true, most);
  const { tx, spent } = readExtended(reader);
  const raw = serializeTx(tx);
  return { transaction: { format: 'ef', txid: txidOf(raw), raw, tx, spent }, length: reader.position };
}

function beefTransactions(bytes: Uint8Array, most: number): FormattedTx[] {
  const { transactions, subject } = parseBeef(bytes, { most: MOST_IN_BEEF, parts: most, shared: true });
  const known = new Map<string, Tx>();
  const found: (FormattedTx & { isProven: boolean })[] = [];
  for (const { txid, raw, bump } of transactions) {
    if (raw === null) continue;
    const tx = parseTx(raw, true);
    const spent = tx.inputs.map((input) => known.get(input.txid)?.outputs[input.vout]);
    known.set(txid, tx);
    found.push({ format: 'beef', txid, raw, tx, spent, isProven: bump !== null });
  }
  const last = subject === undefined ? found.at(-1) : found.find(({ txid }) => txid === subject);
  if (last === undefined) throw new ChainError('tx-malformed', 'A BEEF does not hold the transaction it is about.');
  const open = found.filter(({ isProven }) => !isProven);
  return (open.length > 0 ? open : [last]).map(({ isProven: _, ...transaction }) => transaction);
}

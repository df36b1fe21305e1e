import { isDeepStrictEqual } from 'node:util';
import {
  ByteReader,
  ChainError,
  isCoinbase,
  parseTx,
  plainBytes,
  readHex,
  readTx,
  type Steps,
  type Tx,
  txidOf,
} from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { inTurns, pause } from '../../pause.ts';
import { ApiError } from '../api/api-error.ts';
import type { SandboxNode, Submission, SubmitResult } from '../node/node.ts';
import { type Options, optionProblems, watchOf } from './options.ts';
import type { TxResult } from './payloads.ts';
import { readUnsound, type Unsound } from './unsound.ts';
import type { Watches, WatchRequest } from './watches.ts';

/** A transaction as it was handed in, or why it cannot be taken. */
export type Candidate = Readable | Unsound | TxResult;

interface Readable {
  readonly raw: Uint8Array;
  readonly txid: string;
  readonly tx: Tx;
  readonly watch: WatchRequest | undefined;
}

/** No node answered a submission: from version 1.5.0 that is no result but a failure of the API. */
export class NotSubmittedError extends Error {
  override readonly name = 'NotSubmittedError';

  constructor() {
    super(`${NOT_SUBMITTED} - no response or error returned.`);
  }
}

/** What submissions go to. */
export interface Submitter {
  readonly node: SandboxNode;
  readonly watches: Watches;
  /** Hands transactions to the node. @returns a result for each, in order */
  submit(transactions: readonly Submission[]): Promise<SubmitResult[]>;
  /** Whether results have the shapes and texts of version 1.5.0. */
  readonly modern: boolean;
}

/** Marks a data output that asks other miners for double-spend notices (`dsnt`). */
const DSNT_OUTPUT = Uint8Array.of(0x00, 0x6a, 0x04, 0x64, 0x73, 0x6e, 0x74);

const failure = (resultDescription: string, txid?: string): TxResult => ({
  txid,
  returnResult: 'failure',
  resultDescription,
});

const INPUTS_UNKNOWN = 'Error fetching inputs';
const NOT_SUBMITTED = 'Error while submitting transactions to the node';
const ALREADY_KNOWN = 'Already known';
const MISSING = 'Missing inputs';
/** The transaction left the mempool and what it spends from with it, but somebody is still to be told of it. */
const LOST_ANCESTORS = 'Transaction is already present in db, but unconfirmed ancestors are missing, retry again.';
const UNREADABLE = failure('Can not parse transaction');

/** In one batch. A body may hold half a million, which would take a gigabyte of memory, and seconds to answer in one piece. */
const MOST_TRANSACTIONS = 10_000;

function tooMany(): ApiError {
  return new ApiError(
    'too-large',
    `A batch holds at most ${MOST_TRANSACTIONS} transactions; send the others in another.`,
  );
}

/** Reads `rawTx` and the options of one element. */
export function* candidateOf(options: Options, refusePrivate: boolean): Steps<Candidate> {
  const rawTx = options.get('rawtx');
  const problems: string[] = [];
  if (typeof rawTx !== 'string' || rawTx === '') problems.push('RawTx is required');
  else if (!(yield* isHex(rawTx))) problems.push('Invalid characters in rawTx');
  const problem = [...problems, ...optionProblems(options, refusePrivate)].join(',');
  if (problem !== '') return failure(problem);
  const hex = rawTx as string;
  if (hex.length % 2 === 1) return UNREADABLE;
  // small ones share a piece of memory, which Node hands out by itself and nothing here changes
  const raw = hex.length > STEP_DIGITS ? yield* readHex(hex) : plainBytes(Buffer.from(hex, 'hex'));
  return readCandidate(raw, options);
}

/** Digits looked at in one step. */
const STEP_DIGITS = 65_536;

function* isHex(text: string): Steps<boolean> {
  for (let at = 0; at < text.length; at += STEP_DIGITS) {
    if (!/^[0-9a-fA-F]*$/.test(text.slice(at, at + STEP_DIGITS))) return false;
    if (text.length > STEP_DIGITS) yield '';
  }
  return true;
}

/** Reads one binary transaction. @param raw must never change */
export function candidateOfBytes(raw: Uint8Array, options: Options, refusePrivate: boolean): Candidate {
  const problem = optionProblems(options, refusePrivate).join(',');
  return problem === '' ? readCandidate(raw, options) : failure(problem);
}

/**
 * Reads binary transactions that stand one after the other, and lets others run in between.
 * @param bytes must never change
 * @throws ChainError `tx-malformed`
 * @throws ApiError `too-large`
 */
export async function candidatesOfStream(
  bytes: Uint8Array,
  options: Options,
  refusePrivate: boolean,
): Promise<Candidate[]> {
  const problem = optionProblems(options, refusePrivate).join(',');
  const whole = plainBytes(bytes);
  const reader = new ByteReader(whole, 'tx-malformed', true);
  const candidates: Candidate[] = [];
  while (reader.remaining > 0) {
    await pause();
    if (candidates.length === MOST_TRANSACTIONS) throw tooMany();
    const start = reader.position;
    const read = readNext(reader, whole);
    if (problem !== '') candidates.push(failure(problem));
    else if ('amounts' in read) candidates.push(read);
    else candidates.push(candidate(whole.subarray(start, reader.position), read, options));
  }
  return candidates;
}

/** Reads the transaction where the reader stands, whatever its amounts are. @throws ChainError `tx-malformed` */
function readNext(reader: ByteReader, whole: Uint8Array): Tx | Unsound {
  const start = reader.position;
  try {
    return readTx(reader);
  } catch (error) {
    const unsound = error instanceof ChainError ? readUnsound(whole.subarray(start)) : undefined;
    if (unsound === undefined) throw error;
    // on to the one after it
    reader.bytes(start + unsound.raw.length - reader.position);
    return unsound;
  }
}

/** Reads the elements of a batch, and lets others run in between. @throws ApiError `too-large` */
export async function readAll<T>(elements: readonly T[], read: (element: T) => Steps<Candidate>): Promise<Candidate[]> {
  if (elements.length > MOST_TRANSACTIONS) throw tooMany();
  const candidates: Candidate[] = [];
  for (const element of elements) {
    await pause();
    candidates.push(await inTurns(read(element)));
  }
  return candidates;
}

function readCandidate(raw: Uint8Array, options: Options): Candidate {
  try {
    return candidate(raw, parseTx(raw, true), options);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const unsound = readUnsound(raw);
    return unsound?.raw.length === raw.length ? unsound : UNREADABLE;
  }
}

function candidate(raw: Uint8Array, tx: Tx, options: Options): Candidate {
  const txid = txidOf(raw);
  if (isCoinbase(tx)) return failure('Invalid transaction - coinbase transactions are not accepted', txid);
  return { raw, txid, tx, watch: watchOf(options) };
}

/**
 * Hands transactions to the node, each once; they may build on each other in any order. Those somebody wants to be told about are
 * watched before the node has them.
 * @throws NotSubmittedError
 * @returns one result for each; what was not taken comes first (wire.md 3.6)
 */
export async function submitAll(submitter: Submitter, candidates: readonly Candidate[]): Promise<TxResult[]> {
  const unread: TxResult[] = [];
  const readable = new Map<string, Readable | Unsound>();
  for (const candidate of candidates) {
    if ('returnResult' in candidate) unread.push(candidate);
    else if (readable.has(candidate.txid)) {
      unread.push(failure('Transaction with this id occurs more than once within request', candidate.txid));
    } else readable.set(candidate.txid, candidate);
  }
  const sent: (Readable | Unsound)[] = [];
  await pause();
  for (const candidate of readable.values()) {
    const problem = 'tx' in candidate ? inputProblem(candidate.tx, readable) : undefined;
    if (problem === undefined) sent.push(candidate);
    else unread.push(failure(problem, candidate.txid));
  }
  const wanted = sent.flatMap((candidate) =>
    'tx' in candidate && candidate.watch !== undefined
      ? [{ raw: candidate.raw, txid: candidate.txid, request: candidate.watch }]
      : [],
  );
  const asked = submitter.modern ? await submitter.watches.asked(wanted.map(({ txid }) => txid)) : new Map();
  const forget = wanted.length === 0 ? undefined : await submitter.watches.add(wanted);
  const requests = new Map(wanted.map(({ txid, request }) => [txid, request]));
  const needless = new Set<string>();
  const results = (await handIn(submitter, sent, readable)).map((result) => {
    const { txid = '', returnResult, resultDescription } = result;
    const before: readonly WatchRequest[] | undefined = asked.get(txid);
    if (returnResult === 'failure') needless.add(txid);
    if (before === undefined) return result;
    if (resultDescription === MISSING) return { ...result, resultDescription: LOST_ANCESTORS, failureRetryable: true };
    const isRepeated = before.some((request) => isDeepStrictEqual(request, requests.get(txid)));
    // what was asked for before is told once
    if (isRepeated) needless.add(txid);
    if (isRepeated || resultDescription !== ALREADY_KNOWN) return result;
    // a waiting transaction keeps what it was handed in with
    needless.add(txid);
    return failure('Transaction already submitted with different parameters.', txid);
  });
  await forget?.(needless);
  await pause();
  const isFailure = ({ returnResult }: TxResult): boolean => returnResult === 'failure';
  return [...unread, ...results.filter(isFailure), ...results.filter((result) => !isFailure(result))];
}

/**
 * What is wrong with the outputs a transaction spends from others of its batch: their sum, less what it pays, would be its fee, so they are
 * looked at before the node has any of them.
 */
function inputProblem(tx: Tx, batch: ReadonlyMap<string, Readable | Unsound>): string | undefined {
  for (const { txid, vout } of tx.inputs) {
    const parent = batch.get(txid);
    if (parent === undefined) continue;
    const amount = 'tx' in parent ? parent.tx.outputs[vout]?.satoshis : parent.amounts[vout];
    if (amount === undefined) return INPUTS_UNKNOWN;
    if (amount < 0) return 'Negative inputs are not allowed';
  }
  return undefined;
}

async function handIn(
  submitter: Submitter,
  sent: readonly (Readable | Unsound)[],
  batch: ReadonlyMap<string, unknown>,
): Promise<TxResult[]> {
  if (sent.length === 0) return [];
  const submissions = sent.map((candidate) => ('tx' in candidate ? candidate : candidate.raw));
  const results = await submitter.submit(submissions).catch((error: unknown) => {
    if (!(error instanceof PlanchetError)) throw error;
    return error.code === 'store-failed' ? INPUTS_UNKNOWN : NOT_SUBMITTED;
  });
  if (results === NOT_SUBMITTED && submitter.modern) throw new NotSubmittedError();
  const told: TxResult[] = [];
  for (const [index, candidate] of sent.entries()) {
    await pause();
    const { txid } = candidate;
    if (typeof results === 'string') {
      told.push({ ...failure(results, txid), failureRetryable: true });
      continue;
    }
    const result = results[index] as SubmitResult;
    if (!result.ok) told.push({ ...failure('', txid), ...(await explain(submitter, candidate, result, batch)) });
    else told.push({ ...taken(submitter, txid, result.known === true), txid, warnings: warningsOf(candidate) });
  }
  return told;
}

type Outcome = Pick<TxResult, 'returnResult' | 'resultDescription'>;

/** What is said of a transaction the node has. @param known it had it before */
function taken(submitter: Submitter, txid: string, known: boolean): Outcome {
  return known ? knownAs(submitter, txid) : { returnResult: 'success', resultDescription: '' };
}

function knownAs({ node, modern }: Submitter, txid: string): Outcome {
  const waiting = node.mempool.has(txid);
  if (modern) {
    return {
      returnResult: 'success',
      resultDescription: waiting ? ALREADY_KNOWN : 'Transaction already mined into block',
    };
  }
  return failure(waiting ? 'Transaction already in the mempool' : 'Transaction already known');
}

function warningsOf(candidate: Readable | Unsound): string[] {
  if (!('tx' in candidate) || candidate.watch?.dsCheck !== true) return [];
  const has = candidate.tx.outputs.some(({ script }) => DSNT_OUTPUT.every((byte, index) => script[index] === byte));
  return has ? [] : ['Missing DSNT output.'];
}

type Refused = Extract<SubmitResult, { ok: false }>;

async function explain(
  { node, modern }: Submitter,
  candidate: Readable | Unsound,
  { code, reason, conflictedWith }: Refused,
  batch: ReadonlyMap<string, unknown>,
): Promise<Partial<TxResult>> {
  if (reason === 'missing-inputs' && 'tx' in candidate) {
    return { resultDescription: await missingInputs(node, candidate.tx, batch) };
  }
  if (reason === 'mempool min fee not met') return { resultDescription: 'Not enough fees' };
  if (reason === 'mempool full') {
    return modern
      ? { resultDescription: `Mempool error, retry again later. (details: ${code} ${reason})`, failureRetryable: true }
      : { resultDescription: 'evicted' };
  }
  return {
    resultDescription: `${code} ${reason}`,
    ...(conflictedWith === undefined ? {} : { conflictedWith }),
  };
}

/**
 * Tells an output number that never was apart from a transaction nobody knows, from one of the same batch that was refused, and from an output
 * spent in a block.
 */
async function missingInputs(node: SandboxNode, tx: Tx, batch: ReadonlyMap<string, unknown>): Promise<string> {
  for (const { txid, vout } of tx.inputs) {
    const parent = await node.transaction(txid);
    if (parent === undefined) return batch.has(txid) ? 'tx rejected: missing inputs' : MISSING;
    if (vout >= parseTx(parent.raw).outputs.length) return 'Missing inputs - invalid output index';
  }
  return 'tx rejected: double spent';
}

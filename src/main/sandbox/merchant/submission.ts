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
import type { SandboxNode, SubmitResult } from '../node/node.ts';
import type { SandboxParts } from '../parts.ts';
import { type Options, optionProblems, watchOf } from './options.ts';
import type { TxResult } from './payloads.ts';
import { merchantTexts } from './texts.ts';
import { readUnsound, type Unsound } from './unsound.ts';
import type { Watches, WatchRequest } from './watches.ts';

/** A parsed transaction, or the reason why it is refused. */
export type Candidate = Readable | Unsound | TxResult;

interface Readable {
  readonly raw: Uint8Array;
  readonly txid: string;
  readonly tx: Tx;
  readonly watch: WatchRequest | undefined;
}

/** No node answered a submission. From version 1.5.0 this fails the API call instead of being a result. */
export class NotSubmittedError extends Error {
  override readonly name = 'NotSubmittedError';

  constructor() {
    super(`${merchantTexts.notSubmitted} - no response or error returned.`);
  }
}

export interface Submitter extends Pick<SandboxParts, 'node' | 'submit'> {
  readonly watches: Watches;
  /** Whether results have the format and texts of version 1.5.0. */
  readonly modern: boolean;
}

/** Marks a data output that asks other miners for double-spend notices (`dsnt`). */
const DSNT_OUTPUT = Uint8Array.of(0x00, 0x6a, 0x04, 0x64, 0x73, 0x6e, 0x74);

const failure = (resultDescription: string, txid?: string): TxResult => ({
  txid,
  returnResult: 'failure',
  resultDescription,
});

const UNREADABLE = failure(merchantTexts.unreadable);

/** Maximum batch size. A body could hold half a million, which would take a gigabyte of memory and seconds of blocking work. */
const MOST_TRANSACTIONS = 10_000;

function tooMany(): ApiError {
  return new ApiError('too-large', 'sandbox-api.batch-too-large', { most: MOST_TRANSACTIONS });
}

/** Parses `rawTx` and the options of one element. */
export function* candidateOf(options: Options, refusePrivate: boolean): Steps<Candidate> {
  const rawTx = options.get('rawtx');
  const problems: string[] = [];
  if (typeof rawTx !== 'string' || rawTx === '') problems.push(merchantTexts.rawTxMissing);
  else if (!(yield* isHex(rawTx))) problems.push(merchantTexts.rawTxNotHex);
  const problem = [...problems, ...optionProblems(options, refusePrivate)].join(',');
  if (problem !== '') return failure(problem);
  const hex = rawTx as string;
  if (hex.length % 2 === 1) return UNREADABLE;
  // small ones share Node's buffer pool, which nothing here modifies
  const raw = hex.length > STEP_DIGITS ? yield* readHex(hex) : plainBytes(Buffer.from(hex, 'hex'));
  return readCandidate(raw, options);
}

const STEP_DIGITS = 65_536;

function* isHex(text: string): Steps<boolean> {
  for (let at = 0; at < text.length; at += STEP_DIGITS) {
    if (!/^[0-9a-fA-F]*$/.test(text.slice(at, at + STEP_DIGITS))) return false;
    if (text.length > STEP_DIGITS) yield '';
  }
  return true;
}

/** Parses one binary transaction. @param raw must not be modified */
export function candidateOfBytes(raw: Uint8Array, options: Options, refusePrivate: boolean): Candidate {
  const problem = optionProblems(options, refusePrivate).join(',');
  return problem === '' ? readCandidate(raw, options) : failure(problem);
}

/**
 * Parses consecutive binary transactions and yields to the event loop.
 * @param bytes must not be modified
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

/** Parses the transaction at the reader's position, with any amounts. @throws ChainError `tx-malformed` */
function readNext(reader: ByteReader, whole: Uint8Array): Tx | Unsound {
  const start = reader.position;
  try {
    return readTx(reader);
  } catch (error) {
    const unsound = error instanceof ChainError ? readUnsound(whole.subarray(start)) : undefined;
    if (unsound === undefined) throw error;
    // continue with the next one
    reader.bytes(start + unsound.raw.length - reader.position);
    return unsound;
  }
}

/** Parses the elements of a batch and yields to the event loop. @throws ApiError `too-large` */
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
  if (isCoinbase(tx)) return failure(merchantTexts.coinbase, txid);
  return { raw, txid, tx, watch: watchOf(options) };
}

/**
 * Submits transactions to the node, each once; they may depend on each other in any order. Requested callbacks are registered before the
 * node receives the transaction.
 * @throws NotSubmittedError
 * @returns one result for each; refused ones come first (wire.md 3.6)
 */
export async function submitAll(submitter: Submitter, candidates: readonly Candidate[]): Promise<TxResult[]> {
  const unread: TxResult[] = [];
  const readable = new Map<string, Readable | Unsound>();
  for (const candidate of candidates) {
    if ('returnResult' in candidate) unread.push(candidate);
    else if (readable.has(candidate.txid)) {
      unread.push(failure(merchantTexts.duplicate, candidate.txid));
    } else readable.set(candidate.txid, candidate);
  }
  const sent: (Readable | Unsound)[] = [];
  await pause();
  for (const candidate of readable.values()) {
    const problem = 'tx' in candidate ? inputProblem(candidate.tx, readable) : undefined;
    if (problem === undefined) sent.push(candidate);
    else unread.push(failure(problem, candidate.txid));
  }
  const wanted = sent.flatMap((candidate) => {
    const { raw, txid } = candidate;
    return 'tx' in candidate && candidate.watch !== undefined ? [{ raw, txid, request: candidate.watch }] : [];
  });
  const asked = submitter.modern ? await submitter.watches.asked(wanted.map(({ txid }) => txid)) : new Map();
  const forget = wanted.length === 0 ? undefined : await submitter.watches.add(wanted);
  const requests = new Map(wanted.map(({ txid, request }) => [txid, request]));
  const needless = new Set<string>();
  const results = (await handIn(submitter, sent, readable)).map((result) => {
    const { txid = '', returnResult, resultDescription } = result;
    const before: readonly WatchRequest[] | undefined = asked.get(txid);
    if (returnResult === 'failure') needless.add(txid);
    if (before === undefined) return result;
    if (resultDescription === merchantTexts.missingInputs)
      return { ...result, resultDescription: merchantTexts.lostAncestors, failureRetryable: true };
    const isRepeated = before.some((request) => isDeepStrictEqual(request, requests.get(txid)));
    // repeated callback requests are registered once
    if (isRepeated) needless.add(txid);
    if (isRepeated || resultDescription !== merchantTexts.alreadyKnown) return result;
    // a waiting transaction keeps the parameters of its first submission
    needless.add(txid);
    return failure(merchantTexts.otherParameters, txid);
  });
  await forget?.(needless);
  await pause();
  const isFailure = ({ returnResult }: TxResult): boolean => returnResult === 'failure';
  return [...unread, ...results.filter(isFailure), ...results.filter((result) => !isFailure(result))];
}

/**
 * Checks the outputs that a transaction spends from others of its batch: their sum minus its outputs would be its fee, so this happens
 * before the node receives any of them.
 */
function inputProblem(tx: Tx, batch: ReadonlyMap<string, Readable | Unsound>): string | undefined {
  for (const { txid, vout } of tx.inputs) {
    const parent = batch.get(txid);
    if (parent === undefined) continue;
    const amount = 'tx' in parent ? parent.tx.outputs[vout]?.satoshis : parent.amounts[vout];
    if (amount === undefined) return merchantTexts.inputsUnknown;
    if (amount < 0) return merchantTexts.negativeInputs;
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
    return error.code === 'store-failed' ? merchantTexts.inputsUnknown : merchantTexts.notSubmitted;
  });
  if (results === merchantTexts.notSubmitted && submitter.modern) throw new NotSubmittedError();
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

/** The result for a transaction that the node has. @param known it had it before */
function taken({ node, modern }: Submitter, txid: string, known: boolean): Outcome {
  if (!known) return { returnResult: 'success', resultDescription: '' };
  const waiting = node.mempool.has(txid);
  if (!modern) return failure(waiting ? merchantTexts.inMempool : merchantTexts.known);
  const resultDescription = waiting ? merchantTexts.alreadyKnown : merchantTexts.alreadyMined;
  return { returnResult: 'success', resultDescription };
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
  if (reason === 'mempool min fee not met') return { resultDescription: merchantTexts.feeTooLow };
  if (reason === 'mempool full') {
    return modern
      ? { resultDescription: merchantTexts.mempoolError(code, reason), failureRetryable: true }
      : { resultDescription: merchantTexts.evicted };
  }
  return { resultDescription: `${code} ${reason}`, conflictedWith };
}

/**
 * Distinguishes an output number that never existed from an unknown transaction, a refused transaction of the same batch, and an output
 * spent in a block.
 */
async function missingInputs(node: SandboxNode, tx: Tx, batch: ReadonlyMap<string, unknown>): Promise<string> {
  for (const { txid, vout } of tx.inputs) {
    const parent = await node.transaction(txid);
    if (parent === undefined) return batch.has(txid) ? 'tx rejected: missing inputs' : merchantTexts.missingInputs;
    if (vout >= parseTx(parent.raw).outputs.length) return merchantTexts.outputIndex;
  }
  return merchantTexts.doubleSpent;
}

import { formatOutpoint, parentsFirst, runSteps, type Steps, txidOf } from '../../../../chain/index.ts';
import { inTurns, pause } from '../../../pause.ts';
import type { ChainTip } from '../chainstate/chainstate.ts';
import type { BlockTransaction } from '../consensus/blocks.ts';
import {
  checkStandard,
  checkTransaction,
  isFinal,
  isStandard,
  LONG_BYTES,
  outpointsOf,
  readTransactionInSteps,
  STEP_INPUTS,
} from '../consensus/validate.ts';
import type { RefusedTransaction, Rejection, SubmitOptions, SubmitResult, TxSource } from '../types.ts';
import type { Acceptance, Prepared } from './acceptance.ts';
import { Claims } from './admission.ts';
import type { Candidate } from './candidate.ts';

/** A submitted transaction: its bytes, or an already parsed one that is not modified. */
export type Submission = Uint8Array | BlockTransaction;

export interface Batch {
  /** Parents before children, without duplicates. */
  readonly candidates: readonly Candidate[];
  /** Runs concurrently with other work. */
  readonly prepared: Promise<Prepared>;
  /** One result for each submitted transaction, in the given order. @param decided one for each candidate */
  results(decided: readonly SubmitResult[]): SubmitResult[];
  /** Releases the candidates' claims. Call it once they are decided or abandoned. */
  release(): Promise<void>;
}

export interface SubmissionReaderOptions {
  readonly acceptance: Acceptance;
  readonly tip: () => ChainTip;
  /** Milliseconds. */
  readonly now: () => number;
  readonly onRefused: (refused: RefusedTransaction) => void;
}

function bytesOf(submission: Submission): Uint8Array {
  return submission instanceof Uint8Array ? submission : submission.raw;
}

/** Turns a transaction that passed the checks before into a candidate again. */
export function candidateOf({ txid, tx, raw }: BlockTransaction, options: SubmitOptions): Candidate {
  return { txid, tx, raw, outpoints: tx.inputs.map(formatOutpoint), options, rivals: [] };
}

/** Parses submitted transactions and runs the checks that need no decision order. */
export class SubmissionReader {
  readonly #options: SubmissionReaderOptions;
  readonly #claims = new Claims();

  constructor(options: SubmissionReaderOptions) {
    this.#options = options;
  }

  async read(submissions: readonly Submission[], options: SubmitOptions): Promise<Batch> {
    const results: SubmitResult[] = [];
    const places = new Map<string, number[]>();
    const unordered: Candidate[] = [];
    for (const [index, submission] of submissions.entries()) {
      // the first ones are not delayed, so that calls in one turn of the event loop keep their order
      if (index % 50 === 49) await pause();
      const steps = this.#read(submission, options);
      const isLong = bytesOf(submission).length > LONG_BYTES;
      const read = isLong ? await inTurns(steps) : runSteps(steps);
      if ('ok' in read) {
        results[index] = read;
        continue;
      }
      const same = places.get(read.txid);
      if (same) {
        same.push(index);
        continue;
      }
      places.set(read.txid, [index]);
      const { txid, tx, raw, outpoints } = read;
      const claiming = this.#claims.add(outpoints, txid);
      const rivals = isLong ? await inTurns(claiming) : runSteps(claiming);
      unordered.push({ txid, tx, raw, outpoints, options, rivals });
    }
    const candidates = parentsFirst(unordered);
    const prepared = this.#options.acceptance.prepare(candidates, this.#options.tip());
    prepared.catch(() => undefined);
    return {
      candidates,
      prepared,
      results: (decided) => {
        for (const result of decided) {
          for (const [nth, place] of (places.get(result.txid ?? '') ?? []).entries()) {
            results[place] = nth > 0 && result.ok ? { ...result, known: true } : result;
          }
        }
        return results;
      },
      release: async () => {
        for (const { outpoints, txid } of candidates) await inTurns(this.#claims.remove(outpoints, txid));
      },
    };
  }

  *#read(
    submission: Submission,
    options: SubmitOptions,
  ): Steps<(BlockTransaction & Pick<Candidate, 'outpoints'>) | (SubmitResult & { ok: false })> {
    // the caller may reuse its buffer while the scripts run
    const raw = submission instanceof Uint8Array ? Uint8Array.from(submission) : submission.raw;
    const tx = submission instanceof Uint8Array ? yield* readTransactionInSteps(raw) : submission.tx;
    if ('code' in tx) return { ok: false, txid: null, ...tx };
    const txid = submission instanceof Uint8Array ? txidOf(raw) : submission.txid;
    const isLong = raw.length > LONG_BYTES;
    // hashing ten million bytes and summing a million amounts are separate slow steps
    if (isLong) yield '';
    const many = tx.inputs.length > STEP_INPUTS ? yield* outpointsOf(tx) : undefined;
    let rejection = checkTransaction(tx, many);
    if (isLong) yield '';
    rejection ??= checkStandard(tx, raw.length);
    if (rejection === undefined) return { txid, tx, raw, outpoints: many ? [...many] : tx.inputs.map(formatOutpoint) };
    this.#tell({ txid, raw }, rejection, { source: options.source ?? 'rpc', standard: false, nonFinal: false });
    return { ok: false, txid, ...rejection };
  }

  /** Reports a refused transaction, in steps. */
  *refuse(candidate: Candidate, rejection: Rejection): Steps<void> {
    // accepted and evicted again: the node reports only the removal
    if (rejection.reason === 'mempool full') return;
    const { tx, options } = candidate;
    const { height, medianTime } = this.#options.tip();
    this.#tell(candidate, rejection, {
      source: options.source ?? 'rpc',
      standard: yield* isStandard(tx),
      nonFinal: !isFinal(tx, height + 1, medianTime),
    });
  }

  #tell(
    { txid, raw }: { readonly txid: string; readonly raw: Uint8Array },
    { code, reason, conflictedWith }: Rejection,
    { source, standard, nonFinal }: { source: TxSource; standard: boolean; nonFinal: boolean },
  ): void {
    const { onRefused, now } = this.#options;
    onRefused({ txid, raw, code, reason, conflictedWith, from: { source }, standard, nonFinal, time: now() });
  }
}

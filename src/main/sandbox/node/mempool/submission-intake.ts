import { formatOutpoint, runSteps, type Steps, txidOf } from '../../../../chain/index.ts';
import { inTurns, pause } from '../../../pause.ts';
import type { ChainTip } from '../chainstate/chainstate.ts';
import type { BlockTransaction } from '../consensus/blocks.ts';
import {
  checkStandard,
  checkTransaction,
  isFinal,
  isStandard,
  outpointsOf,
  readTransactionInSteps,
  STEP_INPUTS,
} from '../consensus/validate.ts';
import type { RefusedTransaction, Rejection, SubmitOptions, SubmitResult, TxSource } from '../types.ts';
import type { Acceptance, Prepared } from './acceptance.ts';
import { Claims } from './admission.ts';
import type { Candidate } from './candidate.ts';
import { parentsFirst } from './parents-first.ts';

/** A transaction handed in: its bytes, or bytes that were read already and never change. */
export type Submission = Uint8Array | BlockTransaction;

/** A batch on its way to the turn that decides it. */
export interface Batch {
  /** Parents before children, each once. */
  readonly candidates: readonly Candidate[];
  /** Runs beside anything else. */
  readonly prepared: Promise<Prepared>;
  /** One result for each transaction handed in, in the order given. @param decided one for each candidate */
  results(decided: readonly SubmitResult[]): SubmitResult[];
  /** Ends what the candidates claim; to be called when they are decided, or never will be. */
  release(): Promise<void>;
}

export interface IntakeOptions {
  readonly acceptance: Acceptance;
  readonly tip: () => ChainTip;
  /** Milliseconds. */
  readonly now: () => number;
  readonly onRefused: (refused: RefusedTransaction) => void;
}

/** Those above are read in turns with other work. */
const LONG_BYTES = 131_072;

function bytesOf(submission: Submission): Uint8Array {
  return submission instanceof Uint8Array ? submission : submission.raw;
}

/** A transaction that passed the checks before, once more on its way to a turn. */
export function candidateOf({ txid, tx, raw }: BlockTransaction, options: SubmitOptions): Candidate {
  return { txid, tx, raw, outpoints: tx.inputs.map(formatOutpoint), options, rivals: [] };
}

/** Reads transactions that are handed in and checks what can be checked before their turn comes. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #claims = new Claims();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  async read(submissions: readonly Submission[], options: SubmitOptions): Promise<Batch> {
    const results: SubmitResult[] = [];
    const places = new Map<string, number[]>();
    const unordered: Candidate[] = [];
    for (const [index, submission] of submissions.entries()) {
      // nothing waits for the first ones, so that calls of one turn of the event loop keep their order
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
    // the caller may use its buffer again while the scripts run
    const raw = submission instanceof Uint8Array ? Uint8Array.from(submission) : submission.raw;
    const tx = submission instanceof Uint8Array ? yield* readTransactionInSteps(raw) : submission.tx;
    if ('code' in tx) return { ok: false, txid: null, ...tx };
    const txid = submission instanceof Uint8Array ? txidOf(raw) : submission.txid;
    const isLong = raw.length > LONG_BYTES;
    // hashing ten million bytes, and adding up a million amounts, takes its time each
    if (isLong) yield '';
    const many = tx.inputs.length > STEP_INPUTS ? yield* outpointsOf(tx) : undefined;
    let rejection = checkTransaction(tx, many);
    if (isLong) yield '';
    rejection ??= checkStandard(tx, raw.length);
    if (rejection === undefined) return { txid, tx, raw, outpoints: many ? [...many] : tx.inputs.map(formatOutpoint) };
    this.#tell({ txid, raw }, rejection, { source: sourceOf(options), standard: false, nonFinal: false });
    return { ok: false, txid, ...rejection };
  }

  /** Tells of a transaction that was refused in its turn, step by step. */
  *refuse(candidate: Candidate, rejection: Rejection): Steps<void> {
    // taken and let go again: the node tells of the removal alone
    if (rejection.reason === 'mempool full') return;
    const { tx, options } = candidate;
    const { height, medianTime } = this.#options.tip();
    this.#tell(candidate, rejection, {
      source: sourceOf(options),
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
    const conflicts = conflictedWith ? { conflictedWith } : {};
    onRefused({ txid, raw, code, reason, ...conflicts, from: { source }, standard, nonFinal, time: now() });
  }
}

function sourceOf({ source = 'rpc' }: SubmitOptions): TxSource {
  return source;
}

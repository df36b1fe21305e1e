import { isPassing, type MintJob, type MintState, mintStates, PlanchetError } from '../../../contract/index.ts';
import { endsWithin } from '../../clock.ts';
import type { TipSource } from '../../ports.ts';
import { deleteOutputs } from '../projects/orphans.ts';
import type { ItemRow, JobRow } from '../tables.ts';
import { buildStep, uploadStep } from './build-steps.ts';
import type { Estimator } from './estimate.ts';
import { askedToWaitMs, failureOf, passesByItself } from './failures.ts';
import { handOutAgain, minedStep, provenStep, replacedJobs, seenStep, takenBack } from './follow-steps.ts';
import { isUnsigned, spendsNothing } from './job-states.ts';
import { awaitsApproval } from './journal.ts';
import { networkKnows, reviewStep, signStep, submitStep } from './sign-steps.ts';
import type { StepContext, StepOutcome } from './step-context.ts';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 60_000;
/** How long a running step may go on when the studio stops, before its calls are ended; and then until it must have come back. */
const STOP_GRACE_MS = 1_500;
const STOP_END_MS = 1_000;

const steps: Partial<Record<MintState, (ctx: StepContext, job: JobRow) => Promise<StepOutcome>>> = {
  draft: uploadStep,
  uploaded: buildStep,
  built: reviewStep,
  reviewed: signStep,
  signed: submitStep,
  submitted: seenStep,
  seen: minedStep,
  mined: provenStep,
};

export interface MintRequest {
  itemIds: string[];
  destination: string;
  /** The same key gives the same job. */
  idempotencyKey: string;
}

export interface MintPipelineOptions extends Omit<StepContext, 'crash' | 'signal'> {
  readonly estimator: Estimator;
  readonly tip: TipSource;
  readonly crashPoint?: ((where: string) => void) | undefined;
  /** Told after a job came to another state, e.g. to count a project's tokens anew. */
  readonly onState: (job: MintJob) => void;
}

/** What is in memory of a job: nothing that a crash could lose. */
interface Worker {
  running: Promise<void> | undefined;
  /** Asked for while it ran. */
  again: boolean;
  failures: number;
  cancelTimer: (() => void) | undefined;
  abort: AbortController;
  /** Steps and commands of one job go one after the other. */
  turn: Promise<unknown>;
}

/** Drives every mint job from step to step, each one journalled, until it is proven, waits for a person, or has failed. */
export class MintPipeline {
  readonly #options: MintPipelineOptions;
  readonly #workers = new Map<string, Worker>();
  #stopping = true;
  #stopListening: (() => void) | undefined;
  #creating: Promise<unknown> = Promise.resolve();
  #lookingBack: Promise<void> | undefined;

  constructor(options: MintPipelineOptions) {
    this.#options = options;
  }

  /** Goes on with every unfinished job where its journal says it stands. */
  async start(): Promise<void> {
    this.#stopping = false;
    for (const worker of this.#workers.values()) worker.abort = new AbortController();
    for (const job of this.#options.journal.jobs()) {
      // A crash may have come between writing the end of a job and giving its coins free.
      if (spendsNothing(job) && this.#options.wallet.reserved(job.id).length > 0) {
        await this.#options.wallet.release(job.id);
      }
    }
    this.#stopListening = this.#options.tip.onTip(() => {
      for (const job of this.#options.journal.jobs()) {
        if (mintStates.is(job.state, 'followed')) this.#kick(job.id);
      }
      this.#lookBack();
    });
    for (const job of this.#options.journal.jobs()) if (job.active) this.#kick(job.id);
  }

  /** Lets running steps come to their end, ends their calls when they take too long, and starts no new ones. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopListening?.();
    const workers = [...this.#workers.values()];
    for (const worker of workers) worker.cancelTimer?.();
    const works = workers.flatMap(({ running, turn }) => [running, turn]);
    const done = Promise.allSettled([...works, this.#lookingBack]);
    if (await endsWithin(done, STOP_GRACE_MS)) return;
    for (const worker of workers) worker.abort.abort();
    await endsWithin(done, STOP_END_MS);
  }

  /**
   * Journals a job and starts it. Nothing is changed where something stands in the way.
   * @throws PlanchetError the first problem of the estimate | `conflict` where the key belongs to another mint
   */
  create(request: MintRequest): Promise<MintJob> {
    const made = this.#creating.then(() => this.#create(request));
    this.#creating = made.catch(() => {});
    return made;
  }

  async #create({ itemIds, destination, idempotencyKey }: MintRequest): Promise<MintJob> {
    this.#requireRunning();
    const { journal, items, estimator } = this.#options;
    const earlier = await journal.byKey(idempotencyKey);
    if (earlier !== undefined) {
      const same = earlier.destination === destination && earlier.itemIds.join() === itemIds.join();
      if (same) return earlier;
      throw new PlanchetError('mint.idempotency-key-used');
    }
    const rows = await items.rows(itemIds);
    await estimator.requireMintable(rows);
    const { problems } = await estimator.estimate({ itemIds, destination });
    // who gives no answer now is asked again by the steps of the job
    const problem = problems.find((one) => !isPassing(one));
    if (problem !== undefined) {
      throw new PlanchetError(problem);
    }
    const projectUid = (rows[0] as ItemRow).project_uid;
    const job = await journal.create({ projectUid, itemIds, destination, idempotencyKey });
    this.#kick(job.id);
    return job;
  }

  /**
   * Signs what was reviewed under this digest and starts submitting it. The approval is journalled first, so it outlives a crash.
   * @throws PlanchetError `conflict` | `vault-locked` | `review-failed` | `not-running`
   */
  async approve(id: string, digest: string): Promise<MintJob> {
    this.#requireRunning();
    const { journal } = this.#options;
    const signed = this.#inTurn(id, async () => {
      const row = await journal.row(id);
      if (row.approved_digest === digest && mintStates.is(row.state as MintState, 'signed')) return journal.job(id);
      if (!awaitsApproval(row)) {
        throw new PlanchetError('mint.not-waiting');
      }
      if (journal.job(id).review?.digest !== digest) {
        throw new PlanchetError('mint.other-transaction-approved');
      }
      await journal.write(id, { job: { approved_digest: digest }, failure: null });
      this.#crash('approved');
      try {
        await signStep(this.#context(id), await journal.row(id));
      } catch (error) {
        // Whoever approved is told, and may approve again: nothing is signed behind their back later.
        await journal.write(id, { job: { approved_digest: null } });
        await this.#fail(id, error);
        throw failureOf(error);
      }
      return journal.job(id);
    });
    return signed.finally(() => this.#kick(id));
  }

  /** Gives coins and items free again. @throws PlanchetError `conflict` once it is signed, unless the network refused or lost it */
  async cancel(id: string): Promise<MintJob> {
    this.#requireRunning();
    const { journal, wallet } = this.#options;
    const worker = this.#worker(id);
    const { state } = journal.job(id);
    if (isUnsigned(state)) {
      worker.cancelTimer?.();
      worker.abort.abort();
    }
    return this.#inTurn(id, async () => {
      worker.abort = new AbortController();
      const row = await journal.row(id);
      if (row.state === 'cancelled') return journal.job(id);
      const { txid } = row;
      const isSigned = mintStates.is(row.state as MintState, 'signed');
      if (isSigned && (!spendsNothing(journal.job(id)) || (await networkKnows(this.#context(id), txid as string)))) {
        throw new PlanchetError('mint.already-signed');
      }
      const items = await journal.items(id);
      const job = await journal.write(id, {
        state: 'cancelled',
        failure: null,
        job: { approved_digest: null, halted: 0 },
        everyItem: {
          state: 'draft',
          job_id: null,
          output_uid: null,
          upload_intent: 0,
          txid: null,
          vout: null,
          failure: null,
        },
      });
      await wallet.release(id);
      if (isSigned) await wallet.forget(txid as string);
      await deleteOutputs(this.#context(id), items);
      this.#options.onState(job);
      return job;
    });
  }

  /** Tries a failed step again; one that failed its review is built anew. @throws PlanchetError `conflict` where nothing failed */
  async retry(id: string): Promise<MintJob> {
    this.#requireRunning();
    const { journal } = this.#options;
    const job = await this.#inTurn(id, async () => {
      const row = await journal.row(id);
      if (row.failure === null && row.halted === 0) {
        throw new PlanchetError('mint.nothing-failed');
      }
      if (row.halted === 0 && row.state !== 'reviewed') return journal.job(id);
      if (row.state === 'submitted') await handOutAgain(this.#context(id), row);
      const rebuild = row.state === 'built' || (row.state === 'reviewed' && row.halted === 1);
      return journal.write(id, {
        ...(rebuild ? { state: 'uploaded' as const } : {}),
        failure: null,
        job: {
          halted: 0,
          // The outputs are in the refused transaction: the build looks for that and takes new ones.
          ...(rebuild ? { review: null, approved_digest: null, build_intent: 1, quote: null, coins: null } : {}),
          ...(row.state === 'uploaded' ? { quote: null, builds: 0 } : {}),
        },
        ...(rebuild ? { transaction: { tx_obj: null } } : {}),
      });
    });
    this.#worker(id).failures = 0;
    this.#kick(id);
    return job;
  }

  /** Finished mints are looked at again with every block. A node that cannot be asked now is asked with the next one. */
  #lookBack(): void {
    this.#lookingBack ??= (async () => {
      const { journal, logger } = this.#options;
      try {
        for await (const { id, isKnown } of replacedJobs(this.#options)) {
          await this.#inTurn(id, async () => {
            const row = await journal.row(id);
            if (row.state === 'proven') await takenBack(this.#options, row, isKnown);
          });
          this.#options.onState(journal.job(id));
          this.#kick(id);
        }
      } catch (error) {
        logger.debug({ err: error }, 'finished mints could not be looked at again');
      } finally {
        this.#lookingBack = undefined;
      }
    })();
  }

  #requireRunning(): void {
    if (!this.#stopping) return;
    throw new PlanchetError('mint.not-running');
  }

  #worker(id: string): Worker {
    let worker = this.#workers.get(id);
    if (worker === undefined) {
      worker = {
        running: undefined,
        again: false,
        failures: 0,
        cancelTimer: undefined,
        abort: new AbortController(),
        turn: Promise.resolve(),
      };
      this.#workers.set(id, worker);
    }
    return worker;
  }

  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const worker = this.#worker(id);
    const turn = worker.turn.then(work);
    worker.turn = turn.catch(() => {});
    return turn;
  }

  #context(id: string): StepContext {
    return { ...this.#options, crash: (where) => this.#crash(where), signal: this.#worker(id).abort.signal };
  }

  #crash(where: string): void {
    this.#options.crashPoint?.(where);
  }

  /** Works on a job now, or once more after what is being done. */
  #kick(id: string): void {
    const worker = this.#worker(id);
    if (this.#stopping) return;
    if (worker.running !== undefined) {
      worker.again = true;
      return;
    }
    worker.cancelTimer?.();
    worker.cancelTimer = undefined;
    worker.running = this.#drive(id, worker).finally(() => {
      worker.running = undefined;
      if (worker.again) {
        worker.again = false;
        this.#kick(id);
      } else if (worker.cancelTimer === undefined && !this.#options.journal.job(id).active) {
        this.#workers.delete(id);
      }
    });
  }

  async #drive(id: string, worker: Worker): Promise<void> {
    while (!this.#stopping) {
      const outcome = await this.#inTurn(id, () => this.#step(id, worker));
      if (outcome === 'rest') return;
      if (outcome === 'next') continue;
      worker.cancelTimer = this.#options.clock.after(outcome, () => {
        worker.cancelTimer = undefined;
        this.#kick(id);
      });
      return;
    }
  }

  async #step(id: string, worker: Worker): Promise<StepOutcome> {
    const { journal, logger } = this.#options;
    try {
      const row = await journal.row(id);
      const state = row.state as MintState;
      const step = steps[state];
      if (step === undefined || row.halted === 1 || awaitsApproval(row)) return 'rest';
      const outcome = await step(this.#context(id), row);
      worker.failures = 0;
      const job = journal.job(id);
      if (job.state !== state) {
        logger.info({ job: id, state: job.state, txid: job.txid }, 'mint went on');
        this.#options.onState(job);
      }
      return outcome;
    } catch (error) {
      worker.failures++;
      const backOff = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (worker.failures - 1));
      const retryMs = Math.max(backOff, askedToWaitMs(error));
      try {
        return (await this.#fail(id, error, retryMs)) ? retryMs : 'rest';
      } catch (writing) {
        logger.error({ err: writing, job: id }, 'a failed mint step could not be journalled');
        return retryMs;
      }
    }
  }

  /**
   * Journals a failed step. Before signing a failure that is no passing one gives the coins free; after signing only a refusal does, and
   * it comes here only when the network does not know the transaction.
   * @param retryMs when a passing failure is tried again
   * @returns whether the step is to be tried again by itself
   */
  async #fail(id: string, error: unknown, retryMs = 0): Promise<boolean> {
    const { journal, wallet, logger } = this.#options;
    const { code } = failureOf(error);
    // Ended by a stop or a cancel: nothing has failed.
    if (code === 'cancelled') return false;
    const failure = failureOf(error).toFailure();
    const row = await journal.row(id);
    const state = row.state as MintState;
    const passing = passesByItself(code) || (mintStates.is(state, 'followed') && code !== 'rejected');
    const again = passing && (state !== 'reviewed' || row.approved_digest !== null);
    logger.warn({ err: error, job: id, state, code, again }, 'mint step failed');
    if (again) {
      await journal.write(id, { failure, retryAt: this.#options.clock.now() + retryMs });
      return true;
    }
    if (state === 'reviewed' && code !== 'review-failed') {
      // Nothing is wrong with the transaction: it waits for another approval.
      await journal.write(id, { failure, job: { approved_digest: null } });
      return false;
    }
    if (spendsNothing(await journal.write(id, { failure, job: { halted: 1 } }))) await wallet.release(id);
    return false;
  }
}

import {
  type Contract,
  isPassing,
  type MintJob,
  type MintState,
  mintStates,
  PlanchetError,
  type Serves,
} from '../../../contract/index.ts';
import { backOffMs } from '../../async/back-off.ts';
import { Sequencer } from '../../async/sequencer.ts';
import { endsWithin } from '../../clock.ts';
import type { ItemRow } from '../tables.ts';
import type { Estimator } from './estimate.ts';
import { askedToWaitMs, failureOf, isForLackOfRoom, passesByItself } from './failures.ts';
import { isUnsigned, spendsNothing } from './job-states.ts';
import { awaitsApproval } from './job-views.ts';
import { JobWorker } from './job-worker.ts';
import { rebuilt } from './steps/building/rebuilt.ts';
import { deleteOutputs } from './steps/building/remote-outputs.ts';
import { cancelled, endReplacement, minedAfterAll, takeUpCancelled } from './steps/following/mined-after-all.ts';
import { jobsOfReplacedBlocks, returnToPool } from './steps/following/reorganisation.ts';
import { steps } from './steps/index.ts';
import { isOnNetwork, submitAgain } from './steps/network.ts';
import { signStep } from './steps/sign.ts';
import type { StepContext, StepOutcome } from './steps/step-context.ts';

const RETRY = { firstMs: 500, longestMs: 60_000 };
/** On stop: how long a running step may go on before its calls are aborted, and how long it may take after that. */
const STOP_GRACE_MS = 1_500;
const STOP_END_MS = 1_000;

type Mint = Serves<Contract['mint']>;
type MintRequest = Parameters<Mint['create']>[0];

export interface MintPipelineOptions extends Omit<StepContext, 'crash' | 'signal'> {
  readonly estimator: Estimator;
  readonly crashPoint?: ((where: string) => void) | undefined;
  /** Whether a job may go on now; a job of a run waits for its turn. */
  readonly mayStep: (job: MintJob) => boolean;
  /** Whether a project can only be minted directly. */
  readonly isDirect: (projectUid: string) => Promise<boolean>;
  readonly random?: (() => number) | undefined;
  /** Called after a job reached another state, e.g. to count a project's tokens again. */
  readonly onState: (job: MintJob) => void;
}

/** Runs every mint job step by step until it is proven, waits for a person, or has failed. Each step is journalled. */
export class MintPipeline implements Mint {
  readonly #options: MintPipelineOptions;
  readonly #workers = new Map<string, JobWorker>();
  #stopping = true;
  #stopListening: (() => void) | undefined;
  readonly #creating = new Sequencer();
  /** Transactions that changed their state since the jobs were last checked. */
  readonly #changed = new Set<string>();
  readonly #rechecks = new Sequencer();

  constructor(options: MintPipelineOptions) {
    this.#options = options;
  }

  /** What prevents the mint is in `problems` and not thrown. @throws PlanchetError `not-found` (item) */
  readonly estimate: Mint['estimate'] = (request) => this.#options.estimator.estimate(request);
  /** @throws PlanchetError `not-found` where `after` names no job */
  readonly list: Mint['list'] = async (page) => this.#options.journal.page(page);
  /** @throws PlanchetError `not-found` */
  readonly get: Mint['get'] = async ({ id }) => this.#options.journal.job(id);

  /** Resumes every unfinished job from its journalled state. */
  async start(): Promise<void> {
    this.#stopping = false;
    for (const worker of this.#workers.values()) worker.abort = new AbortController();
    for (const job of this.#options.journal.jobs()) {
      // The process may have ended between journalling the end of a job and releasing its coins.
      if (!spendsNothing(job)) continue;
      // Earlier versions did not note signed transactions with the wallet.
      if (job.txid !== null) await this.#noteSigned(job.id);
      await this.#options.wallet.release(job.id);
    }
    this.#stopListening = this.#options.tracker.onChange(({ txid, transaction }) => {
      if (transaction.origin !== 'mint') return;
      if (this.#changed.size === 0) setImmediate(() => this.#takeChanges());
      this.#changed.add(txid);
    });
    this.#recheckFinished(undefined);
    for (const job of this.#options.journal.jobs()) if (job.active) this.wake(job.id);
  }

  /** Starts no new steps and waits for running ones; their calls are aborted if they take too long. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopListening?.();
    const workers = [...this.#workers.values()];
    for (const worker of workers) worker.cancelTimer();
    const done = Promise.all([...workers.map(({ sequencer }) => sequencer.idle()), this.#rechecks.idle()]);
    if (await endsWithin(done, STOP_GRACE_MS)) return;
    for (const worker of workers) worker.abort.abort();
    await endsWithin(done, STOP_END_MS);
  }

  /**
   * Journals a job and starts it. Changes nothing if a problem prevents the mint.
   * @throws PlanchetError the first problem of the estimate | `conflict` if the key belongs to another mint
   */
  create(request: MintRequest): Promise<MintJob> {
    return this.#creating.run(() => this.#create(request));
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
    // A party that does not answer now is asked again by the job's steps.
    const problem = problems.find((one) => !isPassing(one));
    if (problem !== undefined) throw new PlanchetError(problem);
    const projectUid = (rows[0] as ItemRow).project_uid;
    const direct = await this.#options.isDirect(projectUid);
    const job = await journal.create({ projectUid, itemIds, destination, idempotencyKey, direct });
    this.wake(job.id);
    return job;
  }

  /**
   * Signs what was reviewed under this digest and starts submitting it. The approval is journalled first, so it outlives a crash.
   * @throws PlanchetError `conflict` | `vault-locked` | `review-failed` | `not-running`
   */
  async approve({ id, digest }: { id: string; digest: string }): Promise<MintJob> {
    this.#requireRunning();
    const { journal } = this.#options;
    const signed = this.#serialise(id, async () => {
      const row = await journal.row(id);
      if (row.approved_digest === digest && mintStates.is(row.state as MintState, 'signed')) return journal.job(id);
      if (!awaitsApproval(row)) throw new PlanchetError('mint.not-waiting');
      if (journal.job(id).review?.digest !== digest) throw new PlanchetError('mint.other-transaction-approved');
      // The approval of a run is journalled with the run, which approves again after a crash.
      if (journal.runOf(id) === undefined) await journal.write(id, { job: { approved_digest: digest }, failure: null });
      this.#crash('approved');
      try {
        await signStep(this.#context(id), { ...row, approved_digest: digest });
      } catch (error) {
        // The caller gets the failure and may approve again: nothing is signed later without a new approval.
        await journal.write(id, { job: { approved_digest: null } });
        await this.#fail(id, error);
        throw failureOf(error);
      }
      return journal.job(id);
    });
    return signed.finally(() => this.wake(id));
  }

  /** Releases coins and items. @throws PlanchetError `conflict` once it is signed, unless the network refused or lost it */
  async cancel({ id }: { id: string }): Promise<MintJob> {
    this.#requireRunning();
    const { journal, wallet } = this.#options;
    const worker = this.#worker(id);
    const { state } = journal.job(id);
    if (isUnsigned(state)) {
      worker.cancelTimer();
      worker.abort.abort();
    }
    const done = this.#serialise(id, async () => {
      worker.abort = new AbortController();
      const row = await journal.row(id);
      if (row.state === 'cancelled') return journal.job(id);
      const { txid } = row;
      const isSigned = mintStates.is(row.state as MintState, 'signed');
      if (isSigned && (!spendsNothing(journal.job(id)) || (await isOnNetwork(this.#context(id), txid as string)))) {
        throw new PlanchetError('mint.already-signed');
      }
      const items = await this.#options.items.existing(journal.job(id).itemIds);
      const job = await journal.write(id, { ...cancelled, failure: null });
      await wallet.release(id);
      if (isSigned) await wallet.forget(txid as string);
      await deleteOutputs(this.#context(id), items);
      this.#options.onState(job);
      return job;
    });
    // A job that could not be cancelled goes on: its step was aborted and its timer cleared.
    return done.finally(() => {
      void this.#recheckReplaced(id);
      this.wake(id);
    });
  }

  /** Tries a failed step again; a transaction that failed its review is built again. @throws PlanchetError `conflict` if nothing failed */
  async retry({ id }: { id: string }): Promise<MintJob> {
    this.#requireRunning();
    const { journal } = this.#options;
    const job = await this.#serialise(id, async () => {
      const row = await journal.row(id);
      if (row.failure === null && row.halted === 0) throw new PlanchetError('mint.nothing-failed');
      if (row.halted === 0 && row.state !== 'reviewed') return journal.job(id);
      if (row.state === 'submitted') await submitAgain(this.#context(id), row);
      const rebuild = row.state === 'built' || (row.state === 'reviewed' && row.halted === 1);
      if (rebuild) return journal.write(id, rebuilt);
      const again = row.state === 'uploaded' ? { quote: null, builds: 0 } : {};
      return journal.write(id, { failure: null, job: { halted: 0, ...again } });
    });
    this.#worker(id).failures = 0;
    this.wake(id);
    return job;
  }

  /** Wakes the jobs whose transactions changed their state. */
  #takeChanges(): void {
    const txids = new Set(this.#changed);
    this.#changed.clear();
    if (this.#stopping) return;
    for (const { id, txid, state } of this.#options.journal.jobs())
      if (txid !== null && txids.has(txid) && mintStates.is(state, 'followed')) this.wake(id);
    this.#recheckFinished(txids);
  }

  /** Checks finished mints again, one call after the other. */
  #recheckFinished(txids: ReadonlySet<string> | undefined): void {
    // One that fails must not keep the others from being checked.
    const checked = (job: string, check: Promise<void>): Promise<void> =>
      check.catch((err: unknown) => this.#options.logger.warn({ err, job }, 'a finished mint was not checked again'));
    void this.#rechecks.run(async () => {
      try {
        for await (const { id, isKnown } of jobsOfReplacedBlocks(this.#options, txids))
          await checked(id, this.#takeBack(id, isKnown));
        for await (const id of minedAfterAll(this.#options, txids)) await checked(id, this.#takeUp(id));
      } catch (err) {
        this.#options.logger.debug({ err }, 'finished mints could not be checked again');
      }
    });
  }

  /** The block of a proven mint left the chain. */
  async #takeBack(id: string, isKnown: boolean): Promise<void> {
    const { journal, onState } = this.#options;
    await this.#serialise(id, async () => {
      const row = await journal.row(id);
      if (row.state === 'proven') await returnToPool(this.#options, row, isKnown);
    });
    onState(journal.job(id));
    this.wake(id);
  }

  /** A cancelled mint was mined after all: it goes on, and jobs that would mint its items a second time end. */
  async #takeUp(id: string): Promise<void> {
    const { journal, items, onState } = this.#options;
    const { itemIds, txid } = journal.job(id);
    const others = new Set((await items.existing(itemIds)).flatMap(({ job_id }) => job_id ?? []));
    for (const other of others) {
      this.#worker(other).abort.abort();
      await this.#serialise(other, async () => {
        this.#worker(other).abort = new AbortController();
        if (await endReplacement(this.#options, other, txid as string)) onState(journal.job(other));
      });
      this.wake(other);
    }
    await this.#serialise(id, async () => {
      if (journal.job(id).state === 'cancelled') await takeUpCancelled(this.#options, id);
    });
    onState(journal.job(id));
    this.wake(id);
  }

  /** The earlier mints that a cancelled job was to replace may be in a block. */
  async #recheckReplaced(id: string): Promise<void> {
    const earlier = await this.#options.journal.cancelledOf([id]).catch(() => []);
    const txids = new Set(earlier.flatMap(({ txid }) => txid ?? []));
    if (txids.size > 0) this.#recheckFinished(txids);
  }

  /** Notes the signed transaction of a job with the wallet, unless that is missing or locked. */
  async #noteSigned(id: string): Promise<void> {
    const { wallet, journal } = this.#options;
    await wallet.noteSigned(id, await journal.transactions.signed(id)).catch((error: unknown) => {
      const { code } = failureOf(error);
      if (code !== 'wallet-missing' && code !== 'vault-locked' && code !== 'not-running') throw error;
    });
  }

  /** Stops a reviewed job that is not to be signed, and releases its coins. Tried again, it is built anew. */
  async refuse(id: string, reason: PlanchetError): Promise<void> {
    await this.#serialise(id, () => this.#fail(id, reason));
  }

  #requireRunning(): void {
    if (!this.#stopping) return;
    throw new PlanchetError('mint.not-running');
  }

  #worker(id: string): JobWorker {
    const known = this.#workers.get(id);
    if (known !== undefined) return known;
    // throws for an unknown job
    this.#options.journal.job(id);
    const worker = new JobWorker(
      (self) => this.#drive(id, self),
      (err) => this.#options.logger.error({ err, job: id }, 'a mint job stands still'),
    );
    this.#workers.set(id, worker);
    return worker;
  }

  #serialise<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#worker(id).sequencer.run(work);
  }

  #context(id: string): StepContext {
    return { ...this.#options, crash: (where) => this.#crash(where), signal: this.#worker(id).abort.signal };
  }

  #crash(where: string): void {
    this.#options.crashPoint?.(where);
  }

  /** Runs a job now, or once more after the current run. */
  wake(id: string): void {
    if (this.#stopping) return;
    const worker = this.#worker(id);
    void worker.runs.wake().then(() => {
      if (worker.isIdle && !this.#options.journal.job(id).active) this.#workers.delete(id);
    });
  }

  async #drive(id: string, worker: JobWorker): Promise<void> {
    while (!this.#stopping) {
      const outcome = await this.#serialise(id, () => this.#step(id, worker));
      if (outcome === 'rest') return;
      if (outcome === 'next') continue;
      worker.wakeAfter(this.#options.clock, outcome, () => this.wake(id));
      return;
    }
  }

  async #step(id: string, worker: JobWorker): Promise<StepOutcome> {
    const { journal, logger } = this.#options;
    try {
      const row = await journal.row(id);
      const state = row.state as MintState;
      const step = steps[state];
      if (step === undefined || row.halted === 1 || awaitsApproval(row)) return 'rest';
      if (!this.#options.mayStep(journal.job(id))) return 'rest';
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
      const retryMs = backOffMs(RETRY, worker.failures, askedToWaitMs(error), this.#options.random);
      try {
        return (await this.#fail(id, error, retryMs)) ? retryMs : 'rest';
      } catch (writing) {
        logger.error({ err: writing, job: id }, 'a failed mint step could not be journalled');
        await journal.show(id, failureOf(writing).toFailure(), this.#options.clock.now() + retryMs);
        return retryMs;
      }
    }
  }

  /**
   * Journals a failed step. Before signing, any lasting failure releases the coins. After signing only a refusal does, and only once the
   * network was asked and does not have the transaction.
   * @param retryMs delay before a passing failure is tried again
   * @returns whether the step is to be tried again by itself
   */
  async #fail(id: string, error: unknown, retryMs = 0): Promise<boolean> {
    const { journal, wallet, logger } = this.#options;
    const { code } = failureOf(error);
    // Stopped or cancelled: nothing has failed.
    if (code === 'cancelled') return false;
    const failure = failureOf(error).toFailure();
    const row = await journal.row(id);
    const state = row.state as MintState;
    const passing =
      passesByItself(code) || isForLackOfRoom(failure) || (mintStates.is(state, 'followed') && code !== 'rejected');
    const again = passing && (state !== 'reviewed' || row.approved_digest !== null);
    logger.warn({ err: error, job: id, state, code, again }, 'mint step failed');
    if (again) {
      await journal.write(id, { failure, retryAt: this.#options.clock.now() + retryMs });
      return true;
    }
    if (state === 'reviewed' && code !== 'review-failed') {
      // The transaction itself is sound: it waits for another approval.
      await journal.write(id, { failure, job: { approved_digest: null } });
      return false;
    }
    if (spendsNothing(await journal.write(id, { failure, job: { halted: 1 } }))) await wallet.release(id);
    return false;
  }
}

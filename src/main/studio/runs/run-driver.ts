import type { Logger } from 'pino';
import {
  type Failure,
  type MintJob,
  mintStates,
  PlanchetError,
  type Run,
  type RunPlan,
} from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import { askedToWaitMs, failureOf, passesByItself } from '../minting/failures.ts';
import { isUnsigned } from '../minting/job-states.ts';
import type { MintPipeline } from '../minting/mint.ts';
import { isOnNetwork } from '../minting/steps/network.ts';
import { isDearer, quoteChanged } from './plan.ts';
import type { Planner } from './planner.ts';
import type { RunChange, StoredRun } from './run-store.ts';
import { abandonSplit, bringBackSplit, type SplitContext, splitMoney } from './split.ts';
import { BASE64_CONTENT, hasFailed, hasPausingFailure, isSettled, summaryOf } from './summary.ts';

/** Transactions of a run that are uploaded, built or reviewed at the same time. */
const SIDE_BY_SIDE = 4;
/** How long a run waits before it retries after a passing failure, such as a locked wallet. */
const RETRY_MS = 2_000;
/** Shortest time between two updates of a run in the views. */
const PUBLISH_MS = 250;

export interface RunDriverOptions extends SplitContext {
  readonly run: StoredRun;
  readonly planner: Planner;
  readonly pipeline: MintPipeline;
  readonly events: Events;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Drives one run: divides the money, starts its transactions in turn, checks each against the plan and has it signed. */
export class RunDriver {
  readonly #options: RunDriverOptions;
  #run: StoredRun;
  readonly #started = new Set<string>();
  /** Jobs whose failure is known not to come from a split that the network dropped. */
  readonly #judged = new Set<string>();
  #waitingFor: Failure | null = null;
  readonly #steps = new Sequencer();
  readonly #advances: Rerun;
  #isStopped = false;
  /** Whether the next step wakes the jobs that waited while the run was paused. */
  #wakesStarted = false;
  #cancelRetry: (() => void) | undefined;
  #cancelPublish: (() => void) | undefined;

  constructor(options: RunDriverOptions) {
    this.#options = options;
    this.#run = options.run;
    this.#advances = new Rerun({
      work: async () => {
        // A run that waits for its retry does not start early because of earlier events.
        if (this.#cancelRetry === undefined) await this.serialise(() => this.#step());
      },
      onError: (error) => options.logger.error({ err: error, run: options.run.id }, 'a run could not go on'),
    });
  }

  get run(): StoredRun {
    return this.#run;
  }

  jobs(): MintJob[] {
    return this.#options.journal.jobsOfRun(this.#run.id);
  }

  #unsigned(): MintJob[] {
    return this.jobs().filter(({ state }) => isUnsigned(state));
  }

  /** Whether an unsigned job has been started and the run is not paused. */
  hasStarted(jobId: string): boolean {
    return this.#run.state === 'minting' && this.#started.has(jobId);
  }

  async summary(): Promise<Run> {
    const projectName = await this.#options.store.projectName(this.#run.project_uid);
    const now = this.#options.clock.now();
    const hasStarted = (id: string): boolean => this.#started.has(id);
    return summaryOf({ run: this.#run, jobs: this.jobs(), projectName, waitingFor: this.#waitingFor, hasStarted, now });
  }

  /** Writes the run, and the highest fees of its jobs if given, and publishes it. */
  async write(change: RunChange, maxFees?: ReadonlyMap<string, number>): Promise<void> {
    if (change.state === 'minting' && this.#run.state !== 'minting') this.#wakesStarted = true;
    this.adopt(await this.#options.store.write(this.#run.id, change, maxFees));
  }

  /** Takes over what was written. */
  adopt(run: StoredRun): void {
    this.#run = run;
    this.#waitingFor = null;
    this.publishSoon();
  }

  /** Commands and the run's own steps follow one another. */
  serialise<T>(work: () => Promise<T>): Promise<T> {
    return this.#steps.run(work);
  }

  jobChanged(): void {
    this.publishSoon();
    // A run that waits for its retry does not start early because of its own jobs.
    if (this.#cancelRetry === undefined) this.advance();
  }

  /** Runs the next step. An event during a step causes another one. */
  advance(): void {
    if (this.#isStopped) return;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    void this.#advances.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry?.();
    this.#cancelPublish?.();
    await this.#advances.stop();
    await this.#steps.idle();
  }

  publishSoon(): void {
    const { clock, events } = this.#options;
    if (this.#isStopped) return;
    this.#cancelPublish ??= clock.after(PUBLISH_MS, () => {
      this.#cancelPublish = undefined;
      void this.summary().then(
        (run) => events.publish({ type: 'run', run }),
        () => {},
      );
    });
  }

  async #step(): Promise<void> {
    if (this.#isStopped) return;
    try {
      await this.#takeUpAgain();
      if (this.#run.state !== 'minting') return;
      if (this.#run.split_done === 0) await this.#split();
      else await this.#lookForSplit();
      if (this.#run.state === 'minting') await this.#pauseIfPointless();
      if (this.#run.state === 'minting') await this.#approveReviewed();
      if (this.#run.state === 'minting') await this.#startNext();
      const { state } = this.#run;
      if (state === 'minting' && this.jobs().every(isSettled)) {
        await this.write({ state: 'done', ended_at: this.#options.clock.now() });
      }
      this.#waitingFor = null;
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** A transaction of a finished run that was double spent is built anew, under the same approval. */
  async #takeUpAgain(): Promise<void> {
    if (this.#run.state !== 'done' || !this.jobs().some((job) => job.active && isUnsigned(job.state))) return;
    await this.write({ state: 'minting', ended_at: null });
  }

  /** After a passing failure the run is tried again; any other pauses it. */
  async #fail(error: unknown): Promise<void> {
    const { clock, logger } = this.#options;
    const failure = failureOf(error);
    logger.warn({ err: error, run: this.#run.id, code: failure.code }, 'mint run cannot go on');
    if (!passesByItself(failure.code)) {
      try {
        await this.write({ state: 'paused', failure: failure.toFailure() });
        return;
      } catch (writing) {
        logger.error({ err: writing, run: this.#run.id }, 'a paused run could not be journalled');
      }
    }
    this.#waitingFor = failure.toFailure();
    this.publishSoon();
    this.#cancelRetry ??= clock.after(Math.max(RETRY_MS, askedToWaitMs(error)), () => {
      this.#cancelRetry = undefined;
      this.advance();
    });
  }

  async #split(): Promise<void> {
    // The rest was cancelled before the money was divided, so nothing needs a coin.
    if (this.#unsigned().length === 0 && this.#run.split_txid === null) return this.write({ split_done: 1 });
    const fees = await this.#options.store.maxFees(this.#run.id);
    const shares = this.#unsigned().map(({ id, itemIds }) => ({
      jobId: id,
      tokens: itemIds.length,
      maxFee: fees.get(id) ?? 0,
    }));
    this.adopt(await splitMoney(this.#options, this.#run, shares));
  }

  /**
   * Where transactions failed before they were signed, the network may have dropped the split that made their coins. It is sent again; if
   * its own coins are gone, the rest is planned anew and waits for another approval.
   */
  async #lookForSplit(): Promise<void> {
    const { split_txid } = this.#run;
    const failed = this.#unsigned().filter((job) => hasFailed(job) && !this.#judged.has(job.id));
    if (split_txid === null || failed.length === 0) return;
    if (!(await isOnNetwork(this.#options, split_txid))) {
      if (!(await bringBackSplit(this.#options, this.#run))) return this.#planWithoutSplit(split_txid);
      for (const { id } of failed) await this.#options.pipeline.retry({ id });
    }
    // A job that fails again has another reason and is left to a person.
    for (const { id } of failed) this.#judged.add(id);
  }

  async #planWithoutSplit(splitTxid: string): Promise<void> {
    const dropped = new PlanchetError('run.split-dropped').toFailure();
    // Paused first, so that nothing takes a coin before the money is divided.
    await this.write({ state: 'paused', approved_digest: null, failure: dropped });
    this.adopt(await abandonSplit(this.#options, this.#run.id));
    await this.#options.wallet.forget(splitTxid);
    await this.#planRest(dropped, this.#unsigned().length > 1);
  }

  async #pauseIfPointless(): Promise<void> {
    if (this.#stoppedJob() === undefined) return;
    await this.#retryAcceptedText();
    const stopped = this.#stoppedJob();
    if (stopped !== undefined) await this.write({ state: 'paused', failure: stopped.failure });
  }

  /** The job whose failure stops the whole run. */
  #stoppedJob(): MintJob | undefined {
    const [collection] = this.jobs();
    const isFirst = this.#run.plan.transactions[0]?.kind === 'collection';
    const isStuck = isFirst && collection !== undefined && hasFailed(collection);
    return isStuck ? collection : this.jobs().find(hasPausingFailure);
  }

  /** Transactions under way when the run paused may have been refused after the setting was changed. */
  async #retryAcceptedText(): Promise<void> {
    const { planner, pipeline } = this.#options;
    if (!planner.mayBeBase64(this.#run.plan.direct)) return;
    const refused = this.jobs().filter((job) => hasFailed(job) && job.failure?.id === BASE64_CONTENT);
    for (const { id } of refused) await pipeline.retry({ id });
  }

  /** Signs what was reviewed, if it costs no more than the plan allows. */
  async #approveReviewed(): Promise<void> {
    const waiting = this.jobs().filter(({ awaitingApproval }) => awaitingApproval);
    if (waiting.length === 0) return;
    const { store, pipeline } = this.#options;
    const fees = await store.maxFees(this.#run.id);
    const results = await Promise.allSettled(
      waiting.map(async ({ id, review }) => {
        if (review === null) return;
        const limit = fees.get(id) ?? 0;
        const { fee, digest } = review;
        if (fee > limit) await pipeline.refuse(id, new PlanchetError('run.over-plan', { fee, limit }));
        else await pipeline.approve({ id, digest });
      }),
    );
    for (const result of results) {
      if (result.status === 'rejected' && !isOfOneJob(result.reason)) throw result.reason;
    }
  }

  /**
   * Starts the next transactions while fewer than `SIDE_BY_SIDE` are on their way to a signature. Where the money is not divided, each
   * waits for the change of the one before.
   */
  async #startNext(): Promise<void> {
    const isDivided = this.#run.plan.split !== null;
    const open = this.#unsigned().filter(({ active }) => active);
    const first = this.jobs()[0];
    const needsCollection =
      this.#run.plan.transactions[0]?.kind === 'collection' &&
      first !== undefined &&
      !mintStates.is(first.state, 'submitted');
    const allowed = needsCollection ? open.filter(({ id }) => id === first.id) : open;
    const sending = isDivided ? 0 : this.jobs().filter(({ state, active }) => active && state === 'signed').length;
    const room = (isDivided ? SIDE_BY_SIDE : 1) - sending - open.filter(({ id }) => this.#started.has(id)).length;
    const next = allowed.filter(({ id }) => !this.#started.has(id)).slice(0, Math.max(0, room));
    const resumed = this.#wakesStarted ? allowed.filter(({ id }) => this.#started.has(id)) : [];
    if (next.length > 0 && (await this.#hasDearerQuote())) return;
    this.#wakesStarted = false;
    for (const { id } of next) this.#started.add(id);
    for (const { id } of [...resumed, ...next]) this.#options.pipeline.wake(id);
  }

  /** Plans the rest again and waits for another approval where the miner asks more than the plan has. */
  async #hasDearerQuote(): Promise<boolean> {
    const { standard } = await this.#options.merchant.feeQuote();
    const { rate } = this.#run.plan;
    if (!isDearer(standard, rate)) return false;
    await this.#planRest(quoteChanged(standard, rate), false);
    return true;
  }

  /** Plans what is not signed anew: as base64 text, which a setting may accept by now, it is larger. It waits for another approval. */
  async planTextAnew(): Promise<void> {
    await this.#planRest(new PlanchetError('run.base64-planned').toFailure(), false);
  }

  /**
   * Tries transactions that failed again. Where one that was never signed costs more by now than the plan allows, as after a miner raised
   * its price, all that is not signed is planned anew and waits for another approval.
   * @returns whether the run may go on without one
   */
  async retry(failed: readonly MintJob[]): Promise<boolean> {
    const reason = await this.#overPlan(failed.filter(({ state }) => isUnsigned(state)));
    if (reason !== undefined) await this.#planRest(reason, false);
    for (const { id, state } of failed) {
      if (!isUnsigned(state)) await this.#options.pipeline.retry({ id });
      else if (reason === undefined) await this.#retryInTurn(id);
    }
    return reason === undefined;
  }

  /** Why transactions cannot be made within their highest fees, if so. Without a miner's answer that is found out once they are built. */
  async #overPlan(jobs: readonly MintJob[]): Promise<Failure | undefined> {
    const { merchant, store } = this.#options;
    const quote = jobs.length === 0 ? undefined : await merchant.feeQuote().catch(() => undefined);
    if (quote === undefined) return undefined;
    const limits = await store.maxFees(this.#run.id);
    const { maxFees } = await this.#planned(jobs, false);
    const fees = jobs.map(({ id }) => ({ now: maxFees.get(id) ?? 0, planned: limits.get(id) ?? 0 }));
    const over = fees.find(({ now, planned }) => now > planned);
    const { rate } = this.#run.plan;
    if (over === undefined) return undefined;
    if (isDearer(quote.standard, rate)) return quoteChanged(quote.standard, rate);
    return new PlanchetError('run.costs-more', over).toFailure();
  }

  /**
   * Plans all that is not signed anew, also what is under way or failed, and pauses until a person approves that.
   * @param splits whether the money is to be divided once more
   */
  async #planRest(failure: Failure, splits: boolean): Promise<void> {
    const rest = this.#unsigned();
    for (const { id } of rest) await this.#options.wallet.release(id);
    const { plan, maxFees } = await this.#planned(rest, splits);
    const undivided = splits ? { split_done: 0 } : {};
    // In one write: nothing dearer may be signed under the approval of the earlier plan.
    const waiting = { state: 'paused', plan, approved_digest: null, failure, ended_at: null } as const;
    await this.write({ ...waiting, ...undivided }, maxFees);
    for (const { id } of rest) this.#started.delete(id);
    for (const { id } of this.#unsigned().filter(hasFailed)) await this.#retryInTurn(id);
  }

  /** Tries a transaction that is not signed again once it is its turn. */
  async #retryInTurn(id: string): Promise<void> {
    this.#started.delete(id);
    await this.#options.pipeline.retry({ id });
  }

  /** A plan of these transactions at today's quote, and the highest fee of each. */
  async #planned(rest: readonly MintJob[], splits: boolean): Promise<{ plan: RunPlan; maxFees: Map<string, number> }> {
    const { planner, journal } = this.#options;
    const rows = await Promise.all(rest.map(({ id }) => journal.items(id)));
    const { project_uid: projectUid, destination, plan: approved } = this.#run;
    const { plan, batches } = await planner.replan({ projectUid, destination, direct: approved.direct }, rows, splits);
    return { plan, maxFees: new Map(rest.map(({ id }, index) => [id, batches[index]?.planned.maxFee ?? 0])) };
  }
}

/** Whether a failed approval stops one transaction alone; the job keeps the failure, and a person can retry it. */
function isOfOneJob(error: unknown): boolean {
  const { code } = failureOf(error);
  return code === 'review-failed' || code === 'conflict' || code === 'cancelled';
}

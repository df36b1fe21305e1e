import type { Logger } from 'pino';
import { type Failure, type MintJob, mintStates, PlanchetError, type Run } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import { askedToWaitMs, failureOf, passesByItself } from '../minting/failures.ts';
import { isUnsigned } from '../minting/job-states.ts';
import type { Journal } from '../minting/journal.ts';
import type { MintPipeline } from '../minting/mint.ts';
import { isOnNetwork } from '../minting/steps/network.ts';
import type { Planner } from './planner.ts';
import type { RunChange, RunStore, StoredRun } from './run-store.ts';
import { abandonSplit, bringBackSplit, type SplitContext, splitMoney } from './split.ts';
import { hasFailed, isSettled, summaryOf } from './summary.ts';

/** Transactions of a run that are uploaded, built or reviewed at the same time. */
const SIDE_BY_SIDE = 4;
/** How long a run waits for what passes by itself, such as a locked wallet. */
const RETRY_MS = 2_000;
/** A run is told to the views at most so often. */
const PUBLISH_MS = 250;

/** Failures that would meet the other transactions as well, so the run waits for a person. */
const pausing = new Set<Failure['code']>([
  'quota-exceeded',
  'unauthorized',
  'api-key-missing',
  'funds-insufficient',
  'wallet-missing',
  'fee-too-high',
]);

/** A service that inscribes the text of one file does so with all. */
export const BASE64_CONTENT = 'mint.base64-content' satisfies Failure['id'];

/** Whether a job stopped at what makes its whole run pause. */
export function hasPausingFailure(job: MintJob): boolean {
  const failure = job.failure as Failure;
  return hasFailed(job) && (pausing.has(failure.code) || failure.id === BASE64_CONTENT);
}

export interface RunDriverOptions extends SplitContext {
  readonly run: StoredRun;
  readonly store: RunStore;
  readonly planner: Planner;
  readonly journal: Journal;
  readonly pipeline: MintPipeline;
  readonly projectName: (uid: string) => Promise<string>;
  readonly events: Events;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Takes one run forward: divides the money, starts its transactions in turn, holds each to the plan and has it signed. */
export class RunDriver {
  readonly #options: RunDriverOptions;
  #run: StoredRun;
  readonly #started = new Set<string>();
  /** Jobs whose failure is known not to come from a split that the network dropped. */
  readonly #judged = new Set<string>();
  #waitingFor: Failure | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isAdvancing = false;
  #again = false;
  #isStopped = false;
  /** Jobs that stood still while the run was paused go on. */
  #wakesStarted = false;
  #cancelRetry: (() => void) | undefined;
  #cancelPublish: (() => void) | undefined;

  constructor(options: RunDriverOptions) {
    this.#options = options;
    this.#run = options.run;
  }

  get run(): StoredRun {
    return this.#run;
  }

  jobs(): MintJob[] {
    return this.#options.journal.jobsOfRun(this.#run.id);
  }

  /** Whether an unsigned job has been started and the run is not paused. */
  hasStarted(jobId: string): boolean {
    return this.#run.state === 'minting' && this.#started.has(jobId);
  }

  async summary(): Promise<Run> {
    const projectName = await this.#options.projectName(this.#run.project_uid);
    const now = this.#options.clock.now();
    const hasStarted = (id: string): boolean => this.#started.has(id);
    return summaryOf({ run: this.#run, jobs: this.jobs(), projectName, waitingFor: this.#waitingFor, hasStarted, now });
  }

  /** Writes the run, and perhaps the highest fees of its jobs, and shows it. */
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
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  jobChanged(): void {
    this.publishSoon();
    // A run that waits for its retry is not hurried by its own jobs.
    if (this.#cancelRetry === undefined) this.advance();
  }

  /** Does what can be done now. What happens meanwhile starts it once more. */
  advance(): void {
    if (this.#isStopped) return;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#again = true;
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    void this.#advanceWhileAsked().finally(() => {
      this.#isAdvancing = false;
      if (this.#again && !this.#isStopped) this.advance();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry?.();
    this.#cancelPublish?.();
    await this.#last;
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

  async #advanceWhileAsked(): Promise<void> {
    while (this.#again && !this.#isStopped) {
      this.#again = false;
      await this.serialise(() => this.#step());
    }
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

  /** What passes by itself is waited for; anything else pauses the run with its reason. */
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
    this.#again = false;
  }

  async #split(): Promise<void> {
    const fees = await this.#options.store.maxFees(this.#run.id);
    const shares = this.jobs()
      .filter(({ state }) => isUnsigned(state))
      .map(({ id, itemIds }) => ({ jobId: id, tokens: itemIds.length, maxFee: fees.get(id) ?? 0 }));
    this.adopt(await splitMoney(this.#options, this.#run, shares));
  }

  /**
   * Where transactions failed before they were signed, the network may have dropped the split that made their coins. It is sent again; if
   * its own coins are gone, the rest is planned anew and waits for another approval.
   */
  async #lookForSplit(): Promise<void> {
    const { split_txid } = this.#run;
    const failed = this.jobs().filter((job) => hasFailed(job) && isUnsigned(job.state) && !this.#judged.has(job.id));
    if (split_txid === null || failed.length === 0) return;
    if (!(await isOnNetwork(this.#options, split_txid))) {
      const isBack = await bringBackSplit(this.#options, this.#run);
      if (!isBack) return this.#planWithoutSplit(split_txid);
      for (const { id } of failed) await this.#options.pipeline.retry(id);
    }
    // One that fails again has another reason, which a person looks at.
    for (const { id } of failed) this.#judged.add(id);
  }

  async #planWithoutSplit(splitTxid: string): Promise<void> {
    const { wallet, pipeline } = this.#options;
    const dropped = new PlanchetError('run.split-dropped').toFailure();
    // Paused first, so that nothing takes a coin before the money is divided.
    await this.write({ state: 'paused', approved_digest: null, failure: dropped });
    this.adopt(await abandonSplit(this.#options, this.#run.id));
    await wallet.forget(splitTxid);
    const rest = this.jobs().filter(({ state }) => isUnsigned(state));
    for (const job of rest) if (hasFailed(job)) await pipeline.retry(job.id);
    await this.#planRest(rest, dropped, rest.length > 1);
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

  /** Transactions that were under way when the run paused may be refused later than the setting was changed. */
  async #retryAcceptedText(): Promise<void> {
    const { planner, pipeline } = this.#options;
    if (!planner.mayBeBase64(this.#run.plan.direct)) return;
    const refused = this.jobs().filter((job) => hasFailed(job) && job.failure?.id === BASE64_CONTENT);
    for (const { id } of refused) await pipeline.retry(id);
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
        else await pipeline.approve(id, digest);
      }),
    );
    for (const result of results) {
      if (result.status === 'rejected' && !isOfOneJob(result.reason)) throw result.reason;
    }
  }

  /** Starts the next transactions while fewer than `SIDE_BY_SIDE` are on their way to a signature. */
  async #startNext(): Promise<void> {
    const open = this.jobs().filter((job) => isUnsigned(job.state) && job.active);
    const first = this.jobs()[0];
    const needsCollection =
      this.#run.plan.transactions[0]?.kind === 'collection' &&
      first !== undefined &&
      !mintStates.is(first.state, 'submitted');
    const allowed = needsCollection ? open.filter(({ id }) => id === first.id) : open;
    const room = SIDE_BY_SIDE - open.filter(({ id }) => this.#started.has(id)).length;
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
    if (standard.satoshis * rate.bytes <= rate.satoshis * standard.bytes) return false;
    const rest = this.jobs().filter((job) => job.state === 'draft' && !this.#started.has(job.id));
    const perThousand = (fee: { satoshis: number; bytes: number }) => (fee.satoshis * 1_000) / fee.bytes;
    const failure = new PlanchetError('run.quote-changed', {
      now: perThousand(standard),
      planned: perThousand(rate),
    }).toFailure();
    await this.#planRest(rest, failure, false);
    return true;
  }

  /** Plans what is not signed anew: as base64 text, which a setting may accept by now, it is larger. It waits for another approval. */
  async planTextAnew(): Promise<void> {
    const rest = this.jobs().filter(({ state }) => isUnsigned(state));
    await this.#planRest(rest, new PlanchetError('run.base64-planned').toFailure(), false);
  }

  /** Plans these transactions anew and pauses until a person approves that. @param splits whether the money is to be divided once more */
  async #planRest(rest: readonly MintJob[], failure: Failure, splits: boolean): Promise<void> {
    const { planner, journal, wallet } = this.#options;
    for (const { id } of rest) await wallet.release(id);
    const rows = await Promise.all(rest.map(({ id }) => journal.items(id)));
    const { project_uid: projectUid, destination, plan: approved } = this.#run;
    const target = { projectUid, destination, direct: approved.direct };
    const { plan, batches } = await planner.replan(target, rows, splits);
    const maxFees = new Map(rest.map(({ id }, index) => [id, batches[index]?.planned.maxFee ?? 0]));
    const undivided = splits ? { split_done: 0 } : {};
    // Together: under the approval of the earlier plan nothing dearer is signed.
    await this.write({ state: 'paused', plan, approved_digest: null, failure, ...undivided }, maxFees);
  }
}

/** Whether a failed approval stops one transaction alone; the job keeps the failure, and a person can retry it. */
function isOfOneJob(error: unknown): boolean {
  const { code } = failureOf(error);
  return code === 'review-failed' || code === 'conflict' || code === 'cancelled';
}

import { randomUUID } from 'node:crypto';
import {
  type Contract,
  isPassing,
  PlanchetError,
  type Run,
  type RunItem,
  type RunPlan,
  type Serves,
} from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import { isUnsigned } from '../minting/job-states.ts';
import { isOnNetwork } from '../minting/steps/network.ts';
import type { ItemRow } from '../tables.ts';
import type { RunLimits } from './plan.ts';
import type { RunTarget } from './planner.ts';
import { RunDriver, type RunDriverOptions } from './run-driver.ts';
import type { StoredRun } from './run-store.ts';
import { abandonSplit } from './split.ts';
import { BASE64_CONTENT, hasFailed, hasPausingFailure, needsApproval } from './summary.ts';

export interface NewRun extends RunTarget {
  /** The same key gives the same run. */
  idempotencyKey: string;
  /** See `RunPlan`: where it is given, a plan of other contents is refused. */
  contentDigest?: string | undefined;
}

export type RunsOptions = Omit<RunDriverOptions, 'run'>;

type Runs = Serves<Contract['runs']>;

/** Mint runs: a whole project under one approval. Each of a run's transactions is a job of the mint pipeline. */
export class MintRuns implements Runs {
  readonly #options: RunsOptions;
  readonly #drivers = new Map<string, RunDriver>();
  readonly #creating = new Sequencer();
  #isRunning = false;

  constructor(options: RunsOptions) {
    this.#options = options;
    options.journal.onRunJob((runId) => this.#drivers.get(runId)?.jobChanged());
  }

  /** Goes on with every run. The journal of mints has to be loaded. */
  async start(): Promise<void> {
    this.#isRunning = true;
    this.#drivers.clear();
    for (const run of await this.#options.store.load()) {
      this.#drivers.set(run.id, new RunDriver({ ...this.#options, run }));
    }
    for (const driver of this.#drivers.values()) driver.advance();
  }

  /** Starts nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.allSettled([...this.#drivers.values()].map((driver) => driver.stop()));
  }

  /** Whether a job may take its next step: one of a run waits until the run starts it. What is signed always goes on. */
  mayStep(job: { id: string; state: Parameters<typeof isUnsigned>[0] }): boolean {
    const runId = this.#options.journal.runOf(job.id);
    if (runId === undefined || !isUnsigned(job.state)) return true;
    return this.#drivers.get(runId)?.hasStarted(job.id) === true;
  }

  /** @throws PlanchetError `invalid-input` where there is nothing to mint; all else that stands in the way is in `problems` */
  async plan(target: RunTarget): Promise<RunPlan> {
    return (await this.#options.planner.plan(target)).plan;
  }

  /** Bounds of a mint transaction on this network. */
  limits(): Promise<RunLimits> {
    return this.#options.planner.limits();
  }

  /** Drafts of a project that no mint holds, in the order of the project. */
  drafts(projectUid: string): Promise<ItemRow[]> {
    return this.#options.store.drafts(projectUid);
  }

  /**
   * Journals a run of all drafts of a project; they cannot be changed until it is cancelled. It waits for approval.
   * @throws PlanchetError the first problem of the plan | `conflict` if the key belongs to another run
   */
  create(input: NewRun): Promise<Run> {
    return this.#creating.run(() => this.#create(input));
  }

  async #create({ projectUid, destination, idempotencyKey, contentDigest, ...asked }: NewRun): Promise<Run> {
    this.#requireRunning();
    const direct = await this.#options.planner.isDirect({ projectUid, ...asked });
    const earlier = this.#newestFirst().find(({ run }) => run.idempotency_key === idempotencyKey);
    if (earlier !== undefined) {
      const { run } = earlier;
      const isSame = run.project_uid === projectUid && run.destination === destination && run.plan.direct === direct;
      if (isSame) return earlier.summary();
      throw new PlanchetError('run.idempotency-key-used');
    }
    const { plan, batches } = await this.#options.planner.plan({ projectUid, destination, direct });
    if (contentDigest !== undefined && plan.contentDigest !== contentDigest) {
      throw new PlanchetError('rehearsal.project-changed');
    }
    // A party that does not answer now is asked again before anything is signed.
    const problem = plan.problems.find((one) => !isPassing(one));
    if (problem !== undefined) throw new PlanchetError(problem);
    const run: StoredRun = {
      id: randomUUID(),
      network: plan.network,
      project_uid: projectUid,
      destination,
      idempotency_key: idempotencyKey,
      state: 'planned',
      failure: null,
      plan,
      approved_digest: null,
      split_txid: null,
      split_fee: null,
      split_done: plan.split === null ? 1 : 0,
      created_at: this.#options.clock.now(),
      approved_at: null,
      ended_at: null,
    };
    const jobs = batches.map(({ rows, planned }) => ({ itemIds: rows.map(({ id }) => id), maxFee: planned.maxFee }));
    await this.#options.journal.createForRun({ id: run.id, projectUid, destination, direct }, jobs, (db) =>
      this.#options.store.insert(db, run),
    );
    const driver = new RunDriver({ ...this.#options, run });
    this.#drivers.set(run.id, driver);
    driver.publishSoon();
    return driver.summary();
  }

  /** @throws PlanchetError `not-found` */
  async get({ id }: { id: string }): Promise<{ run: Run; plan: RunPlan }> {
    const driver = this.#driver(id);
    return { run: await driver.summary(), plan: driver.run.plan };
  }

  /** A page, newest first. @throws PlanchetError `not-found` where `after` names no run */
  async list({ limit, after }: Parameters<Runs['list']>[0]): Promise<{ runs: Run[]; next: string | null }> {
    const all = this.#newestFirst();
    const start = after === undefined ? 0 : all.indexOf(this.#driver(after)) + 1;
    const runs = await Promise.all(all.slice(start, start + limit).map((driver) => driver.summary()));
    return { runs, next: start + limit < all.length ? (runs.at(-1)?.id ?? null) : null };
  }

  /** A page of the run's tokens. @throws PlanchetError `not-found` */
  async items(page: Parameters<Runs['items']>[0]): Promise<{ items: RunItem[]; next: number | null }> {
    const { id, offset, limit } = page;
    this.#driver(id);
    const items = await this.#options.store.items(id, offset, limit);
    return { items, next: items.length === limit ? offset + limit : null };
  }

  /** @throws PlanchetError `not-found` | `conflict` if it does not wait for approval, or for that of another plan */
  approve({ id, digest }: { id: string; digest: string }): Promise<Run> {
    return this.#command(id, async (driver) => {
      const { run } = driver;
      if (run.approved_digest === digest && run.state !== 'cancelled') return;
      if (!needsApproval(run)) throw new PlanchetError('run.not-waiting');
      if (run.plan.digest !== digest) throw new PlanchetError('run.other-plan-approved');
      const approved_at = run.approved_at ?? this.#options.clock.now();
      await driver.write({ state: 'minting', approved_digest: digest, approved_at, failure: null });
    });
  }

  /** @throws PlanchetError `not-found` | `conflict` */
  pause({ id }: { id: string }): Promise<Run> {
    return this.#command(id, async (driver) => {
      if (driver.run.state === 'paused') return;
      if (driver.run.state !== 'minting') throw new PlanchetError('run.not-minting');
      await driver.write({ state: 'paused', failure: null });
    });
  }

  /** Goes on, and tries again what made the run pause. @throws PlanchetError `not-found` | `conflict` */
  resume({ id }: { id: string }): Promise<Run> {
    return this.#command(id, async (driver) => {
      const { state, approved_digest } = driver.run;
      if (state === 'minting') return;
      if (state !== 'paused' || approved_digest === null) throw new PlanchetError('run.not-paused');
      const failed = driver.jobs().filter(hasPausingFailure);
      if (driver.run.failure?.id === BASE64_CONTENT) {
        for (const job of failed) await this.#options.pipeline.retry(job);
        return driver.planTextAnew();
      }
      if (await driver.retry(failed)) await driver.write({ state: 'minting', failure: null });
    });
  }

  /**
   * Cancels every transaction that is not signed, also those that failed in a run that is over; the others go on.
   * @throws PlanchetError `not-found` | `conflict` | `upstream-*`
   */
  cancel({ id }: { id: string }): Promise<Run> {
    return this.#command(id, async (driver) => {
      const { run } = driver;
      if (run.state === 'cancelled') return;
      const unsigned = driver.jobs().filter(({ state }) => isUnsigned(state));
      if (unsigned.length === 0) throw new PlanchetError('run.all-signed');
      await this.#endSplit(driver);
      await driver.write({ state: 'paused', failure: null, ended_at: null });
      for (const job of unsigned) {
        try {
          await this.#options.pipeline.cancel(job);
        } catch (error) {
          // It was signed in the meantime, so it goes on.
          if (!(error instanceof PlanchetError && error.code === 'conflict')) throw error;
        }
      }
      const isEmpty = driver.jobs().every(({ state }) => state === 'cancelled');
      const now = this.#options.clock.now();
      await driver.write(isEmpty ? { state: 'cancelled', ended_at: now } : { state: 'minting' });
    });
  }

  /**
   * Tries what failed again. Where that costs more than the plan allows, what is not signed is planned anew and waits for another approval.
   * @param jobId only its transaction
   * @throws PlanchetError `not-found` | `conflict` if nothing failed
   */
  retry({ id, jobId }: { id: string; jobId?: string | undefined }): Promise<Run> {
    return this.#command(id, async (driver) => {
      const failed = driver.jobs().filter((job) => hasFailed(job) && (jobId ?? job.id) === job.id);
      if (failed.length === 0 || driver.run.state === 'planned') throw new PlanchetError('run.nothing-failed');
      if (!(await driver.retry(failed))) return;
      if (driver.run.state === 'done') await driver.write({ state: 'minting', ended_at: null });
      else if (driver.run.approved_digest !== null) await driver.write({ state: 'minting', failure: null });
    });
  }

  /** Abandons a split that the network does not have. */
  async #endSplit(driver: RunDriver): Promise<void> {
    const { run } = driver;
    if (run.split_done === 1) return;
    if (run.split_txid !== null && (await isOnNetwork(this.#options, run.split_txid))) return;
    driver.adopt(await abandonSplit(this.#options, run.id));
  }

  async #command(id: string, act: (driver: RunDriver) => Promise<void>): Promise<Run> {
    this.#requireRunning();
    const driver = this.#driver(id);
    await driver.serialise(() => act(driver));
    driver.advance();
    return driver.summary();
  }

  #newestFirst(): RunDriver[] {
    return [...this.#drivers.values()].reverse();
  }

  #driver(id: string): RunDriver {
    const driver = this.#drivers.get(id);
    if (driver === undefined) throw new PlanchetError('run.missing');
    return driver;
  }

  #requireRunning(): void {
    if (!this.#isRunning) throw new PlanchetError('mint.not-running');
  }
}

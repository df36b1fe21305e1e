import { randomUUID } from 'node:crypto';
import type { Insertable, Transaction, Updateable } from 'kysely';
import {
  type Failure,
  MAX_ART,
  type MintJob,
  type MintJobSummary,
  type MintState,
  mintStates,
  PlanchetError,
} from '../../../contract/index.ts';
import type { StudioParts } from '../parts.ts';
import { artOf, toItem, toToken } from '../projects/item-rows.ts';
import type { ItemStore } from '../projects/items.ts';
import type { ItemRow, JobRow, JobTransactionRow, StudioTables } from '../tables.ts';
import { writePatches } from './item-patches.ts';
import { JobTransactions } from './job-transactions.ts';
import { summaryOf, toJob } from './job-views.ts';

/** Jobs in a snapshot. */
const NEWEST_SHOWN = 100;
const MAX_UNFINISHED_SHOWN = 400;
const ITEMS_A_STATEMENT = 200;

/** One step's result: everything in it is committed together or not at all. */
export interface JournalChange {
  /** The state reached; it enters the history and is mirrored on the job's items. */
  state?: MintState;
  job?: Omit<Updateable<JobRow>, 'id' | 'state' | 'failure'>;
  /** `null` clears it. */
  failure?: Failure | null;
  /** When the step is tried again; not on the disk, since a restart tries again at once. Any other change clears it. */
  retryAt?: number;
  transaction?: Omit<Updateable<JobTransactionRow>, 'job_id'>;
  /** Changes of single items, by id. */
  items?: ReadonlyMap<string, Updateable<ItemRow>>;
  everyItem?: Updateable<ItemRow>;
}

export interface JournalOptions extends StudioParts {
  items: ItemStore;
}

export interface NewRunJob {
  itemIds: readonly string[];
  /** Highest fee in satoshis the run's plan allows it. */
  maxFee: number;
}

/** The journal of mint jobs. What it has after a crash decides how a job goes on. */
export class Journal {
  readonly #options: JournalOptions;
  readonly #views = new Map<string, MintJob>();
  readonly #runOf = new Map<string, string>();
  readonly transactions: JobTransactions;
  /** Jobs of each run in their order. */
  readonly #jobsOfRun = new Map<string, string[]>();
  #onRunJob: (runId: string, job: MintJob) => void = () => {};

  constructor(options: JournalOptions) {
    this.#options = options;
    this.transactions = new JobTransactions(options.store);
  }

  /** Reads all jobs of the network, for views and for resuming. */
  async load(): Promise<void> {
    this.#views.clear();
    this.#runOf.clear();
    this.#jobsOfRun.clear();
    const { db } = this.#options.store;
    const rows = await db
      .selectFrom('studio_jobs')
      .selectAll()
      .where('network', '=', this.#options.network)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const items = grouped(
      await db.selectFrom('studio_job_items').selectAll().orderBy('position').execute(),
      ({ item_id }) => item_id,
    );
    const history = grouped(
      await db.selectFrom('studio_job_history').selectAll().orderBy('position').execute(),
      ({ state, at }) => ({ state: state as MintState, at: Number(at) }),
    );
    const art = grouped(
      await db
        .selectFrom('studio_job_items')
        .innerJoin('studio_items', 'studio_items.id', 'studio_job_items.item_id')
        .selectAll('studio_items')
        .select('studio_job_items.job_id')
        .where('studio_job_items.position', '<', MAX_ART)
        .orderBy('studio_job_items.position')
        .execute(),
      artOf,
    );
    for (const row of rows) {
      const view = toJob(row, items.get(row.id) ?? [], history.get(row.id) ?? [], art.get(row.id));
      this.#views.set(row.id, view);
    }
    const ofRuns = rows.filter(({ run_id }) => run_id !== null);
    ofRuns.sort((a, b) => (a.run_position ?? 0) - (b.run_position ?? 0));
    for (const { id, run_id } of ofRuns) this.#addToRun(run_id as string, id);
  }

  /** Newest first. */
  jobs(): MintJob[] {
    return [...this.#views.values()].reverse();
  }

  /** A page of {@link jobs}. @param after id of the last job of the page before. @throws PlanchetError `not-found` */
  page({ limit, after }: { limit: number; after?: string | undefined }) {
    const all = this.#ownJobs();
    const start = after === undefined ? 0 : all.indexOf(this.job(after)) + 1;
    const jobs = all.slice(start, start + limit).map(summaryOf);
    return { jobs, next: start + limit < all.length ? (jobs.at(-1)?.id ?? null) : null };
  }

  /** Unfinished jobs and the newest others, newest first. */
  recent(): MintJobSummary[] {
    const jobs = this.#ownJobs();
    const unfinished = jobs.filter(({ active, awaitingApproval }) => active || awaitingApproval);
    const shown = new Set([...unfinished.slice(0, MAX_UNFINISHED_SHOWN), ...jobs.slice(0, NEWEST_SHOWN)]);
    return jobs.filter((job) => shown.has(job)).map(summaryOf);
  }

  /** Calls `listener` after every change of a job that belongs to a run. */
  onRunJob(listener: (runId: string, job: MintJob) => void): void {
    this.#onRunJob = listener;
  }

  /** The run a job belongs to; undefined for a job of its own. */
  runOf(id: string): string | undefined {
    return this.#runOf.get(id);
  }

  /** A run's jobs in the order of its plan. */
  jobsOfRun(runId: string): MintJob[] {
    return (this.#jobsOfRun.get(runId) ?? []).map((id) => this.job(id));
  }

  #addToRun(runId: string, id: string): void {
    this.#runOf.set(id, runId);
    const jobs = this.#jobsOfRun.get(runId);
    if (jobs === undefined) this.#jobsOfRun.set(runId, [id]);
    else jobs.push(id);
  }

  /** Jobs that no run made. */
  #ownJobs(): MintJob[] {
    return this.jobs().filter(({ id }) => !this.#runOf.has(id));
  }

  /**
   * Journals all jobs of a run together, or none.
   * @param alongside writes the run itself in the same database transaction
   * @throws PlanchetError `conflict` if another job took one of the items in the meantime
   */
  async createForRun(
    run: { id: string; projectUid: string; destination: string; direct: boolean },
    jobs: readonly NewRunJob[],
    alongside: (db: Transaction<StudioTables>) => Promise<void>,
  ): Promise<void> {
    const made = await this.#options.store.db.transaction().execute(async (db) => {
      await alongside(db);
      const inserted: { row: JobRow; itemIds: readonly string[] }[] = [];
      for (const [position, { itemIds, maxFee }] of jobs.entries()) {
        const row = await this.#insert(db, itemIds, {
          project_uid: run.projectUid,
          destination: run.destination,
          idempotency_key: `${run.id}:${position}`,
          run_id: run.id,
          direct: run.direct ? 1 : 0,
          run_position: position,
          max_fee: maxFee,
        });
        inserted.push({ row, itemIds });
      }
      return inserted;
    });
    for (const { row, itemIds } of made) {
      this.#views.set(row.id, await this.#firstView(row, itemIds));
      this.#addToRun(run.id, row.id);
    }
  }

  /** Journals a new job and gives it its items. @throws PlanchetError `conflict` if another job took one of them */
  async #insert(
    db: Transaction<StudioTables>,
    itemIds: readonly string[],
    values: Omit<
      Insertable<JobRow>,
      'id' | 'network' | 'state' | 'halted' | 'build_intent' | 'builds' | 'created_at' | 'updated_at'
    >,
  ): Promise<JobRow> {
    const now = this.#options.clock.now();
    const row = await db
      .insertInto('studio_jobs')
      .values({
        ...values,
        id: randomUUID(),
        network: this.#options.network,
        state: 'draft',
        halted: 0,
        build_intent: 0,
        builds: 0,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await db.insertInto('studio_job_transactions').values({ job_id: row.id }).execute();
    const history = { job_id: row.id, position: 0, state: 'draft', at: now };
    await db.insertInto('studio_job_history').values(history).execute();
    await this.#takeItems(db, row.id, itemIds);
    return row;
  }

  async #firstView(row: JobRow, itemIds: readonly string[]): Promise<MintJob> {
    const art = (await this.#options.items.rows(itemIds.slice(0, MAX_ART))).map(artOf);
    return toJob(row, [...itemIds], [{ state: 'draft', at: Number(row.created_at) }], art);
  }

  /** In slices, because a statement takes a limited number of values. */
  async #takeItems(db: Transaction<StudioTables>, jobId: string, itemIds: readonly string[]): Promise<void> {
    for (let at = 0; at < itemIds.length; at += ITEMS_A_STATEMENT) {
      const slice = itemIds.slice(at, at + ITEMS_A_STATEMENT);
      const rows = slice.map((item_id, index) => ({ job_id: jobId, item_id, position: at + index }));
      await db.insertInto('studio_job_items').values(rows).execute();
      const taken = await db
        .updateTable('studio_items')
        .set({ job_id: jobId, failure: null })
        .where('id', 'in', slice)
        .where('state', '=', 'draft')
        .where('job_id', 'is', null)
        .executeTakeFirst();
      if (Number(taken.numUpdatedRows) !== slice.length) throw new PlanchetError('mint.already-minted');
    }
  }

  /** @throws PlanchetError `not-found` */
  job(id: string): MintJob {
    const job = this.#views.get(id);
    if (job !== undefined) return job;
    throw new PlanchetError('mint.missing');
  }

  /** @throws PlanchetError `not-found` */
  async row(id: string): Promise<JobRow> {
    this.job(id);
    return this.#options.store.db.selectFrom('studio_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  /** The job's items in the order of its outputs. */
  items(id: string): Promise<ItemRow[]> {
    return this.#options.items.rows(this.job(id).itemIds);
  }

  /** Cancelled mints of items of these jobs, with what was signed: whoever has the bytes may still have them mined. */
  async cancelledOf(ids: readonly string[]): Promise<{ id: string; txid: string | null; runId: string | null }[]> {
    const rows = await this.#options.store.db
      .selectFrom('studio_job_items as own')
      .innerJoin('studio_job_items as other', 'other.item_id', 'own.item_id')
      .innerJoin('studio_jobs', 'studio_jobs.id', 'other.job_id')
      .select(['studio_jobs.id', 'studio_jobs.txid', 'studio_jobs.run_id'])
      .distinct()
      .where('own.job_id', 'in', ids)
      .where('studio_jobs.state', '=', 'cancelled')
      .execute();
    return rows.map(({ run_id: runId, ...row }) => ({ ...row, runId }));
  }

  async byKey(idempotencyKey: string): Promise<MintJob | undefined> {
    const row = await this.#options.store.db
      .selectFrom('studio_jobs')
      .select('id')
      .where('network', '=', this.#options.network)
      .where('idempotency_key', '=', idempotencyKey)
      .executeTakeFirst();
    return row === undefined ? undefined : this.#views.get(row.id);
  }

  async create(input: {
    projectUid: string;
    itemIds: readonly string[];
    destination: string;
    idempotencyKey: string;
    direct: boolean;
  }): Promise<MintJob> {
    const { itemIds } = input;
    const row = await this.#options.store.db.transaction().execute((db) =>
      this.#insert(db, itemIds, {
        project_uid: input.projectUid,
        destination: input.destination,
        idempotency_key: input.idempotencyKey,
        direct: input.direct ? 1 : 0,
      }),
    );
    return this.#publish(await this.#firstView(row, itemIds), true);
  }

  /** Commits a step. It is on the disk when this returns. */
  async write(id: string, change: JournalChange): Promise<MintJob> {
    const before = this.job(id);
    const now = this.#options.clock.now();
    const entered = change.state === before.state ? undefined : change.state;
    const failure =
      change.failure === undefined ? {} : { failure: change.failure === null ? null : JSON.stringify(change.failure) };
    const row = await this.#options.store.db.transaction().execute(async (db) => {
      const updated = await db
        .updateTable('studio_jobs')
        .set({ ...change.job, ...failure, ...(change.state ? { state: change.state } : {}), updated_at: now })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (entered !== undefined) {
        const entry = { job_id: id, position: before.history.length, state: entered, at: now };
        await db.insertInto('studio_job_history').values(entry).execute();
      }
      if (change.transaction !== undefined) {
        if (change.transaction.tx_obj === null) this.transactions.forget(id);
        await db.updateTable('studio_job_transactions').set(change.transaction).where('job_id', '=', id).execute();
      }
      await this.#writeItems(db, before, change);
      return updated;
    });
    const history = entered === undefined ? before.history : [...before.history, { state: entered, at: now }];
    const touchesItems = change.state !== undefined || change.items !== undefined || change.everyItem !== undefined;
    return this.#publish(
      { ...toJob(row, before.itemIds, history, before.art), retryAt: change.retryAt ?? null },
      touchesItems || change.failure !== undefined,
    );
  }

  /** Publishes a failure that cannot be written now, as on a full disk. The next write replaces it. */
  async show(id: string, failure: Failure, retryAt: number): Promise<void> {
    await this.#publish({ ...this.job(id), failure, retryAt }, false);
  }

  async #writeItems(db: Transaction<StudioTables>, job: MintJob, change: JournalChange): Promise<void> {
    // The items of a cancelled job no longer have its id, so nothing is written to them.
    const every: Updateable<ItemRow> = {
      ...(change.state === undefined ? {} : { state: change.state }),
      ...(change.failure === undefined ? {} : { failure: change.failure && JSON.stringify(change.failure) }),
      ...change.everyItem,
    };
    if (Object.keys(every).length > 0) {
      await db.updateTable('studio_items').set(every).where('job_id', '=', job.id).execute();
    }
    if (change.items !== undefined) await writePatches(db, change.items);
  }

  async #publish(job: MintJob, withItems: boolean): Promise<MintJob> {
    this.#views.set(job.id, job);
    const { events } = this.#options;
    const runId = this.#runOf.get(job.id);
    if (runId !== undefined) {
      // A run publishes its counts, not each of its thousands of items.
      this.#onRunJob(runId, job);
      return job;
    }
    events.publish({ type: 'job', job: summaryOf(job) });
    if (withItems) {
      // A person may remove drafts of a cancelled job.
      for (const row of await this.#options.items.existing(job.itemIds)) {
        events.publish({ type: 'item', item: toItem(row) });
        const token = mintStates.is(job.state, 'submitted') && toToken(row, job.blockHeight, job.createdAt);
        if (token) events.publish({ type: 'token', token });
      }
    }
    return job;
  }
}

function grouped<Row extends { job_id: string }, T>(rows: readonly Row[], pick: (row: Row) => T): Map<string, T[]> {
  const groups = Map.groupBy(rows, ({ job_id }) => job_id);
  return new Map([...groups].map(([id, some]) => [id, some.map(pick)]));
}

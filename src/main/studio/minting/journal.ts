import { randomUUID } from 'node:crypto';
import type { Transaction, Updateable } from 'kysely';
import {
  type Art,
  type Failure,
  MAX_ART,
  type MintJob,
  type MintJobSummary,
  type MintState,
  mintStates,
  type Network,
  PlanchetError,
  type Review,
} from '../../../contract/index.ts';
import type { Clock, Events, Store } from '../../ports.ts';
import { type ItemStore, toItem, toToken } from '../projects/items.ts';
import type { ItemRow, JobRow, JobTransactionRow, StudioTables } from '../tables.ts';
import { jobActions } from './job-states.ts';

/** Jobs in a snapshot: so many of the newest, and so many that are not finished. */
const NEWEST_SHOWN = 100;
const MAX_UNFINISHED_SHOWN = 400;

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
  /** Change of every item of the job. */
  everyItem?: Updateable<ItemRow>;
}

export interface JournalOptions {
  network: Network;
  store: Store<StudioTables>;
  events: Events;
  clock: Clock;
  items: ItemStore;
}

/** The written truth about mint jobs. What is read here after a crash decides how a job goes on. */
export class Journal {
  readonly #options: JournalOptions;
  readonly #views = new Map<string, MintJob>();

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** Reads all jobs of the network, for views and for resuming. */
  async load(): Promise<void> {
    this.#views.clear();
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
  }

  /** Newest first. */
  jobs(): MintJob[] {
    return [...this.#views.values()].reverse();
  }

  /** A page of {@link jobs}. @param after id of the last job of the page before. @throws PlanchetError `not-found` */
  page({ limit, after }: { limit: number; after?: string | undefined }): {
    jobs: MintJobSummary[];
    next: string | null;
  } {
    const all = this.jobs();
    const start = after === undefined ? 0 : all.indexOf(this.job(after)) + 1;
    const jobs = all.slice(start, start + limit).map(summaryOf);
    return { jobs, next: start + limit < all.length ? (jobs.at(-1)?.id ?? null) : null };
  }

  /** Unfinished jobs and the newest others, newest first. */
  recent(): MintJobSummary[] {
    const unfinished = this.jobs().filter(({ active, awaitingApproval }) => active || awaitingApproval);
    const shown = new Set([...unfinished.slice(0, MAX_UNFINISHED_SHOWN), ...this.jobs().slice(0, NEWEST_SHOWN)]);
    return this.jobs()
      .filter((job) => shown.has(job))
      .map(summaryOf);
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

  transaction(id: string): Promise<JobTransactionRow> {
    return this.#options.store.db
      .selectFrom('studio_job_transactions')
      .selectAll()
      .where('job_id', '=', id)
      .executeTakeFirstOrThrow();
  }

  /** The job's items in the order of its outputs. */
  items(id: string): Promise<ItemRow[]> {
    return this.#options.items.rows(this.job(id).itemIds);
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
  }): Promise<MintJob> {
    const id = randomUUID();
    const now = this.#options.clock.now();
    await this.#options.store.db.transaction().execute(async (db) => {
      await db
        .insertInto('studio_jobs')
        .values({
          id,
          network: this.#options.network,
          project_uid: input.projectUid,
          destination: input.destination,
          idempotency_key: input.idempotencyKey,
          state: 'draft',
          halted: 0,
          build_intent: 0,
          builds: 0,
          created_at: now,
          updated_at: now,
        })
        .execute();
      await db.insertInto('studio_job_transactions').values({ job_id: id, tx_obj: null, raw_tx: null }).execute();
      await db.insertInto('studio_job_history').values({ job_id: id, position: 0, state: 'draft', at: now }).execute();
      for (const [position, item_id] of input.itemIds.entries()) {
        await db.insertInto('studio_job_items').values({ job_id: id, item_id, position }).execute();
        // Only a draft that no other job took in the meantime: anything else undoes the whole job.
        const taken = await db
          .updateTable('studio_items')
          .set({ job_id: id, failure: null })
          .where('id', '=', item_id)
          .where('state', '=', 'draft')
          .where('job_id', 'is', null)
          .executeTakeFirst();
        if (taken.numUpdatedRows !== 1n) throw alreadyMinting();
      }
    });
    const row = await this.#options.store.db
      .selectFrom('studio_jobs')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const art = (await this.#options.items.rows(input.itemIds.slice(0, MAX_ART))).map(artOf);
    return this.#publish(toJob(row, [...input.itemIds], [{ state: 'draft', at: now }], art), true);
  }

  /** Commits a step. It is on the disk when this returns. */
  async write(id: string, change: JournalChange): Promise<MintJob> {
    const before = this.job(id);
    const now = this.#options.clock.now();
    const failure =
      change.failure === undefined ? {} : { failure: change.failure === null ? null : JSON.stringify(change.failure) };
    const row = await this.#options.store.db.transaction().execute(async (db) => {
      const updated = await db
        .updateTable('studio_jobs')
        .set({ ...change.job, ...failure, ...(change.state ? { state: change.state } : {}), updated_at: now })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (change.state !== undefined && change.state !== before.state) {
        const position = before.history.length;
        await db
          .insertInto('studio_job_history')
          .values({ job_id: id, position, state: change.state, at: now })
          .execute();
      }
      if (change.transaction !== undefined) {
        await db.updateTable('studio_job_transactions').set(change.transaction).where('job_id', '=', id).execute();
      }
      await this.#writeItems(db, before, change);
      return updated;
    });
    const history =
      change.state !== undefined && change.state !== before.state
        ? [...before.history, { state: change.state, at: now }]
        : before.history;
    const touchesItems = change.state !== undefined || change.items !== undefined || change.everyItem !== undefined;
    return this.#publish(
      { ...toJob(row, before.itemIds, history, before.art), retryAt: change.retryAt ?? null },
      touchesItems || change.failure !== undefined,
    );
  }

  async #writeItems(db: Transaction<StudioTables>, job: MintJob, change: JournalChange): Promise<void> {
    // A job that was left behind by its items (cancelled) no longer writes on them.
    const every: Updateable<ItemRow> = {
      ...(change.state === undefined ? {} : { state: change.state }),
      ...(change.failure === undefined ? {} : { failure: change.failure && JSON.stringify(change.failure) }),
      ...change.everyItem,
    };
    if (Object.keys(every).length > 0) {
      await db.updateTable('studio_items').set(every).where('job_id', '=', job.id).execute();
    }
    for (const [itemId, patch] of change.items ?? []) {
      await db.updateTable('studio_items').set(patch).where('id', '=', itemId).execute();
    }
  }

  async #publish(job: MintJob, withItems: boolean): Promise<MintJob> {
    this.#views.set(job.id, job);
    const { events } = this.#options;
    events.publish({ type: 'job', job: summaryOf(job) });
    if (withItems) {
      for (const row of await this.#options.items.rows(job.itemIds)) {
        events.publish({ type: 'item', item: toItem(row) });
        const token = mintStates.is(job.state, 'submitted') && toToken(row, job.blockHeight, job.createdAt);
        if (token) events.publish({ type: 'token', token });
      }
    }
    return job;
  }
}

/** Whether a job waits for a person's approval. */
export function awaitsApproval(row: JobRow): boolean {
  return row.state === 'reviewed' && row.approved_digest === null && row.halted === 0;
}

/** A job without what grows with its transaction. */
function summaryOf({ itemIds, review, proof, ...summary }: MintJob): MintJobSummary {
  return { ...summary, tokenCount: itemIds.length };
}

function artOf(row: ItemRow): Art {
  const { metadata, file } = toItem(row);
  return { name: metadata.name, file };
}

function toJob(row: JobRow, itemIds: string[], history: MintJob['history'], art: Art[] = []): MintJob {
  const state = row.state as MintState;
  const awaitingApproval = awaitsApproval(row);
  const situation = {
    state,
    awaitingApproval,
    active: row.halted === 0 && !awaitingApproval && !mintStates.is(state, 'final'),
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
    review: row.review === null ? null : (JSON.parse(row.review) as Review),
  };
  return {
    ...situation,
    ...jobActions(situation),
    id: row.id,
    projectUid: row.project_uid,
    itemIds,
    art,
    destination: row.destination,
    retryAt: null,
    txid: row.txid,
    blockHash: row.block_hash,
    blockHeight: row.block_height,
    fee: row.fee === null ? null : Number(row.fee),
    proof: row.proof === null ? null : (JSON.parse(row.proof) as MintJob['proof']),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    history,
  };
}

export function alreadyMinting(): PlanchetError {
  return new PlanchetError('mint.already-minted');
}

function grouped<Row extends { job_id: string }, T>(rows: readonly Row[], pick: (row: Row) => T): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.job_id);
    if (group === undefined) groups.set(row.job_id, [pick(row)]);
    else group.push(pick(row));
  }
  return groups;
}

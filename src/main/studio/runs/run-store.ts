import type { Transaction, Updateable } from 'kysely';
import type { Failure, MintState, Network, RunItem, RunPlan } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { metadataOf } from '../projects/item-rows.ts';
import type { ItemRow, StudioTables } from '../tables.ts';
import type { RunRow } from './tables.ts';

/** A run as it stands on the disk, its texts read. */
export interface StoredRun extends Omit<RunRow, 'plan' | 'failure' | 'split_raw'> {
  plan: RunPlan;
  failure: Failure | null;
}

/** The signed transaction that divides the money, and its fee in satoshis. */
export interface SignedSplit {
  readonly hex: string;
  readonly fee: number;
}

export interface RunChange extends Omit<Updateable<RunRow>, 'id' | 'plan' | 'failure'> {
  plan?: RunPlan;
  /** `null` clears it. */
  failure?: Failure | null;
}

/** Runs in the database. Their jobs are in the journal of mints. */
export class RunStore {
  readonly #store: Store<StudioTables>;
  readonly #network: Network;

  constructor(options: { store: Store<StudioTables>; network: Network }) {
    this.#store = options.store;
    this.#network = options.network;
  }

  /** All runs of the network, oldest first. */
  async load(): Promise<StoredRun[]> {
    const rows = await this.#store.db
      .selectFrom('studio_runs')
      .selectAll()
      .where('network', '=', this.#network)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(stored);
  }

  /** Writes a new run within the transaction that writes its jobs. */
  async insert(db: Transaction<StudioTables>, run: StoredRun): Promise<void> {
    const row: RunRow = { ...run, split_raw: null, plan: JSON.stringify(run.plan), failure: null };
    await db.insertInto('studio_runs').values(row).execute();
  }

  /**
   * Both are on the disk when this returns, or neither.
   * @param maxFees highest fees of some of its jobs under the plan, in satoshis by job id
   */
  async write(
    id: string,
    { plan, failure, ...change }: RunChange,
    maxFees: ReadonlyMap<string, number> = new Map(),
  ): Promise<StoredRun> {
    const row = await this.#store.db.transaction().execute(async (db) => {
      for (const [jobId, max_fee] of maxFees)
        await db.updateTable('studio_jobs').set({ max_fee }).where('id', '=', jobId).execute();
      return db
        .updateTable('studio_runs')
        .set({
          ...change,
          ...(plan === undefined ? {} : { plan: JSON.stringify(plan) }),
          ...(failure === undefined ? {} : { failure: failure === null ? null : JSON.stringify(failure) }),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return stored(row);
  }

  /** The signed split, once there is one. */
  async splitOf(id: string): Promise<SignedSplit | null> {
    const query = this.#store.db.selectFrom('studio_runs').select(['split_raw', 'split_fee']).where('id', '=', id);
    const { split_raw: hex, split_fee: fee } = await query.executeTakeFirstOrThrow();
    return hex === null ? null : { hex, fee: Number(fee) };
  }

  /** Highest fee of each of a run's jobs under its plan, by job id. */
  async maxFees(id: string): Promise<Map<string, number>> {
    const rows = await this.#store.db
      .selectFrom('studio_jobs')
      .select(['id', 'max_fee'])
      .where('run_id', '=', id)
      .execute();
    return new Map(rows.map((row) => [row.id, Number(row.max_fee ?? 0)]));
  }

  /** The name of a project as it was last seen, or else its id. */
  async projectName(uid: string): Promise<string> {
    const row = await this.#store.db
      .selectFrom('studio_projects')
      .select('name')
      .where('network', '=', this.#network)
      .where('uid', '=', uid)
      .executeTakeFirst();
    return row?.name ?? uid;
  }

  /** Drafts of a project that no mint holds, in the order of the project. */
  drafts(projectUid: string): Promise<ItemRow[]> {
    return this.#store.db
      .selectFrom('studio_items')
      .selectAll()
      .where('network', '=', this.#network)
      .where('project_uid', '=', projectUid)
      .where('state', '=', 'draft')
      .where('job_id', 'is', null)
      .orderBy('position')
      .execute();
  }

  /** A page of a run's tokens in the order of its plan. Those of a cancelled transaction are drafts again. */
  async items(runId: string, offset: number, limit: number): Promise<RunItem[]> {
    const rows = await this.#store.db
      .selectFrom('studio_jobs')
      .innerJoin('studio_job_items', 'studio_job_items.job_id', 'studio_jobs.id')
      .innerJoin('studio_items', 'studio_items.id', 'studio_job_items.item_id')
      .selectAll('studio_items')
      .select([
        'studio_jobs.id as run_job',
        'studio_jobs.state as run_state',
        'studio_jobs.failure as run_failure',
        'studio_jobs.halted as run_halted',
      ])
      .where('studio_jobs.run_id', '=', runId)
      .orderBy('studio_jobs.run_position')
      .orderBy('studio_job_items.position')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => {
      const isOurs = row.job_id === row.run_job;
      return {
        id: row.id,
        name: metadataOf(row).name,
        subType: row.sub_type as RunItem['subType'],
        sha256: row.sha256,
        contentType: row.content_type,
        jobId: row.run_job,
        state: row.run_state as MintState,
        uploaded: isOurs && row.output_uid !== null,
        failure: row.run_halted === 1 && row.run_failure !== null ? (JSON.parse(row.run_failure) as Failure) : null,
        outpoint: isOurs && row.txid !== null ? `${row.txid}_${row.vout}` : null,
      };
    });
  }
}

/** Plans of earlier versions lack what was added since. */
function readPlan(text: string): RunPlan {
  return {
    direct: false,
    contentDigest: '0'.repeat(64),
    policy: { maxTxBytes: null, maxSigops: null, maxAncestors: null },
    size: 0,
    ...(JSON.parse(text) as Omit<RunPlan, 'direct' | 'contentDigest' | 'policy' | 'size'>),
  };
}

function stored({ split_raw: _, ...row }: RunRow): StoredRun {
  return {
    ...row,
    split_fee: row.split_fee === null ? null : Number(row.split_fee),
    created_at: Number(row.created_at),
    approved_at: row.approved_at === null ? null : Number(row.approved_at),
    ended_at: row.ended_at === null ? null : Number(row.ended_at),
    plan: readPlan(row.plan),
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
  };
}

import type { NamedMigration } from '../../store/store.ts';
import { nullable, required } from '../columns.ts';

export interface RunRow {
  id: string;
  network: string;
  project_uid: string;
  destination: string;
  idempotency_key: string;
  /** See `runStates` of the contract. */
  state: string;
  failure: string | null;
  /** JSON of the contract's `RunPlan`: what an approval is given for. */
  plan: string;
  /** Digest of the plan a person approved; null until then, and again once the plan changed. */
  approved_digest: string | null;
  /** Hex of the signed transaction that divides the money; written before it is sent. */
  split_raw: string | null;
  split_txid: string | null;
  split_fee: number | null;
  /** 1 once the network has the split and each job holds its coin. */
  split_done: number;
  created_at: number;
  approved_at: number | null;
  ended_at: number | null;
}

export interface RunTables {
  studio_runs: RunRow;
}

export const runMigration: NamedMigration = {
  name: 'studio-0004-runs',
  async up(db) {
    await db.schema
      .createTable('studio_runs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .$call(required('text', 'network', 'project_uid', 'destination', 'idempotency_key', 'state'))
      .addColumn('failure', 'text')
      .addColumn('plan', 'text', (column) => column.notNull())
      .$call(nullable('text', 'approved_digest', 'split_raw', 'split_txid'))
      .addColumn('split_fee', 'bigint')
      .addColumn('split_done', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .$call(nullable('bigint', 'approved_at', 'ended_at'))
      .addUniqueConstraint('studio_runs_idempotency', ['network', 'idempotency_key'])
      .execute();
    await db.schema.alterTable('studio_jobs').addColumn('run_id', 'text').execute();
    await db.schema.alterTable('studio_jobs').addColumn('run_position', 'integer').execute();
    await db.schema.alterTable('studio_jobs').addColumn('max_fee', 'bigint').execute();
    await db.schema.createIndex('studio_jobs_by_run').on('studio_jobs').column('run_id').execute();
    await db.schema.createIndex('studio_items_by_job').on('studio_items').column('job_id').execute();
    await db.schema.createIndex('studio_items_by_output').on('studio_items').column('output_uid').execute();
  },
};

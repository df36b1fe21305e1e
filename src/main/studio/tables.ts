import { sql } from 'kysely';
import type { NamedMigration } from '../store/store.ts';
import { nullable, required } from './columns.ts';
import { type ImportTables, importMigration, mappingMigration } from './import/tables.ts';
import { type RunTables, runMigration } from './runs/tables.ts';
import {
  collectionTokensMigration,
  headersLeaveMigration,
  headersMigration,
  publicationsMigration,
  type TokenTables,
  tokensMigration,
} from './tokens/tables.ts';

/** Stored files by digest. The item has the name of its file; the name here is that of the last upload. */
export interface FileRow {
  sha256: string;
  name: string;
  content_type: string;
  bytes: number;
  created_at: number;
}

export interface ProjectRow {
  uid: string;
  network: string;
  name: string;
  type: string;
  token_protocol: string;
  remote_network: string;
  /** Name of the token service that it was made at; empty where an earlier version made it, null where this computer alone has it. */
  service: string | null;
  created_at: number | null;
}

export interface ItemRow {
  id: string;
  network: string;
  project_uid: string;
  /** Order within the project. */
  position: number;
  sub_type: string;
  sha256: string;
  file_name: string;
  content_type: string;
  bytes: number;
  /** JSON of the contract's `ItemMetadata`. */
  metadata: string;
  state: string;
  job_id: string | null;
  /** Id of the output at the token service, once it is known to exist. */
  output_uid: string | null;
  /** 1 from just before an output is asked for until its id is written down: after a crash the service must be asked what it has. */
  upload_intent: number;
  txid: string | null;
  vout: number | null;
  failure: string | null;
  /** JSON of the file that it had before a smaller copy took its place. */
  original: string | null;
  created_at: number;
}

export interface JobRow {
  id: string;
  network: string;
  project_uid: string;
  destination: string;
  idempotency_key: string;
  state: string;
  /** 1 when the job stopped for good, until a person tries again. */
  halted: number;
  failure: string | null;
  /** JSON of the fee rates the job is held to. */
  quote: string | null;
  /** JSON of the reserved coins: the only ones this job may spend. */
  coins: string | null;
  /** 1 from just before a transaction is asked for until the answer is written down. */
  build_intent: number;
  builds: number;
  transaction_uid: string | null;
  review: string | null;
  /** Digest a person approved; null until then. */
  approved_digest: string | null;
  txid: string | null;
  /** The unlocking scripts (JSON, hex) of the one signed transaction of this job. Together with its `tx_obj` they are the whole transaction. */
  unlocks: string | null;
  fee: number | null;
  block_hash: string | null;
  block_height: number | null;
  proof: string | null;
  /** The run it belongs to, and its place in the run's plan; null for a job of its own. */
  run_id: string | null;
  run_position: number | null;
  /** Highest fee the run's approved plan allows, in satoshis. */
  max_fee: number | null;
  /** 1 where Planchet builds and submits the transaction itself, without the token service. */
  direct: number;
  created_at: number;
  updated_at: number;
}

/** The large texts of a job, in a table of their own so that listing jobs does not read them. */
export interface JobTransactionRow {
  job_id: string;
  /** The service's `txObj`, see `review/unsigned.ts`. */
  tx_obj: string | Uint8Array | null;
  /** The one signed transaction of this job where an earlier version wrote it, in bytes or in hex. */
  raw_tx: string | Uint8Array | null;
}

interface JobItemRow {
  job_id: string;
  item_id: string;
  position: number;
}

interface JobHistoryRow {
  job_id: string;
  position: number;
  state: string;
  at: number;
}

export interface StudioTables extends ImportTables, RunTables, TokenTables {
  studio_files: FileRow;
  studio_projects: ProjectRow;
  studio_items: ItemRow;
  /** The last changes of the drafts of each project, newest with the highest number. */
  studio_changes: {
    seq: number;
    network: string;
    project_uid: string;
    /** What of the contract's `itemChanges` it was. */
    what: string;
    /** How many items it changed. */
    items: number;
    changed_at: number;
  };
  /** What the changed items were before. */
  studio_change_items: {
    seq: number;
    item_id: string;
    /** The file that it had, where another took its place or it was removed. */
    sha256: string | null;
    /** JSON of the columns that were changed, or of the whole row of a removed item; null where it was not there. */
    before: string | null;
  };
  /** The bin: drafts that were removed. */
  studio_removed_items: {
    id: string;
    network: string;
    project_uid: string;
    sha256: string;
    /** JSON of the row. */
    row: string;
    removed_at: number;
  };
  studio_jobs: JobRow;
  studio_job_transactions: JobTransactionRow;
  studio_job_items: JobItemRow;
  studio_job_history: JobHistoryRow;
}

const minting: NamedMigration = {
  name: 'studio-0001-minting',
  async up(db) {
    await db.schema
      .createTable('studio_files')
      .addColumn('sha256', 'text', (column) => column.primaryKey())
      .$call(required('text', 'name', 'content_type'))
      .$call(required('bigint', 'bytes', 'created_at'))
      .execute();
    await db.schema
      .createTable('studio_projects')
      .$call(required('text', 'uid', 'network', 'name', 'type', 'token_protocol', 'remote_network'))
      .addColumn('created_at', 'bigint')
      .addPrimaryKeyConstraint('studio_projects_key', ['network', 'uid'])
      .execute();
    await db.schema
      .createTable('studio_items')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .$call(required('text', 'network', 'project_uid'))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('sub_type', 'text', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull().references('studio_files.sha256'))
      .$call(required('text', 'file_name', 'content_type'))
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .$call(required('text', 'metadata', 'state'))
      .$call(nullable('text', 'job_id', 'output_uid'))
      .addColumn('upload_intent', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('txid', 'text')
      .addColumn('vout', 'integer')
      .addColumn('failure', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('studio_items_by_project')
      .on('studio_items')
      .columns(['network', 'project_uid', 'position'])
      .execute();
    await db.schema.createIndex('studio_items_by_file').on('studio_items').column('sha256').execute();
    await db.schema
      .createTable('studio_jobs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .$call(required('text', 'network', 'project_uid', 'destination', 'idempotency_key', 'state'))
      .addColumn('halted', 'integer', (column) => column.notNull().defaultTo(0))
      .$call(nullable('text', 'failure', 'quote', 'coins'))
      .addColumn('build_intent', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('builds', 'integer', (column) => column.notNull().defaultTo(0))
      .$call(nullable('text', 'transaction_uid', 'review', 'approved_digest', 'txid'))
      .addColumn('fee', 'bigint')
      .addColumn('block_hash', 'text')
      .addColumn('block_height', 'integer')
      .addColumn('proof', 'text')
      .$call(required('bigint', 'created_at', 'updated_at'))
      .addUniqueConstraint('studio_jobs_idempotency', ['network', 'idempotency_key'])
      .execute();
    await db.schema
      .createTable('studio_job_transactions')
      .addColumn('job_id', 'text', (column) => column.primaryKey().references('studio_jobs.id'))
      .$call(nullable('text', 'tx_obj', 'raw_tx'))
      .execute();
    await db.schema
      .createTable('studio_job_items')
      .addColumn('job_id', 'text', (column) => column.notNull().references('studio_jobs.id'))
      .addColumn('item_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('studio_job_items_key', ['job_id', 'position'])
      .execute();
    await db.schema
      .createTable('studio_job_history')
      .addColumn('job_id', 'text', (column) => column.notNull().references('studio_jobs.id'))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('studio_job_history_key', ['job_id', 'position'])
      .execute();
  },
};

/** A review of what was asked for has some 500 bytes an output, and a mint at most 500 outputs. */
const MAX_REVIEW_CHARS = 1_000_000;

const boundedReviews: NamedMigration = {
  name: 'studio-0002-bounded-reviews',
  // jobs that a service answered with tens of thousands of outputs kept them all; the failure says why they stopped
  async up(db) {
    const oversized = db
      .selectFrom('studio_jobs')
      .select('id')
      .where('halted', '=', 1)
      .where('state', '=', 'built')
      .where(sql<number>`length(review)`, '>', MAX_REVIEW_CHARS);
    await db.updateTable('studio_job_transactions').set({ tx_obj: null }).where('job_id', 'in', oversized).execute();
    await db.updateTable('studio_jobs').set({ review: null }).where('id', 'in', oversized).execute();
  },
};

const directMinting: NamedMigration = {
  name: 'studio-0006-direct-minting',
  async up(db) {
    await db.schema
      .alterTable('studio_jobs')
      .addColumn('direct', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

const removedItems: NamedMigration = {
  name: 'studio-0009-removed-items',
  up: async (db) => {
    await db.schema
      .createTable('studio_removed_items')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .$call(required('text', 'network', 'sha256', 'row'))
      .addColumn('removed_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};

/** Before this, every project was made at a token service. */
const projectService: NamedMigration = {
  name: 'studio-0011-project-service',
  async up(db) {
    await db.schema.alterTable('studio_projects').addColumn('service', 'text').execute();
    await db.updateTable('studio_projects').set({ service: '' }).execute();
  },
};

/** Removed drafts lie in a bin until it is emptied, and each change of drafts can be taken back. */
const itemChanges: NamedMigration = {
  name: 'studio-0012-item-changes',
  async up(db) {
    await db.schema.alterTable('studio_items').addColumn('original', 'text').execute();
    await db.schema
      .alterTable('studio_removed_items')
      .addColumn('project_uid', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`update studio_removed_items set project_uid = json_extract("row", '$.project_uid'),
      "row" = json_set("row", '$.original', null)`.execute(db);
    await db.schema
      .createIndex('studio_removed_items_by_project')
      .on('studio_removed_items')
      .columns(['network', 'project_uid', 'removed_at'])
      .execute();
    await db.schema
      .createTable('studio_changes')
      .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
      .$call(required('text', 'network', 'project_uid', 'what'))
      .addColumn('items', 'integer', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('studio_changes_by_project')
      .on('studio_changes')
      .columns(['network', 'project_uid', 'seq'])
      .execute();
    await db.schema
      .createTable('studio_change_items')
      .addColumn('seq', 'integer', (column) => column.notNull().references('studio_changes.seq'))
      .addColumn('item_id', 'text', (column) => column.notNull())
      .$call(nullable('text', 'sha256', 'before'))
      .addPrimaryKeyConstraint('studio_change_items_key', ['seq', 'item_id'])
      .execute();
    await db.schema.createIndex('studio_change_items_by_file').on('studio_change_items').column('sha256').execute();
  },
};

/**
 * Before this, a signed transaction was written whole, though only its unlocking scripts differ from the unsigned one. They are in another table
 * than that, since SQLite rewrites the whole row.
 */
const unlockingScripts: NamedMigration = {
  name: 'studio-0015-unlocking-scripts',
  up: (db) => db.schema.alterTable('studio_jobs').addColumn('unlocks', 'text').execute(),
};

/** The studio's migrations of the application database. */
export const studioMigrations: readonly NamedMigration[] = [
  minting,
  boundedReviews,
  importMigration,
  runMigration,
  tokensMigration,
  directMinting,
  headersMigration,
  headersLeaveMigration,
  removedItems,
  mappingMigration,
  projectService,
  itemChanges,
  publicationsMigration,
  collectionTokensMigration,
  unlockingScripts,
];

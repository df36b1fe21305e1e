import { type QueryExecutorProvider, sql } from 'kysely';
import type { NamedMigration } from '../store/store.ts';
import { type ArcTables, arcMigrations } from './arc/tables.ts';
import { type MerchantTables, merchantMigrations } from './merchant/tables.ts';
import { type NodeTables, nodeMigrations } from './node/node.ts';

/** API keys by SHA-256: the keys themselves are secrets and stay in the vault. */
interface KeysTable {
  key_hash: string;
  user_uid: string;
  created_at: number;
}

export interface ProjectsTable {
  uid: string;
  sequence: number;
  key_hash: string;
  name: string;
  type: string;
  /** 1 or 0. */
  is_fungible: number;
  token_protocol: string;
  created_at: number;
}

/** An output of a built transaction with a digest of its content: a later edit makes it a different token. */
export interface PlacedOutput {
  readonly uid: string;
  readonly digest: string;
}

/**
 * Built transactions. In the states `built` and `submitting` they own their outputs; in `released`, after a failed submission, they do
 * not; `submitted` transactions were accepted by the node.
 */
export interface TransactionsTable {
  uid: string;
  project_uid: string;
  /** Txid without input scripts, which the signed transaction must match. */
  unsigned_id: string;
  /** Its outputs in order, as a JSON array of {@link PlacedOutput}. */
  outputs: string;
  tokens: number;
  state: 'built' | 'submitting' | 'released' | 'submitted';
  tx_id: string | null;
  created_at: number;
  submitted_at: number | null;
}

export interface OutputsTable {
  uid: string;
  sequence: number;
  project_uid: string;
  sub_type: string;
  content_type: string;
  /** SHA-256 of the content, in hex. */
  content_hash: string;
  content_size: number;
  /** JSON object of text values. */
  metadata: string;
  created_at: number;
  transaction_uid: string | null;
  vout: number | null;
  tx_id: string | null;
}

/** Contents so small that a row of the database takes less than a file; the others are files. */
interface SmallContentsTable {
  /** In hex. */
  sha256: string;
  bytes: Uint8Array;
}

export interface TokenTables {
  token_contents: SmallContentsTable;
  token_keys: KeysTable;
  token_projects: ProjectsTable;
  token_transactions: TransactionsTable;
  token_outputs: OutputsTable;
}

/** Keys of the network's state. Stored in its database, so that a copy of the database is a copy of the network. */
export type StateName = 'seed' | 'clock' | 'faucetKey' | 'minerKey' | 'defaultKey' | 'forged';

interface StateTable {
  name: StateName;
  value: string;
}

/** Contents of tokens; only in an exported network, which is a single file. */
interface ExportedContentsTable {
  sha256: string;
  bytes: Uint8Array;
}

interface ControlTables {
  sandbox_state: StateTable;
  sandbox_contents: ExportedContentsTable;
}

export type SandboxTables = TokenTables & NodeTables & MerchantTables & ArcTables & ControlTables;

/** The highest `sequence` of a table; 0 while it is empty. */
export async function lastSequence(
  db: QueryExecutorProvider,
  table: 'token_projects' | 'token_outputs' | 'mapi_callbacks' | 'arc_callbacks',
): Promise<number> {
  const found = await sql<{ top: number | null }>`select max(sequence) as top from ${sql.table(table)}`.execute(db);
  return Number(found.rows[0]?.top ?? 0);
}

const tokenMigrations: NamedMigration[] = [
  {
    name: 'token-0001-projects',
    up: async (db) => {
      await db.schema
        .createTable('token_keys')
        .addColumn('key_hash', 'text', (column) => column.primaryKey())
        .addColumn('user_uid', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('token_projects')
        .addColumn('uid', 'text', (column) => column.primaryKey())
        .addColumn('sequence', 'bigint', (column) => column.notNull().unique())
        .addColumn('key_hash', 'text', (column) => column.notNull().references('token_keys.key_hash'))
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('is_fungible', 'integer', (column) => column.notNull())
        .addColumn('token_protocol', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('token_transactions')
        .addColumn('uid', 'text', (column) => column.primaryKey())
        .addColumn('project_uid', 'text', (column) => column.notNull().references('token_projects.uid'))
        .addColumn('unsigned_id', 'text', (column) => column.notNull())
        .addColumn('outputs', 'text', (column) => column.notNull())
        .addColumn('tokens', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('tx_id', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('submitted_at', 'bigint')
        .execute();
      await db.schema
        .createTable('token_outputs')
        .addColumn('uid', 'text', (column) => column.primaryKey())
        .addColumn('sequence', 'bigint', (column) => column.notNull().unique())
        .addColumn('project_uid', 'text', (column) => column.notNull().references('token_projects.uid'))
        .addColumn('sub_type', 'text', (column) => column.notNull())
        .addColumn('content_type', 'text', (column) => column.notNull())
        .addColumn('content_hash', 'text', (column) => column.notNull())
        .addColumn('content_size', 'bigint', (column) => column.notNull())
        .addColumn('metadata', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('transaction_uid', 'text', (column) => column.references('token_transactions.uid'))
        .addColumn('vout', 'integer')
        .addColumn('tx_id', 'text')
        .execute();
      await db.schema
        .createIndex('token_outputs_project')
        .on('token_outputs')
        .columns(['project_uid', 'sequence'])
        .execute();
      await db.schema.createIndex('token_projects_key').on('token_projects').column('key_hash').execute();
      await db.schema.createIndex('token_transactions_tx').on('token_transactions').column('tx_id').execute();
      await db.schema
        .createIndex('token_transactions_submitted')
        .on('token_transactions')
        .column('submitted_at')
        .execute();
    },
  },
  {
    name: 'token-0002-small-contents',
    up: async (db) => {
      await db.schema
        .createTable('token_contents')
        .addColumn('sha256', 'text', (column) => column.primaryKey())
        .addColumn('bytes', 'bytea', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('token_outputs_sub_type')
        .on('token_outputs')
        .columns(['project_uid', 'sub_type'])
        .execute();
      await db.schema.createIndex('token_outputs_transaction').on('token_outputs').column('transaction_uid').execute();
    },
  },
];

const controlMigrations: NamedMigration[] = [
  {
    name: 'sandbox-0001-state',
    up: async (db) => {
      await db.schema
        .createTable('sandbox_state')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('sandbox_contents')
        .addColumn('sha256', 'text', (column) => column.primaryKey())
        .addColumn('bytes', 'bytea', (column) => column.notNull())
        .execute();
    },
  },
];

/** Migrations of the complete sandbox database. */
export const sandboxMigrations: NamedMigration[] = [
  ...nodeMigrations,
  ...tokenMigrations,
  ...merchantMigrations,
  ...controlMigrations,
  ...arcMigrations,
];

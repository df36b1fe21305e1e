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
      await sql`create table token_keys (
        key_hash text primary key, user_uid text not null, created_at bigint not null
      )`.execute(db);
      await sql`create table token_projects (
        uid text primary key, sequence bigint not null unique, key_hash text not null references token_keys (key_hash),
        name text not null, type text not null, is_fungible integer not null, token_protocol text not null,
        created_at bigint not null
      )`.execute(db);
      await sql`create table token_transactions (
        uid text primary key, project_uid text not null references token_projects (uid), unsigned_id text not null,
        outputs text not null, tokens integer not null, state text not null, tx_id text, created_at bigint not null,
        submitted_at bigint
      )`.execute(db);
      await sql`create table token_outputs (
        uid text primary key, sequence bigint not null unique, project_uid text not null references token_projects (uid),
        sub_type text not null, content_type text not null, content_hash text not null, content_size bigint not null,
        metadata text not null, created_at bigint not null, transaction_uid text references token_transactions (uid),
        vout integer, tx_id text
      )`.execute(db);
      await sql`create index token_outputs_project on token_outputs (project_uid, sequence)`.execute(db);
      await sql`create index token_projects_key on token_projects (key_hash)`.execute(db);
      await sql`create index token_transactions_tx on token_transactions (tx_id)`.execute(db);
      await sql`create index token_transactions_submitted on token_transactions (submitted_at)`.execute(db);
    },
  },
  {
    name: 'token-0002-small-contents',
    up: async (db) => {
      await sql`create table token_contents (sha256 text primary key, bytes bytea not null)`.execute(db);
      await sql`create index token_outputs_sub_type on token_outputs (project_uid, sub_type)`.execute(db);
      await sql`create index token_outputs_transaction on token_outputs (transaction_uid)`.execute(db);
    },
  },
];

const controlMigrations: NamedMigration[] = [
  {
    name: 'sandbox-0001-state',
    up: async (db) => {
      await sql`create table sandbox_state (name text primary key, value text not null)`.execute(db);
      await sql`create table sandbox_contents (sha256 text primary key, bytes bytea not null)`.execute(db);
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

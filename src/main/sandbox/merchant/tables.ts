import type { NamedMigration } from '../../store/store.ts';

/** Callback requests for transactions. */
export interface WatchesTable {
  uid: string;
  txid: string;
  url: string;
  /** Value of the Authorization header; empty for none. */
  token: string;
  /** Curve25519 key in Base64 for encrypting messages; empty for none. */
  seal_key: string;
  merkle_proof: 0 | 1;
  /** `TSC`, or empty for the node's older format. */
  merkle_format: string;
  ds_check: 0 | 1;
  /** JSON array of the outpoints the transaction spends. */
  spends: string;
  /** Block for which a proof was queued; replaced after a reorganisation. */
  proven_block: string | null;
  proven_height: number | null;
  created_at: number;
}

/** Messages waiting for delivery. */
export interface CallbacksTable {
  sequence: number;
  watch_uid: string;
  /** Scheme, host and port of the receiver. */
  origin: string;
  reason: 'merkleProof' | 'doubleSpend' | 'doubleSpendAttempt';
  block_hash: string;
  block_height: number;
  /** The conflicting raw transaction in hex; empty for a proof. */
  conflict: string;
  queued_at: number;
  attempts: number;
  next_at: number;
  /** `given-up` after the last attempt. */
  state: 'waiting' | 'given-up';
  last_error: string;
}

/** Public keys of data-writing clients. */
interface WritersTable {
  key_hash: string;
  public_key: string;
  registered_at: number;
}

export interface MerchantTables {
  mapi_writers: WritersTable;
  mapi_watches: WatchesTable;
  mapi_callbacks: CallbacksTable;
}

export const merchantMigrations: NamedMigration[] = [
  {
    name: 'mapi-0001-callbacks-and-writers',
    up: async (db) => {
      await db.schema
        .createTable('mapi_writers')
        .addColumn('key_hash', 'text', (column) => column.primaryKey())
        .addColumn('public_key', 'text', (column) => column.notNull())
        .addColumn('registered_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('mapi_watches')
        .addColumn('uid', 'text', (column) => column.primaryKey())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        .addColumn('seal_key', 'text', (column) => column.notNull())
        .addColumn('merkle_proof', 'integer', (column) => column.notNull())
        .addColumn('merkle_format', 'text', (column) => column.notNull())
        .addColumn('ds_check', 'integer', (column) => column.notNull())
        .addColumn('spends', 'text', (column) => column.notNull())
        .addColumn('proven_block', 'text')
        .addColumn('proven_height', 'integer')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('mapi_callbacks')
        .addColumn('sequence', 'bigint', (column) => column.primaryKey())
        .addColumn('watch_uid', 'text', (column) => column.notNull().references('mapi_watches.uid'))
        .addColumn('origin', 'text', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('block_hash', 'text', (column) => column.notNull())
        .addColumn('block_height', 'integer', (column) => column.notNull())
        .addColumn('conflict', 'text', (column) => column.notNull())
        .addColumn('queued_at', 'bigint', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('next_at', 'bigint', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('last_error', 'text', (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('mapi_callbacks_due')
        .on('mapi_callbacks')
        .columns(['state', 'origin', 'next_at'])
        .execute();
      await db.schema.createIndex('mapi_callbacks_watch').on('mapi_callbacks').column('watch_uid').execute();
      await db.schema.createIndex('mapi_watches_proven').on('mapi_watches').column('proven_height').execute();
    },
  },
];

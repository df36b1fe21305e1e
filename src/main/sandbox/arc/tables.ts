import type { NamedMigration } from '../../store/store.ts';
import type { ArcStatus } from './statuses.ts';

/** Transactions that were submitted over ARC, as ARC reports them. */
export interface ArcTransactionsTable {
  txid: string;
  status: ArcStatus;
  extra_info: string;
  /** JSON array of the txids that spend the same outputs. */
  competing: string;
  /** Empty unless mined. */
  block_hash: string;
  block_height: number;
  changed_at: number;
}

/** Callback requests for transactions. */
export interface ArcWatchesTable {
  uid: string;
  txid: string;
  url: string;
  /** Sent as a bearer token; empty for none. */
  token: string;
  /** Whether several messages go into one request. */
  batch: 0 | 1;
  /** Whether every status is sent, not only the last ones. */
  full_updates: 0 | 1;
}

/** Messages waiting for delivery. */
export interface ArcCallbacksTable {
  sequence: number;
  watch_uid: string;
  /** JSON, as it is sent. */
  message: string;
  attempts: number;
  next_at: number;
  /** `given-up` after the last attempt. */
  state: 'waiting' | 'given-up';
  last_error: string;
}

export interface ArcTables {
  arc_transactions: ArcTransactionsTable;
  arc_watches: ArcWatchesTable;
  arc_callbacks: ArcCallbacksTable;
}

export const arcMigrations: NamedMigration[] = [
  {
    name: 'arc-0001-transactions',
    up: async (db) => {
      await db.schema
        .createTable('arc_transactions')
        .addColumn('txid', 'text', (column) => column.primaryKey())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('extra_info', 'text', (column) => column.notNull())
        .addColumn('competing', 'text', (column) => column.notNull())
        .addColumn('block_hash', 'text', (column) => column.notNull())
        .addColumn('block_height', 'integer', (column) => column.notNull())
        .addColumn('changed_at', 'bigint', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('arc_transactions_block').on('arc_transactions').column('block_hash').execute();
    },
  },
  {
    name: 'arc-0002-callbacks',
    up: async (db) => {
      await db.schema
        .createTable('arc_watches')
        .addColumn('uid', 'text', (column) => column.primaryKey())
        .addColumn('txid', 'text', (column) => column.notNull())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        .addColumn('batch', 'integer', (column) => column.notNull())
        .addColumn('full_updates', 'integer', (column) => column.notNull())
        .addUniqueConstraint('arc_watches_once', ['txid', 'url', 'token'])
        .execute();
      await db.schema
        .createTable('arc_callbacks')
        .addColumn('sequence', 'bigint', (column) => column.primaryKey())
        .addColumn('watch_uid', 'text', (column) => column.notNull().references('arc_watches.uid'))
        .addColumn('message', 'text', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('next_at', 'bigint', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('last_error', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('arc_callbacks_due').on('arc_callbacks').columns(['state', 'next_at']).execute();
      await db.schema.createIndex('arc_callbacks_watch').on('arc_callbacks').columns(['watch_uid', 'state']).execute();
    },
  },
];

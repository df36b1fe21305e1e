import { sql } from 'kysely';
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
      await sql`create table arc_transactions (
        txid text primary key, status text not null, extra_info text not null, competing text not null,
        block_hash text not null, block_height integer not null, changed_at bigint not null
      )`.execute(db);
      await sql`create index arc_transactions_block on arc_transactions (block_hash)`.execute(db);
    },
  },
  {
    name: 'arc-0002-callbacks',
    up: async (db) => {
      await sql`create table arc_watches (
        uid text primary key, txid text not null, url text not null, token text not null, batch integer not null,
        full_updates integer not null, constraint arc_watches_once unique (txid, url, token)
      )`.execute(db);
      await sql`create table arc_callbacks (
        sequence bigint primary key, watch_uid text not null references arc_watches (uid), message text not null,
        attempts integer not null, next_at bigint not null, state text not null, last_error text not null
      )`.execute(db);
      await sql`create index arc_callbacks_due on arc_callbacks (state, next_at)`.execute(db);
      await sql`create index arc_callbacks_watch on arc_callbacks (watch_uid, state)`.execute(db);
    },
  },
];

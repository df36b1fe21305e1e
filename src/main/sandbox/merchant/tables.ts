import { sql } from 'kysely';
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
      await sql`create table mapi_writers (
        key_hash text primary key, public_key text not null, registered_at bigint not null
      )`.execute(db);
      await sql`create table mapi_watches (
        uid text primary key, txid text not null, url text not null, token text not null, seal_key text not null,
        merkle_proof integer not null, merkle_format text not null, ds_check integer not null, spends text not null,
        proven_block text, proven_height integer, created_at bigint not null
      )`.execute(db);
      await sql`create table mapi_callbacks (
        sequence bigint primary key, watch_uid text not null references mapi_watches (uid), origin text not null,
        reason text not null, block_hash text not null, block_height integer not null, "conflict" text not null,
        queued_at bigint not null, attempts integer not null, next_at bigint not null, state text not null,
        last_error text not null
      )`.execute(db);
      await sql`create index mapi_callbacks_due on mapi_callbacks (state, origin, next_at)`.execute(db);
      await sql`create index mapi_callbacks_watch on mapi_callbacks (watch_uid)`.execute(db);
      await sql`create index mapi_watches_proven on mapi_watches (proven_height)`.execute(db);
    },
  },
];

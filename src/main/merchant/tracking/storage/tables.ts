import { type Generated, sql } from 'kysely';
import {
  MAX_LAST_ANSWERS,
  type TransactionEvent,
  type TransactionOrigin,
  type TransactionState,
} from '../../../../contract/index.ts';
import type { NamedMigration } from '../../../store/store.ts';

/** A submitted transaction. Its database is a file of its own, so that following it never waits for the wallet. */
export interface TransactionRow {
  /** Order of arrival; pages are read by it. */
  id: Generated<number>;
  /** Display-order hex. */
  txid: string;
  bytes: number;
  state: TransactionState;
  origin: TransactionOrigin;
  label: string;
  fee: number | null;
  created_at: number;
  updated_at: number;
  /** The block that holds it or, if it is double-spent, the transaction that won. */
  block_hash: string | null;
  block_height: number | null;
  /** JSON of a `TransactionReason`. */
  reason: string | null;
  double_spent_by: string | null;
  /** When its state is looked at next; null for one that is settled. */
  due_at: number | null;
  /** JSON of `LastAnswer`s, so that a list does not search the history. */
  answers: string;
  /** How often it was sent or asked for since its state last changed. */
  attempts: number;
}

/** Lines of the history of transactions. Rows are only added. */
interface TransactionEventRow {
  id: Generated<number>;
  transaction_id: number;
  at: number;
  kind: TransactionEvent['kind'];
  state: TransactionState | null;
  /** In English. */
  text: string;
  /** JSON of the `Phrase` that the text was made of; null where there is none, and in older histories. */
  sentence: string | null;
  /** JSON of a `MinerAnswer`. */
  answer: string | null;
  /** The answer as it came. */
  raw: string | null;
  signature: TransactionEvent['signature'];
}

/** Verified Merkle proofs. */
export interface TransactionProofRow {
  transaction_id: number;
  /** BRC-74. */
  bump: Uint8Array;
  header: Uint8Array;
  block_hash: string;
  height: number;
}

export interface TrackingTables {
  /** Blocks of the main chain that were searched for tracked transactions. */
  tracked_blocks: { height: number; hash: string };
  transactions: TransactionRow;
  /** Apart from the row that changes with each state, because SQLite writes the whole of a changed row. */
  transaction_bytes: { transaction_id: number; raw_tx: Uint8Array };
  transaction_events: TransactionEventRow;
  transaction_proofs: TransactionProofRow;
}

export const trackingMigrations: readonly NamedMigration[] = [
  {
    name: 'tracking-0001-transactions',
    async up(db) {
      await sql`create table transactions (id integer primary key autoincrement, txid text not null unique,
        raw_tx blob, bytes integer not null, state text not null, origin text not null,
        label text not null default '', fee bigint, created_at bigint not null, updated_at bigint not null,
        block_hash text, block_height integer, reason text, double_spent_by text, due_at bigint,
        attempts integer not null default 0)`.execute(db);
      await db.schema.createIndex('transactions_state').on('transactions').columns(['state', 'id']).execute();
      await db.schema.createIndex('transactions_due').on('transactions').columns(['due_at']).execute();
      await db.schema.createIndex('transactions_height').on('transactions').columns(['block_height']).execute();
      await sql`create table transaction_events (id integer primary key autoincrement,
        transaction_id integer not null, at bigint not null, kind text not null, state text,
        text text not null, answer text, raw text, signature text)`.execute(db);
      await sql`create index transaction_events_transaction on transaction_events (transaction_id, id)`.execute(db);
      await sql`create table transaction_proofs (transaction_id integer primary key, bump blob not null,
        header blob not null, block_hash text not null, height integer not null)`.execute(db);
    },
  },
  {
    name: 'tracking-0002-blocks',
    async up(db) {
      await sql`create table tracked_blocks (height integer primary key, hash text not null)`.execute(db);
      // What is looked at, in order of arrival, however many settled transactions there are.
      await sql`create index transactions_open on transactions (id) where due_at is not null`.execute(db);
    },
  },
  {
    name: 'tracking-0003-last-answers',
    async up(db) {
      await sql`alter table transactions add column answers text not null default '[]'`.execute(db);
      await sql`update transactions set answers = coalesce((
        select json_group_array(json_object('minerId', answer ->> 'minerId', 'name', answer ->> 'name', 'status', answer ->> 'status',
          'accepted', json(answer -> 'accepted')))
        from (select answer from transaction_events join (select min(id) as first, max(id) as last from transaction_events
          where transaction_id = transactions.id and answer is not null group by answer ->> 'minerId') on id = last
          order by first limit ${sql.lit(MAX_LAST_ANSWERS)})), '[]')`.execute(db);
    },
  },
  {
    name: 'tracking-0004-bytes',
    async up(db) {
      await sql`create table transaction_bytes (transaction_id integer primary key, raw_tx blob not null)`.execute(db);
      await sql`insert into transaction_bytes select id, raw_tx from transactions where raw_tx is not null`.execute(db);
      await db.schema.alterTable('transactions').dropColumn('raw_tx').execute();
    },
  },
  {
    name: 'tracking-0005-sentences',
    async up(db) {
      await db.schema.alterTable('transaction_events').addColumn('sentence', 'text').execute();
    },
  },
];

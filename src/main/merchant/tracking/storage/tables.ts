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

/** Kept beside the row that changes with each state: SQLite writes a changed row anew as a whole. */
interface TransactionBytesRow {
  transaction_id: number;
  raw_tx: Uint8Array;
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

/** Blocks of the main chain that were searched for tracked transactions. */
interface TrackedBlockRow {
  height: number;
  hash: string;
}

export interface TrackingTables {
  tracked_blocks: TrackedBlockRow;
  transactions: TransactionRow;
  transaction_bytes: TransactionBytesRow;
  transaction_events: TransactionEventRow;
  transaction_proofs: TransactionProofRow;
}

export const trackingMigrations: readonly NamedMigration[] = [
  {
    name: 'tracking-0001-transactions',
    async up(db) {
      await db.schema
        .createTable('transactions')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('txid', 'text', (column) => column.notNull().unique())
        .addColumn('raw_tx', 'blob')
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('origin', 'text', (column) => column.notNull())
        .addColumn('label', 'text', (column) => column.notNull().defaultTo(''))
        .addColumn('fee', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addColumn('block_hash', 'text')
        .addColumn('block_height', 'integer')
        .addColumn('reason', 'text')
        .addColumn('double_spent_by', 'text')
        .addColumn('due_at', 'bigint')
        .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
      await db.schema.createIndex('transactions_state').on('transactions').columns(['state', 'id']).execute();
      await db.schema.createIndex('transactions_due').on('transactions').columns(['due_at']).execute();
      await db.schema.createIndex('transactions_height').on('transactions').columns(['block_height']).execute();
      await db.schema
        .createTable('transaction_events')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('transaction_id', 'integer', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('state', 'text')
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('answer', 'text')
        .addColumn('raw', 'text')
        .addColumn('signature', 'text')
        .execute();
      await db.schema
        .createIndex('transaction_events_transaction')
        .on('transaction_events')
        .columns(['transaction_id', 'id'])
        .execute();
      await db.schema
        .createTable('transaction_proofs')
        .addColumn('transaction_id', 'integer', (column) => column.primaryKey())
        .addColumn('bump', 'blob', (column) => column.notNull())
        .addColumn('header', 'blob', (column) => column.notNull())
        .addColumn('block_hash', 'text', (column) => column.notNull())
        .addColumn('height', 'integer', (column) => column.notNull())
        .execute();
    },
  },
  {
    name: 'tracking-0002-blocks',
    async up(db) {
      await db.schema
        .createTable('tracked_blocks')
        .addColumn('height', 'integer', (column) => column.primaryKey())
        .addColumn('hash', 'text', (column) => column.notNull())
        .execute();
      // What is looked at, in order of arrival, however many settled transactions there are.
      await sql`create index transactions_open on transactions (id) where due_at is not null`.execute(db);
    },
  },
  {
    name: 'tracking-0003-last-answers',
    async up(db) {
      await db.schema
        .alterTable('transactions')
        .addColumn('answers', 'text', (column) => column.notNull().defaultTo('[]'))
        .execute();
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
      await db.schema
        .createTable('transaction_bytes')
        .addColumn('transaction_id', 'integer', (column) => column.primaryKey())
        .addColumn('raw_tx', 'blob', (column) => column.notNull())
        .execute();
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

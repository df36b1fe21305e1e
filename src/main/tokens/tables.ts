import type { TokenJobState } from '../../contract/index.ts';
import type { NamedMigration } from '../store/store.ts';

/** One transaction of a token's life, from the request to its block. */
interface TokenJobRow {
  id: string;
  network: string;
  idempotency_key: string;
  /** JSON of the contract's `TokenRequest`. */
  request: string;
  symbol: string;
  /** `draft` while it is being built: coins may be held for it, nothing else happened. */
  state: TokenJobState;
  /** 1 when the job stopped for good. */
  halted: number;
  failure: string | null;
  /** JSON of the contract's `TokenReview`. */
  review: string | null;
  /** JSON of the unsigned transaction and of the outputs it spends. */
  unsigned: string | null;
  /** Hex of the one signed transaction of this job. */
  raw_tx: string | null;
  txid: string | null;
  block_hash: string | null;
  block_height: number | null;
  created_at: number;
  updated_at: number;
}

export interface TokenTables {
  token_jobs: TokenJobRow;
}

export type JobRow = TokenJobRow;

export const tokenBenchMigrations: readonly NamedMigration[] = [
  {
    name: 'tokens-0001-jobs',
    async up(db) {
      await db.schema
        .createTable('token_jobs')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('idempotency_key', 'text', (column) => column.notNull())
        .addColumn('request', 'text', (column) => column.notNull())
        .addColumn('symbol', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('halted', 'integer', (column) => column.notNull())
        .addColumn('failure', 'text')
        .addColumn('review', 'text')
        .addColumn('unsigned', 'text')
        .addColumn('raw_tx', 'text')
        .addColumn('txid', 'text')
        .addColumn('block_hash', 'text')
        .addColumn('block_height', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addUniqueConstraint('token_jobs_key', ['network', 'idempotency_key'])
        .execute();
    },
  },
];

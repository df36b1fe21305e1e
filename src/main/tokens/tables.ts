import type { NamedMigration } from '../store/store.ts';
import { jobColumns, type JobRow as TransactionJobRow } from '../transaction-jobs/job-row.ts';

/** One transaction of a token's life. Its request is a `TokenRequest`, its review a `TokenReview`. */
export interface JobRow extends TransactionJobRow {
  symbol: string;
}

export interface TokenTables {
  token_jobs: JobRow;
}

export const redeemableTokensMigrations: readonly NamedMigration[] = [
  {
    name: 'tokens-0001-jobs',
    async up(db) {
      await jobColumns(db.schema.createTable('token_jobs'), 'token_jobs')
        .addColumn('symbol', 'text', (column) => column.notNull())
        .execute();
    },
  },
];

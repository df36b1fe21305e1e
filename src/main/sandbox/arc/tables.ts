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

export interface ArcTables {
  arc_transactions: ArcTransactionsTable;
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
];

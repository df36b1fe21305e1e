import type { NamedMigration } from '../store/store.ts';

export interface ApprovalTables {
  approvals: {
    id: string;
    kind: string;
    program_id: string;
    program: string;
    method: string;
    amount: number;
    /** SHA-256 of what was shown, hex. */
    digest: string;
    asked_at: number;
    expires_at: number;
    /** null while it waits. */
    outcome: string | null;
    reason: string | null;
    decided_at: number | null;
    /** The transactions that were shown, as JSON; null where none was. */
    txids: string | null;
  };
  approval_permissions: {
    id: string;
    kind: string;
    program_id: string;
    program: string;
    method: string;
    most_each: number;
    most_per_day: number;
    /** Number of the day since 1970 (UTC) that `used` counts for. */
    used_day: number;
    used: number;
    created_at: number;
    expires_at: number;
    last_used_at: number | null;
  };
}

const tables: NamedMigration = {
  name: 'approvals-0001',
  up: async (db) => {
    await db.schema
      .createTable('approvals')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('program_id', 'text', (column) => column.notNull())
      .addColumn('program', 'text', (column) => column.notNull())
      .addColumn('method', 'text', (column) => column.notNull())
      .addColumn('amount', 'bigint', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('asked_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('outcome', 'text')
      .addColumn('reason', 'text')
      .addColumn('decided_at', 'bigint')
      .execute();
    await db.schema.createIndex('approvals_asked').on('approvals').column('asked_at').execute();
    await db.schema
      .createTable('approval_permissions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('program_id', 'text', (column) => column.notNull())
      .addColumn('program', 'text', (column) => column.notNull())
      .addColumn('method', 'text', (column) => column.notNull())
      .addColumn('most_each', 'bigint', (column) => column.notNull())
      .addColumn('most_per_day', 'bigint', (column) => column.notNull())
      .addColumn('used_day', 'bigint', (column) => column.notNull())
      .addColumn('used', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint')
      .execute();
  },
};

const transactions: NamedMigration = {
  name: 'approvals-0002-transactions',
  up: async (db) => {
    await db.schema.alterTable('approvals').addColumn('txids', 'text').execute();
  },
};

export const approvalMigrations: readonly NamedMigration[] = [tables, transactions];

import type { NamedMigration } from '../../store/store.ts';

/** Messages of miners. A row is on the disk before its miner gets an answer. */
export const callbackMigrations: readonly NamedMigration[] = [
  {
    name: 'callbacks-0001-receipts',
    async up(db) {
      await db.schema
        .createTable('callback_receipts')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        // SHA-256 of what the message says: a miner sends a message again until it reads an answer
        .addColumn('digest', 'blob', (column) => column.notNull().unique())
        .addColumn('miner_id', 'text', (column) => column.notNull())
        .addColumn('signature', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        // null once the tracker has it, whose history keeps it
        .addColumn('message', 'text')
        .execute();
      await db.schema.createIndex('callback_receipts_at').on('callback_receipts').columns(['at']).execute();
      await db.schema
        .createTable('callback_waiting')
        .addColumn('receipt_id', 'integer', (column) => column.primaryKey())
        .execute();
    },
  },
];

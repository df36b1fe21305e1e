import type { NamedMigration } from '../../store/store.ts';

/** How far the history was delivered. One row; the history itself is the journal of what is to be told. */
interface WebhookRow {
  id: 1;
  url: string;
  /** Id of the last line of the history that the receiver has. */
  last_event: number;
}

export interface WebhookTables {
  state_webhook: WebhookRow;
}

export const webhookMigrations: readonly NamedMigration[] = [
  {
    name: 'webhook-0001-position',
    async up(db) {
      await db.schema
        .createTable('state_webhook')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('last_event', 'integer', (column) => column.notNull())
        .execute();
    },
  },
];

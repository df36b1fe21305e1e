import { sql } from 'kysely';
import type { NamedMigration } from '../../store/store.ts';

export interface WebhookTables {
  /** How far the history was delivered. One row; the history itself is the journal of what is to be told. */
  state_webhook: {
    id: 1;
    url: string;
    /** Id of the last line of the history that the receiver has. */
    last_event: number;
  };
}

export const webhookMigrations: readonly NamedMigration[] = [
  {
    name: 'webhook-0001-position',
    async up(db) {
      await sql`create table state_webhook (id integer primary key, url text not null, last_event integer not null)`.execute(
        db,
      );
    },
  },
];

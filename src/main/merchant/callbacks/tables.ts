import { sql } from 'kysely';
import type { NamedMigration } from '../../store/store.ts';

/** Messages of miners. A row is on the disk before its miner gets an answer. */
export const callbackMigrations: readonly NamedMigration[] = [
  {
    name: 'callbacks-0001-receipts',
    async up(db) {
      // `digest` is the SHA-256 of what the message says: a miner sends a message again until it reads an answer. `message` is null once the
      // tracker has it, whose history keeps it.
      await sql`create table callback_receipts (id integer primary key autoincrement, digest blob not null unique,
        miner_id text not null, signature text not null, at bigint not null, message text)`.execute(db);
      await db.schema.createIndex('callback_receipts_at').on('callback_receipts').columns(['at']).execute();
      await sql`create table callback_waiting (receipt_id integer primary key)`.execute(db);
    },
  },
];

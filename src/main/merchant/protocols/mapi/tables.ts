import { type Generated, sql } from 'kysely';
import type { NamedMigration } from '../../../store/store.ts';

export interface MerchantTables {
  /** The key that signs the answers of each merchant API. */
  merchant_keys: {
    network: string;
    /** Address of the merchant API, without credentials. */
    endpoint: string;
    /** Compressed, 66 lower-case hex digits; null for an endpoint that does not sign. */
    public_key: string | null;
    since: number;
  };
  /** Why another key took a key's place. Rows are only added. */
  merchant_key_changes: {
    id: Generated<number>;
    network: string;
    endpoint: string;
    old_key: string | null;
    new_key: string | null;
    reason: 'accepted' | 'pinned' | 'signed';
    at: number;
  };
}

export const merchantMigrations: readonly NamedMigration[] = [
  {
    name: 'merchant-0001-keys',
    async up(db) {
      await sql`create table merchant_keys (network text not null, endpoint text not null, public_key text,
        since bigint not null, constraint merchant_keys_endpoint primary key (network, endpoint))`.execute(db);
      await sql`create table merchant_key_changes (id integer primary key autoincrement, network text not null,
        endpoint text not null, old_key text, new_key text, reason text not null, at bigint not null)`.execute(db);
    },
  },
];

import type { Generated } from 'kysely';
import type { NamedMigration } from '../../../store/store.ts';

/** The key that signs the answers of one merchant API. */
interface MerchantKeyRow {
  network: string;
  /** Address of the merchant API, without credentials. */
  endpoint: string;
  /** Compressed, 66 lower-case hex digits; null for an endpoint that does not sign. */
  public_key: string | null;
  since: number;
}

/** Why another key took a key's place. Rows are only added. */
interface MerchantKeyChangeRow {
  id: Generated<number>;
  network: string;
  endpoint: string;
  old_key: string | null;
  new_key: string | null;
  reason: 'accepted' | 'pinned' | 'signed';
  at: number;
}

export interface MerchantTables {
  merchant_keys: MerchantKeyRow;
  merchant_key_changes: MerchantKeyChangeRow;
}

export const merchantMigrations: readonly NamedMigration[] = [
  {
    name: 'merchant-0001-keys',
    async up(db) {
      await db.schema
        .createTable('merchant_keys')
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('endpoint', 'text', (column) => column.notNull())
        .addColumn('public_key', 'text')
        .addColumn('since', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('merchant_keys_endpoint', ['network', 'endpoint'])
        .execute();
      await db.schema
        .createTable('merchant_key_changes')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('endpoint', 'text', (column) => column.notNull())
        .addColumn('old_key', 'text')
        .addColumn('new_key', 'text')
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
];

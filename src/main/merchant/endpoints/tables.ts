import type { MinerKind } from '../../../contract/index.ts';
import type { NamedMigration } from '../../store/store.ts';

/** An endpoint that a person added. API keys are in the vault. */
export interface MinerEndpointRow {
  id: string;
  name: string;
  kind: MinerKind;
  url: string;
  /** 0 or 1. */
  enabled: number;
  /** Place in the order in which endpoints are tried. */
  position: number;
  /** The only key that its answers may be signed with; null remembers the first one. */
  public_key: string | null;
  created_at: number;
}

export interface EndpointTables {
  miner_endpoints: MinerEndpointRow;
}

export const endpointMigrations: readonly NamedMigration[] = [
  {
    name: 'miners-0001-endpoints',
    async up(db) {
      await db.schema
        .createTable('miner_endpoints')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('enabled', 'integer', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('public_key', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
];

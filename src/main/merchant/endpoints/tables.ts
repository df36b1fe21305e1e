import type { Generated } from 'kysely';
import type { KeyStyle, MinerKind } from '../../../contract/index.ts';
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
  key_style: KeyStyle;
}

/** A built-in endpoint that a person switched off. */
interface SwitchedOffRow {
  id: string;
}

/** A price and policy, and the time over which it was offered. */
interface QuoteRow {
  id: Generated<number>;
  miner_id: string;
  first_at: number;
  last_at: number;
  /** What was offered, as JSON. */
  offer: string;
}

/** Requests to a miner in one hour. */
export interface HourRow {
  miner_id: string;
  /** When the hour began. */
  at: number;
  succeeded: number;
  failed: number;
  total_ms: number;
  slowest_ms: number;
}

export interface EndpointTables {
  miner_endpoints: MinerEndpointRow;
  miners_switched_off: SwitchedOffRow;
  miner_quotes: QuoteRow;
  miner_hours: HourRow;
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
  {
    name: 'miners-0002-setup-and-history',
    async up(db) {
      await db.schema
        .alterTable('miner_endpoints')
        .addColumn('key_style', 'text', (column) => column.notNull().defaultTo('bearer'))
        .execute();
      await db.schema
        .createTable('miners_switched_off')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .execute();
      await db.schema
        .createTable('miner_quotes')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('miner_id', 'text', (column) => column.notNull())
        .addColumn('first_at', 'bigint', (column) => column.notNull())
        .addColumn('last_at', 'bigint', (column) => column.notNull())
        .addColumn('offer', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('miner_quotes_of').on('miner_quotes').columns(['miner_id', 'id']).execute();
      await db.schema
        .createTable('miner_hours')
        .addColumn('miner_id', 'text', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('succeeded', 'integer', (column) => column.notNull())
        .addColumn('failed', 'integer', (column) => column.notNull())
        .addColumn('total_ms', 'real', (column) => column.notNull())
        .addColumn('slowest_ms', 'real', (column) => column.notNull())
        .addPrimaryKeyConstraint('miner_hours_of', ['miner_id', 'at'])
        .execute();
    },
  },
];

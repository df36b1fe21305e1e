import type { NamedMigration } from '../store/store.ts';

export interface GatewayTables {
  gateway_keys: {
    id: string;
    name: string;
    salt: string;
    /** SHA-256 of salt and secret, hex. The secret has 256 random bits, so nothing slower is needed. */
    hash: string;
    /** JSON list of commands; null for all. */
    methods: string | null;
    /** Most calls per second; null for no limit. */
    rate: number | null;
    /** Most bytes of a request body; null for the usual limit. */
    body_bytes: number | null;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    last_used_at: number | null;
    /** Most calls a day; null for no limit. */
    daily_calls: number | null;
    /** The command that it called last. */
    last_method: string | null;
  };
  /** What keys were used for, by day. */
  gateway_usage: {
    key_id: string;
    /** Days since 1970-01-01 UTC. */
    day: number;
    calls: number;
    errors: number;
    bytes: number;
  };
  gateway_origins: {
    origin: string;
    created_at: number;
    expires_at: number | null;
    /** Key of the page; null if the user paired it by hand. */
    key_id: string | null;
  };
}

const callers: NamedMigration = {
  name: 'gateway-0001-callers',
  up: async (db) => {
    await db.schema
      .createTable('gateway_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('salt', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('methods', 'text')
      .addColumn('rate', 'integer')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .addColumn('last_used_at', 'bigint')
      .execute();
    await db.schema
      .createTable('gateway_origins')
      .addColumn('origin', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};

const pairings: NamedMigration = {
  name: 'gateway-0002-pairings',
  up: async (db) => {
    await db.schema.alterTable('gateway_origins').addColumn('expires_at', 'bigint').execute();
    await db.schema.alterTable('gateway_origins').addColumn('key_id', 'text').execute();
  },
};

const bodyLimits: NamedMigration = {
  name: 'gateway-0003-body-limits',
  up: async (db) => {
    await db.schema.alterTable('gateway_keys').addColumn('body_bytes', 'integer').execute();
  },
};

const usage: NamedMigration = {
  name: 'gateway-0004-usage',
  up: async (db) => {
    await db.schema.alterTable('gateway_keys').addColumn('daily_calls', 'integer').execute();
    await db.schema
      .createTable('gateway_usage')
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('day', 'integer', (column) => column.notNull())
      .addColumn('calls', 'bigint', (column) => column.notNull())
      .addColumn('errors', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('gateway_usage_pk', ['key_id', 'day'])
      .execute();
  },
};

const lastMethods: NamedMigration = {
  name: 'gateway-0005-last-methods',
  up: async (db) => {
    await db.schema.alterTable('gateway_keys').addColumn('last_method', 'text').execute();
  },
};

/** The gateway's migrations of the application database. */
export const gatewayMigrations: readonly NamedMigration[] = [callers, pairings, bodyLimits, usage, lastMethods];

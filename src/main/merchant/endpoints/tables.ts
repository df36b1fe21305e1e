import { type Generated, sql } from 'kysely';
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
  /** The built-in endpoints that a person switched off. */
  miners_switched_off: { id: string };
  /** Prices and policies, each with the time over which it was offered. `offer` is JSON. */
  miner_quotes: { id: Generated<number>; miner_id: string; first_at: number; last_at: number; offer: string };
  miner_hours: HourRow;
}

export const endpointMigrations: readonly NamedMigration[] = [
  {
    name: 'miners-0001-endpoints',
    async up(db) {
      await sql`create table miner_endpoints (id text primary key, name text not null unique, kind text not null,
        url text not null, enabled integer not null, position integer not null, public_key text,
        created_at bigint not null)`.execute(db);
    },
  },
  {
    name: 'miners-0002-setup-and-history',
    async up(db) {
      await sql`alter table miner_endpoints add column key_style text not null default 'bearer'`.execute(db);
      await sql`create table miners_switched_off (id text primary key)`.execute(db);
      await sql`create table miner_quotes (id integer primary key autoincrement, miner_id text not null,
        first_at bigint not null, last_at bigint not null, offer text not null)`.execute(db);
      await db.schema.createIndex('miner_quotes_of').on('miner_quotes').columns(['miner_id', 'id']).execute();
      await sql`create table miner_hours (miner_id text not null, at bigint not null, succeeded integer not null,
        failed integer not null, total_ms real not null, slowest_ms real not null, constraint miner_hours_of primary key (miner_id, at))`.execute(
        db,
      );
    },
  },
];

import type { CreateTableBuilder } from 'kysely';
import { type Failure, type TokenJobState, tokenJobStates } from '../../contract/index.ts';

/** A job of one transaction, from the request to its block. `TokenJobState` names its states. */
export interface JobRow {
  id: string;
  network: string;
  idempotency_key: string;
  /** JSON of what was asked for. */
  request: string;
  /** `draft` while it is being built: coins may be held for it, nothing else happened. */
  state: TokenJobState;
  /** 1 when it stopped for good. */
  halted: number;
  failure: string | null;
  review: string | null;
  unsigned: string | null;
  /** Hex of the one signed transaction. */
  raw_tx: string | null;
  txid: string | null;
  block_hash: string | null;
  block_height: number | null;
  created_at: number;
  updated_at: number;
}

/** The columns of {@link JobRow}, for the migration of a table. */
export function jobColumns<Table extends string>(table: CreateTableBuilder<Table>, name: Table) {
  return table
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('idempotency_key', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('halted', 'integer', (column) => column.notNull())
    .addColumn('failure', 'text')
    .addColumn('review', 'text')
    .addColumn('unsigned', 'text')
    .addColumn('raw_tx', 'text')
    .addColumn('txid', 'text')
    .addColumn('block_hash', 'text')
    .addColumn('block_height', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint(`${name}_key`, ['network', 'idempotency_key']);
}

/** A job that was asked for and for which nothing has happened yet. */
export function newJob(job: Pick<JobRow, 'id' | 'network' | 'idempotency_key' | 'request'> & { now: number }): JobRow {
  const { now, ...asked } = job;
  return {
    ...asked,
    state: 'draft',
    halted: 0,
    failure: null,
    review: null,
    unsigned: null,
    raw_tx: null,
    txid: null,
    block_hash: null,
    block_height: null,
    created_at: now,
    updated_at: now,
  };
}

/** True where a job stopped for good. */
export function isHalted({ halted }: JobRow): boolean {
  return Number(halted) === 1;
}

/** True where the miner refused the signed transaction. */
export function isRefused(row: JobRow): boolean {
  return row.state === 'signed' && isHalted(row);
}

/** What the contract shows of every job. @param ok whether its review passed */
export function shownJob(row: JobRow, { ok }: { ok: boolean }) {
  const halted = isHalted(row);
  const awaitingApproval = row.state === 'reviewed' && !halted;
  return {
    id: row.id,
    state: row.state,
    awaitingApproval,
    active: !halted && tokenJobStates.is(row.state, 'followed'),
    canApprove: awaitingApproval && ok,
    canCancel: row.state === 'reviewed',
    canRetry: isRefused(row),
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
    txid: row.txid,
    blockHash: row.block_hash,
    blockHeight: row.block_height === null ? null : Number(row.block_height),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

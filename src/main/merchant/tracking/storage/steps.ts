import { type Kysely, sql } from 'kysely';
import { toHex } from '../../../../chain/index.ts';
import {
  type LastAnswer,
  MAX_LAST_ANSWERS,
  type TrackedTransaction,
  type TransactionEvent,
  type TransactionState,
} from '../../../../contract/index.ts';
import type { LightRow } from './rows.ts';
import type { TrackingTables } from './tables.ts';

/** What changes about a transaction in one step. */
export interface TransactionUpdate {
  readonly state?: TransactionState;
  /** The block that holds it or, if it is double-spent, the transaction that won. */
  readonly block?: { readonly hash: string; readonly height: number } | null;
  readonly reason?: TrackedTransaction['reason'];
  readonly doubleSpentBy?: string | null;
  /** Milliseconds since 1970; null for a transaction that is settled. */
  readonly dueAt?: number | null;
  readonly attempts?: number;
}

type NewEvent = Pick<TransactionEvent, 'kind' | 'text'> &
  Partial<Pick<TransactionEvent, 'state' | 'answer' | 'raw' | 'signature'>>;

/** A verified Merkle proof. */
export interface TransactionProof {
  /** BRC-74. */
  readonly bump: Uint8Array;
  /** The 80 bytes of the block's header. */
  readonly header: Uint8Array;
  readonly blockHash: string;
  readonly height: number;
}

/** A change and what the history says of it. */
export interface TransactionStep {
  readonly change: TransactionUpdate;
  readonly events: readonly NewEvent[];
  /** Null removes the stored one. */
  readonly proof?: TransactionProof | null;
}

/** A line of the history of the transaction with this row id. */
export interface StoredEvent {
  readonly id: number;
  readonly at: number;
  readonly event: NewEvent;
}

type Db = Kysely<TrackingTables>;

/** Columns of what a change names; the others stay. */
export function columnsOf(change: TransactionUpdate): Partial<LightRow> {
  const { state, block, reason, doubleSpentBy, dueAt, attempts } = change;
  return {
    ...(state !== undefined && { state }),
    ...(block !== undefined && { block_hash: block?.hash ?? null, block_height: block?.height ?? null }),
    ...(reason !== undefined && { reason: reason && JSON.stringify(reason) }),
    ...(doubleSpentBy !== undefined && { double_spent_by: doubleSpentBy }),
    ...(dueAt !== undefined && { due_at: dueAt }),
    ...(attempts !== undefined && { attempts }),
  };
}

/** The last answers of a transaction after further ones. Those of the first miners stay where there are too many. */
export function withAnswers(before: readonly LastAnswer[], events: readonly NewEvent[]): LastAnswer[] {
  const byMiner = new Map(before.map((answer) => [answer.minerId, answer]));
  for (const { answer } of events) {
    if (!answer) continue;
    const { minerId, name, status, accepted } = answer;
    byMiner.set(minerId, { minerId, name, status, accepted });
  }
  return [...byMiner.values()].slice(0, MAX_LAST_ANSWERS);
}

/** Writes every column that a step may change, for all rows by one statement. */
export async function updateRows(db: Db, rows: readonly LightRow[]): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map((row) => [
    row.id,
    row.state,
    row.block_hash,
    row.block_height,
    row.reason,
    row.double_spent_by,
    row.due_at,
    row.attempts,
    row.updated_at,
    row.answers,
  ]);
  await sql`update transactions set state = new.value ->> 1, block_hash = new.value ->> 2, block_height = new.value ->> 3,
    reason = new.value ->> 4, double_spent_by = new.value ->> 5, due_at = new.value ->> 6, attempts = new.value ->> 7,
    updated_at = new.value ->> 8, answers = new.value ->> 9
    from json_each(${JSON.stringify(values)}) as new where transactions.id = new.value ->> 0`.execute(db);
}

/** Adds lines to histories, in order, by one statement. */
export async function insertEvents(db: Db, events: readonly StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  const values = events.map(({ id, at, event: { kind, text, state, answer, raw, signature } }) => [
    id,
    at,
    kind,
    state ?? null,
    text,
    answer ? JSON.stringify(answer) : null,
    raw ?? null,
    signature ?? null,
  ]);
  await sql`insert into transaction_events (transaction_id, at, kind, state, text, answer, raw, signature)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
    from json_each(${JSON.stringify(values)})`.execute(db);
}

/** Stores or removes proofs. */
export async function writeProofs(
  db: Db,
  proofs: readonly { readonly id: number; readonly proof: TransactionProof | null }[],
): Promise<void> {
  if (proofs.length === 0) return;
  const ids = JSON.stringify(proofs.map(({ id }) => id));
  await sql`delete from transaction_proofs where transaction_id in (select value from json_each(${ids}))`.execute(db);
  const values = proofs.flatMap(({ id, proof }) =>
    proof === null ? [] : [[id, toHex(proof.bump), toHex(proof.header), proof.blockHash, proof.height]],
  );
  if (values.length === 0) return;
  await sql`insert into transaction_proofs (transaction_id, bump, header, block_hash, height)
    select value ->> 0, unhex(value ->> 1), unhex(value ->> 2), value ->> 3, value ->> 4
    from json_each(${JSON.stringify(values)})`.execute(db);
}

import type Database from 'better-sqlite3';
import {
  type LastAnswer,
  MAX_LAST_ANSWERS,
  phraseText,
  type TrackedTransaction,
  type TransactionEvent,
  type TransactionState,
} from '../../../../contract/index.ts';
import type { VerifiedProof } from '../../../ports/headers.ts';
import type { LightRow } from './rows.ts';

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

type NewEvent = Pick<TransactionEvent, 'kind'> &
  Partial<Pick<TransactionEvent, 'sentence' | 'state' | 'answer' | 'raw' | 'signature'>>;

/** A change and what the history says of it. */
export interface TransactionStep {
  readonly change: TransactionUpdate;
  readonly events: readonly NewEvent[];
  /** Null removes the stored one. */
  readonly proof?: VerifiedProof | null;
}

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

/** What is written of one step, with the row id of its transaction. */
export interface WrittenStep {
  /** The row after the step. */
  readonly row: LightRow;
  readonly events: readonly NewEvent[];
  readonly proof?: VerifiedProof | null | undefined;
}

/**
 * Writes steps by prepared statements, one row at a time: a list handed over as JSON is read again for each of its values. Used while a
 * transaction of the query builder is open on the same connection.
 */
export class StepWriter {
  readonly #update: Database.Statement<unknown[]>;
  readonly #insertEvent: Database.Statement<unknown[]>;
  readonly #insertProof: Database.Statement<unknown[]>;
  readonly #deleteProof: Database.Statement<unknown[]>;

  /** @param sqlite opened with `trackingMigrations` */
  constructor(sqlite: Database.Database) {
    this.#update = sqlite.prepare(`update transactions set state = ?, block_hash = ?, block_height = ?, reason = ?,
      double_spent_by = ?, due_at = ?, attempts = ?, updated_at = ?, answers = ? where id = ?`);
    this.#insertEvent = sqlite.prepare(`insert into transaction_events
      (transaction_id, at, kind, state, text, sentence, answer, raw, signature) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#insertProof = sqlite.prepare(
      'insert or replace into transaction_proofs (transaction_id, bump, header, block_hash, height) values (?, ?, ?, ?, ?)',
    );
    this.#deleteProof = sqlite.prepare('delete from transaction_proofs where transaction_id = ?');
  }

  /** Writes every column that a step may change, its lines of history and its proof. */
  write({ row, events, proof }: WrittenStep): void {
    const { id, state, block_hash: hash, block_height: height, reason, double_spent_by: rival } = row;
    this.#update.run(state, hash, height, reason, rival, row.due_at, row.attempts, row.updated_at, row.answers, id);
    this.addEvents(id, row.updated_at, events);
    if (proof) this.#insertProof.run(id, proof.bump, proof.header, proof.blockHash, proof.height);
    else if (proof === null) this.#deleteProof.run(id);
  }

  /** Adds lines to a history, in order. @param id row id of the transaction */
  addEvents(id: number, at: number, events: readonly NewEvent[]): void {
    for (const { kind, sentence, state, answer, raw, signature } of events)
      this.#insertEvent.run(
        id,
        at,
        kind,
        state ?? null,
        sentence ? phraseText(sentence) : '',
        sentence ? JSON.stringify(sentence) : null,
        answer ? JSON.stringify(answer) : null,
        raw ?? null,
        signature ?? null,
      );
  }
}

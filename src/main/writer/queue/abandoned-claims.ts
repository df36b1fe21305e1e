import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { among } from '../storage/sql-lists.ts';
import type { Dialect, WriteState } from '../storage/tables.ts';

/** Claims of this process whose work broke off before what became of it was journalled, by the state of their rows. */
export class AbandonedClaims {
  readonly #dialect: Dialect;
  readonly #claims = new Map<WriteState, Set<string>>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Nobody works on these rows any more. Those whose claim ended meanwhile are left as they are. */
  add(rows: readonly { readonly state: WriteState; readonly claim: string | null }[]): void {
    for (const { state, claim } of rows) {
      const claims = this.#claims.get(state) ?? new Set();
      if (claim !== null) this.#claims.set(state, claims.add(claim));
    }
  }

  /** Rows of a state that are due, or were abandoned. @param now milliseconds */
  orDue(state: WriteState, now: number): RawBuilder<SqlBool> {
    const claims = [...(this.#claims.get(state) ?? [])];
    const due = sql<SqlBool>`next_attempt_at <= ${now}`;
    return claims.length === 0 ? due : sql<SqlBool>`(${due} or ${among(this.#dialect, 'claim', claims)})`;
  }

  /** All such rows of a state were claimed anew, which is journalled. */
  allTaken(state: WriteState): void {
    this.#claims.delete(state);
  }
}

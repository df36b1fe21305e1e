import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import {
  type ApprovalKind,
  LONGEST_PERMISSION_MS,
  type Permission,
  PlanchetError,
  type Remember,
} from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import type { ApprovalRequest } from '../ports/approvals.ts';
import type { Clock } from '../ports/clock.ts';
import type { ApprovalTables } from './tables.ts';

const DAY_MS = 86_400_000;
/** Expired permissions are listed for so long, so that a person sees why a program asks again. */
const KEPT_MS = 7 * DAY_MS;

type Row = ApprovalTables['approval_permissions'];

/** What programs may do without being asked again, in memory and in the database. */
export class Permissions {
  readonly #db: Kysely<ApprovalTables>;
  readonly #clock: Clock;
  readonly #rows: Map<string, Row>;
  /** Runs one after the other, so that each permission replaces the one before. */
  readonly #remembering = new Sequencer();

  private constructor(db: Kysely<ApprovalTables>, clock: Clock, rows: Row[]) {
    this.#db = db;
    this.#clock = clock;
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  static async open(db: Kysely<ApprovalTables>, clock: Clock): Promise<Permissions> {
    await db
      .deleteFrom('approval_permissions')
      .where('expires_at', '<', clock.now() - KEPT_MS)
      .execute();
    return new Permissions(db, clock, await joined(db, dayOf(clock.now())));
  }

  list(): Permission[] {
    const day = dayOf(this.#clock.now());
    return [...this.#rows.values()].map((row) => ({
      id: row.id,
      kind: row.kind as ApprovalKind,
      program: row.program,
      method: row.method,
      mostEach: row.most_each,
      mostPerDay: row.most_per_day,
      usedToday: usedOn(day, row),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    }));
  }

  /** Uses a permission that covers the request. What is used is written down before this resolves. @returns whether there is one */
  async use({ kind, program, method, amount, feeUnknown }: ApprovalRequest): Promise<boolean> {
    if (feeUnknown) return false;
    const now = this.#clock.now();
    const day = dayOf(now);
    const row = [...this.#rows.values()].find((one) => {
      const used = usedOn(day, one);
      const isItsOwn = one.kind === kind && one.program_id === program.id && one.method === method;
      return isItsOwn && one.expires_at > now && amount <= one.most_each && used + amount <= one.most_per_day;
    });
    if (row === undefined) return false;
    // In memory first, so that two requests cannot use the same rest.
    row.used = usedOn(day, row) + amount;
    row.used_day = Math.max(day, row.used_day);
    row.last_used_at = now;
    const { id, used, used_day, last_used_at } = row;
    await this.#db
      .updateTable('approval_permissions')
      .set({ used, used_day, last_used_at })
      .where('id', '=', id)
      .execute();
    return this.#rows.has(id);
  }

  /** @throws PlanchetError `invalid-input` for limits or an end that make no sense */
  check({ mostEach, mostPerDay, expiresAt }: Remember): void {
    const now = this.#clock.now();
    if (expiresAt <= now || expiresAt > now + LONGEST_PERMISSION_MS)
      throw new PlanchetError('approvals.end-invalid', {}, { detail: { field: 'expiresAt' } });
    if (mostPerDay < mostEach)
      throw new PlanchetError('approvals.limits-crossed', {}, { detail: { field: 'mostPerDay' } });
  }

  /** Stores a permission in place of the program's earlier one for the same command. The request it was given with counts as used. */
  remember(request: ApprovalRequest, remember: Remember): Promise<void> {
    return this.#remembering.run(() => this.#remember(request, remember));
  }

  async #remember({ kind, program, method, amount }: ApprovalRequest, remember: Remember): Promise<void> {
    this.check(remember);
    const now = this.#clock.now();
    const earlier = [...this.#rows.values()].filter(
      (row) => row.kind === kind && row.program_id === program.id && row.method === method,
    );
    const row: Row = {
      id: randomUUID(),
      kind,
      program_id: program.id,
      program: program.name,
      method,
      most_each: remember.mostEach,
      most_per_day: remember.mostPerDay,
      used_day: dayOf(now),
      used: amount,
      created_at: now,
      expires_at: remember.expiresAt,
      last_used_at: now,
    };
    await this.#db.transaction().execute(async (db) => {
      for (const { id } of earlier) await db.deleteFrom('approval_permissions').where('id', '=', id).execute();
      await db.insertInto('approval_permissions').values(row).execute();
    });
    for (const { id } of earlier) this.#rows.delete(id);
    this.#rows.set(row.id, row);
  }

  /** @throws PlanchetError `not-found` */
  async revoke(id: string): Promise<void> {
    const row = this.#rows.get(id);
    if (row === undefined) throw new PlanchetError('approvals.permission-missing');
    // In memory first, so that it is not used while the disk is written.
    this.#rows.delete(id);
    try {
      await this.#db.deleteFrom('approval_permissions').where('id', '=', id).execute();
    } catch (error) {
      // After a restart it would be there again, so it stays to be revoked.
      this.#rows.set(id, row);
      throw error;
    }
  }
}

/**
 * The permissions, one for each program and command. Earlier versions could write several that were given at the same moment: the newest
 * stays, with what was used of all.
 */
function joined(db: Kysely<ApprovalTables>, day: number): Promise<Row[]> {
  return db.transaction().execute(async (transaction) => {
    const rows = await transaction
      .selectFrom('approval_permissions')
      .selectAll()
      .orderBy('created_at', 'desc')
      .execute();
    const newest = new Map<string, Row>();
    for (const row of rows) {
      const key = JSON.stringify([row.kind, row.program_id, row.method]);
      const kept = newest.get(key);
      newest.set(key, kept ?? row);
      if (kept === undefined) continue;
      kept.used = usedOn(day, kept) + usedOn(day, row);
      kept.used_day = Math.max(day, kept.used_day, row.used_day);
      const { id, used, used_day } = kept;
      await transaction.updateTable('approval_permissions').set({ used, used_day }).where('id', '=', id).execute();
      await transaction.deleteFrom('approval_permissions').where('id', '=', row.id).execute();
    }
    return [...newest.values()];
  });
}

/** Where the clock was put back, what was used on a later day counts: otherwise that would give each day's limit anew. */
function usedOn(day: number, { used_day: usedDay, used }: Row): number {
  return usedDay >= day ? used : 0;
}

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

import { type Insertable, sql, type Transaction } from 'kysely';
import { type ItemChange, PlanchetError } from '../../../../contract/index.ts';
import { chunks } from '../../../chunks.ts';
import type { QuietParts } from '../../parts.ts';
import type { ItemRow, StudioTables } from '../../tables.ts';
import type { Bin } from './bin.ts';

/** Changes of a project that can be taken back, the newest first. */
const KEPT_CHANGES = 50;
/** Most items in those changes, not counting the newest change. */
const KEPT_ITEMS = 100_000;
/** Additions within this time of each other are one change: the files of one drop come one after the other. */
const TOGETHER_MS = 10_000;

type Db = Transaction<StudioTables>;

/** What an item was before: the whole row if it was removed, the changed columns, or null if it did not exist. */
export interface Before {
  readonly id: string;
  readonly before: Partial<ItemRow> | null;
}

/** The entry of an item that did not exist before. */
export const absent = ({ id }: Pick<ItemRow, 'id'>): Before => ({ id, before: null });

/**
 * The last changes of each project's drafts, in the database: all undo in the studio goes through it, however old the change is.
 * Each is written in the transaction that makes the change.
 */
export class ChangeLog {
  readonly #options: QuietParts & { readonly bin: Bin };

  constructor(options: QuietParts & { readonly bin: Bin }) {
    this.#options = options;
  }

  /** @param entries what the changed items were before */
  async record(db: Db, projectUid: string, what: ItemChange['what'], entries: readonly Before[]): Promise<void> {
    if (entries.length === 0) return;
    const { network, clock } = this.#options;
    const at = clock.now();
    const last = await this.#newest(db, projectUid);
    const isSame = what === 'added' && last?.what === what && at - Number(last.changed_at) < TOGETHER_MS;
    const seq = isSame ? last.seq : await this.#begin(db, { network, project_uid: projectUid, what, changed_at: at });
    for (const some of chunks(entries, 500)) {
      await db
        .insertInto('studio_change_items')
        .values(
          some.map(({ id, before }) => ({
            seq,
            item_id: id,
            sha256: before?.sha256 ?? null,
            before: before === null ? null : JSON.stringify(before),
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    await db
      .updateTable('studio_changes')
      .set((eb) => ({ items: eb('items', '+', entries.length), changed_at: at }))
      .where('seq', '=', seq)
      .execute();
    await this.#prune(db, projectUid);
  }

  async #begin(
    db: Db,
    change: Pick<StudioTables['studio_changes'], 'network' | 'project_uid' | 'what' | 'changed_at'>,
  ): Promise<number> {
    const { seq } = await db
      .insertInto('studio_changes')
      .values({ ...change, items: 0 } as Insertable<StudioTables['studio_changes']>)
      .returning('seq')
      .executeTakeFirstOrThrow();
    return seq;
  }

  /** The change that is taken back next; null where there is none. */
  async last(projectUid: string): Promise<ItemChange | null> {
    const change = await this.#options.store.db.transaction().execute((db) => this.#newest(db, projectUid));
    return change === undefined ? null : toChange(change);
  }

  /**
   * Takes the last change of a project back. Changes of items that entered a mint since are skipped: they can no longer be undone.
   * @throws PlanchetError `not-found` where nothing is left to take back
   */
  undo(projectUid: string): Promise<{ change: ItemChange; gone: string[] }> {
    return this.#options.store.db.transaction().execute(async (db) => {
      for (;;) {
        const change = await this.#newest(db, projectUid);
        if (change === undefined) throw new PlanchetError('mint.nothing-to-undo');
        const entries = await db
          .selectFrom('studio_change_items')
          .select(['item_id', 'before'])
          .where('seq', '=', change.seq)
          .execute();
        await forget(db, [change]);
        const read = entries.map(({ item_id, before }) => ({
          id: item_id,
          before: before === null ? null : (JSON.parse(before) as Partial<ItemRow>),
        }));
        if (!(await this.#isPossible(db, read))) continue;
        const gone: string[] = [];
        for (const entry of read) if (await this.#restore(db, entry)) gone.push(entry.id);
        return { change: toChange(change), gone };
      }
    });
  }

  async #isPossible(db: Db, entries: readonly Before[]): Promise<boolean> {
    for (const { id, before } of entries) {
      const row = await db
        .selectFrom('studio_items')
        .select(['state', 'job_id'])
        .where('id', '=', id)
        .where('network', '=', this.#options.network)
        .executeTakeFirst();
      const isDraft = row?.state === 'draft' && row.job_id === null;
      if (isRow(before) ? row !== undefined : !isDraft) return false;
    }
    return true;
  }

  /** @returns whether the item is gone by it */
  async #restore(db: Db, { id, before }: Before): Promise<boolean> {
    const { bin } = this.#options;
    if (before === null) {
      await bin.put(db, id);
      return true;
    }
    if (isRow(before)) await bin.takeOut(db, before);
    else await db.updateTable('studio_items').set(before).where('id', '=', id).execute();
    return false;
  }

  /** Deletes the removals of a project, whose drafts are deleted for good. */
  async forgetRemovals(db: Db, projectUid: string): Promise<void> {
    const changes = await db
      .selectFrom('studio_changes')
      .select('seq')
      .where('network', '=', this.#options.network)
      .where('project_uid', '=', projectUid)
      .where('what', '=', 'removed')
      .execute();
    await forget(db, changes);
  }

  #newest(db: Db, projectUid: string) {
    return db
      .selectFrom('studio_changes')
      .selectAll()
      .where('network', '=', this.#options.network)
      .where('project_uid', '=', projectUid)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  async #prune(db: Db, projectUid: string): Promise<void> {
    const { rows } = await sql<{ seq: number }>`
      select seq from (
        select seq, row_number() over newest as place, sum(items) over newest as total
        from studio_changes where network = ${this.#options.network} and project_uid = ${projectUid}
        window newest as (order by seq desc)
      ) where place > ${KEPT_CHANGES} or (place > 1 and total > ${KEPT_ITEMS})`.execute(db);
    await forget(db, rows);
  }
}

async function forget(db: Db, changes: readonly { seq: number }[]): Promise<void> {
  for (const { seq } of changes) {
    await db.deleteFrom('studio_change_items').where('seq', '=', seq).execute();
    await db.deleteFrom('studio_changes').where('seq', '=', seq).execute();
  }
}

/** Whether it is a whole row, of an item that was removed. */
function isRow(before: Before['before']): before is ItemRow {
  return before?.network !== undefined;
}

function toChange({ what, items, changed_at }: StudioTables['studio_changes']): ItemChange {
  return { what: what as ItemChange['what'], items: Number(items), at: Number(changed_at) };
}

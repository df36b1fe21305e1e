import type { Insertable, Transaction } from 'kysely';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { ItemRow, StudioTables } from '../tables.ts';

/** The page offers it for ten seconds after the last of them is removed, and thousands take minutes. */
const KEPT_MS = 600_000;

/** Drafts that were removed a moment ago and can be put back as they were, also after a restart. */
export class RemovedItems {
  readonly #options: { network: Network; store: Store<StudioTables>; clock: Clock };

  constructor(options: { network: Network; store: Store<StudioTables>; clock: Clock }) {
    this.#options = options;
  }

  /** Keeps a row in the transaction that removes it, and forgets those whose time is over. */
  async keep(db: Transaction<StudioTables>, row: ItemRow): Promise<void> {
    const { network, clock } = this.#options;
    const now = clock.now();
    await db
      .deleteFrom('studio_removed_items')
      .where('removed_at', '<', now - KEPT_MS)
      .execute();
    const { id, sha256 } = row;
    const kept = { sha256, row: JSON.stringify(row), removed_at: now };
    await db
      .insertInto('studio_removed_items')
      .values({ id, network, ...kept })
      // An upload that is tried again makes the draft anew under its own id.
      .onConflict((conflict) => conflict.column('id').doUpdateSet(kept))
      .execute();
  }

  /**
   * Puts all of them back where they were, or none.
   * @returns the projects they belong to
   * @throws PlanchetError `not-found` if one was removed too long ago or is back already
   */
  restore(ids: readonly string[]): Promise<string[]> {
    const { network, store, clock } = this.#options;
    return store.db.transaction().execute(async (db) => {
      const projects = new Set<string>();
      for (const id of ids) {
        const kept = await db
          .deleteFrom('studio_removed_items')
          .where('id', '=', id)
          .where('network', '=', network)
          .where('removed_at', '>=', clock.now() - KEPT_MS)
          .returning('row')
          .executeTakeFirst();
        if (kept === undefined) throw new PlanchetError('mint.removed-item-gone');
        const row = JSON.parse(kept.row) as ItemRow;
        const result = await db
          .insertInto('studio_items')
          .values({ ...row, sub_type: await subTypeOf(db, row) } as Insertable<ItemRow>)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if (Number(result.numInsertedOrUpdatedRows ?? 0) === 0) throw new PlanchetError('mint.removed-item-gone');
        projects.add(row.project_uid);
      }
      return [...projects];
    });
  }
}

/** A project has one collection token: where another took its place meanwhile, this one is an item of it. */
async function subTypeOf(db: Transaction<StudioTables>, row: ItemRow): Promise<string> {
  if (row.sub_type !== 'collection') return row.sub_type;
  const other = await db
    .selectFrom('studio_items')
    .select('id')
    .where('network', '=', row.network)
    .where('project_uid', '=', row.project_uid)
    .where('sub_type', '=', 'collection')
    .executeTakeFirst();
  return other === undefined ? row.sub_type : 'collectionItem';
}

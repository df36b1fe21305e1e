import type { Insertable, Transaction } from 'kysely';
import { type Item, PlanchetError, type RemovedItem } from '../../../../contract/index.ts';
import type { QuietParts } from '../../parts.ts';
import type { ItemRow, StudioTables } from '../../tables.ts';
import { toItem } from '../item-rows.ts';

type Db = Transaction<StudioTables>;

/** Drafts that were removed. They stay in the bin, with their files, until a person restores them or empties it. */
export class Bin {
  readonly #options: QuietParts;

  constructor(options: QuietParts) {
    this.#options = options;
  }

  /** Newest first. @param limit drafts, at most */
  async list(projectUid: string, limit: number): Promise<RemovedItem[]> {
    const rows = await this.#of(projectUid).selectAll().orderBy('removed_at', 'desc').limit(limit).execute();
    return rows.map(({ row, removed_at }) => ({
      item: toItem(JSON.parse(row) as ItemRow),
      removedAt: Number(removed_at),
    }));
  }

  async count(projectUid: string): Promise<number> {
    const { count } = await this.#of(projectUid)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  #of(projectUid: string) {
    const { network, store } = this.#options;
    return store.db
      .selectFrom('studio_removed_items')
      .where('network', '=', network)
      .where('project_uid', '=', projectUid);
  }

  /** Moves an item here. @returns the item as it was */
  async put(db: Db, id: string): Promise<ItemRow> {
    const { network, clock } = this.#options;
    const row = await db
      .deleteFrom('studio_items')
      .where('id', '=', id)
      .where('network', '=', network)
      .returningAll()
      .executeTakeFirstOrThrow(() => new PlanchetError('mint.item-missing'));
    const { sha256, project_uid } = row;
    const kept = { sha256, project_uid, row: JSON.stringify(row), removed_at: clock.now() };
    await db
      .insertInto('studio_removed_items')
      .values({ id, network, ...kept })
      // An upload that is tried again makes a draft with the same id.
      .onConflict((conflict) => conflict.column('id').doUpdateSet(kept))
      .execute();
    return row;
  }

  /** Makes an item of its row again, whether it is in the bin or not. */
  async takeOut(db: Db, row: ItemRow): Promise<void> {
    await db.deleteFrom('studio_removed_items').where('id', '=', row.id).execute();
    const result = await db
      .insertInto('studio_items')
      .values({ ...row, sub_type: await subTypeOf(db, row) } as Insertable<ItemRow>)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    if (Number(result.numInsertedOrUpdatedRows ?? 0) === 0) throw new PlanchetError('mint.removed-item-gone');
  }

  /** The row of a draft in the bin. @throws PlanchetError `not-found` if it is back already, or the bin was emptied */
  async row(db: Db, id: string): Promise<ItemRow> {
    const { row } = await db
      .selectFrom('studio_removed_items')
      .select('row')
      .where('id', '=', id)
      .where('network', '=', this.#options.network)
      .executeTakeFirstOrThrow(() => new PlanchetError('mint.removed-item-gone'));
    return JSON.parse(row) as ItemRow;
  }

  /** Forgets the removed drafts of a project for good. */
  async empty(db: Db, projectUid: string): Promise<void> {
    await db
      .deleteFrom('studio_removed_items')
      .where('network', '=', this.#options.network)
      .where('project_uid', '=', projectUid)
      .execute();
  }
}

/** A project has one collection token: if it has another by now, this one becomes an item of the collection. */
async function subTypeOf(db: Db, row: ItemRow): Promise<Item['subType']> {
  const own = row.sub_type as Item['subType'];
  if (own !== 'collection') return own;
  const other = await db
    .selectFrom('studio_items')
    .select('id')
    .where('network', '=', row.network)
    .where('project_uid', '=', row.project_uid)
    .where('sub_type', '=', 'collection')
    .executeTakeFirst();
  return other === undefined ? own : 'collectionItem';
}

import type { Transaction } from 'kysely';
import { type Item, type ItemMetadata, type Network, PlanchetError } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import type { StudioTables } from '../tables.ts';
import { computeCollection } from './collection.ts';
import { type ItemStore, mergedMetadata, metadataOf, toItem } from './items.ts';
import { checkedMetadata } from './metadata.ts';

export interface MetadataChange {
  readonly id: string;
  readonly metadata: ItemMetadata;
}

/** Changes to several drafts of a project at once: their metadata, their order, and what is computed over all of them. */
export class ItemChanges {
  readonly #network: Network;
  readonly #store: Store<StudioTables>;
  readonly #items: ItemStore;

  constructor(options: { network: Network; store: Store<StudioTables>; items: ItemStore }) {
    this.#network = options.network;
    this.#store = options.store;
    this.#items = options.items;
  }

  /**
   * All of them or none. What depends on the whole collection is computed again.
   * @returns the items in the order of the changes
   * @throws PlanchetError `not-found` | `conflict` (no longer a draft, or a mint number twice) | `metadata-invalid`
   */
  async update(changes: readonly MetadataChange[]): Promise<Item[]> {
    const checked = changes.map(({ id, metadata }) => ({ id, metadata: checkedMetadata(metadata) }));
    const projects = new Set<string>();
    await this.#store.db.transaction().execute(async (db) => {
      for (const { id, metadata } of checked) {
        const row = await this.#draft(db, id);
        projects.add(row.project_uid);
        await this.#write(db, id, mergedMetadata(metadataOf(row), metadata));
      }
      for (const projectUid of projects) await this.#requireOwnNumbers(db, projectUid);
    });
    for (const projectUid of projects) await this.recompute(projectUid);
    return (await this.#items.rows(checked.map(({ id }) => id))).map(toItem);
  }

  /**
   * Puts drafts in this order; the places they have together stay theirs. A collection token is first and stays there.
   * @param renumber gives the drafts with a mint number the same numbers again, in the new order
   * @throws PlanchetError `not-found` | `conflict` (no longer a draft)
   */
  async reorder(projectUid: string, ids: readonly string[], renumber: boolean): Promise<void> {
    await this.#store.db.transaction().execute(async (db) => {
      const rows = [];
      for (const id of new Set(ids)) {
        const row = await this.#draft(db, id);
        if (row.project_uid !== projectUid) throw new PlanchetError('mint.item-missing');
        if (row.sub_type !== 'collection') rows.push(row);
      }
      const places = rows.map(({ position }) => position).sort((a, b) => a - b);
      const numbers = rows.flatMap((row) => metadataOf(row).mintNumber ?? []).sort((a, b) => a - b);
      for (const [index, row] of rows.entries()) {
        const position = places[index] as number;
        if (position !== row.position)
          await db.updateTable('studio_items').set({ position }).where('id', '=', row.id).execute();
        const metadata = metadataOf(row);
        if (!renumber || metadata.mintNumber === undefined) continue;
        const mintNumber = numbers.shift() as number;
        if (mintNumber !== metadata.mintNumber) await this.#write(db, row.id, { ...metadata, mintNumber });
      }
    });
    // Equal ranks are in the order of the numbers.
    if (renumber) await this.recompute(projectUid);
  }

  /** Brings what is computed over a whole collection up to date in its drafts. Collections without mint numbers have nothing of it. */
  async recompute(projectUid: string): Promise<void> {
    const all = await this.#items.list(projectUid);
    const members = all.filter(({ subType }) => subType === 'collectionItem');
    if (!members.some(({ metadata }) => metadata.mintNumber !== undefined)) return;
    const { items, collection } = computeCollection(members.map(({ metadata }) => metadata));
    const changes = members.map(({ id }, index) => ({ id, metadata: items[index] as ItemMetadata }));
    const token = all.find(({ subType }) => subType === 'collection');
    if (token !== undefined) changes.push({ id: token.id, metadata: { ...token.metadata, collection } });
    const before = new Map(all.map(({ id, metadata }) => [id, JSON.stringify(metadata)]));
    await this.#items.refreshDrafts(changes.filter(({ id, metadata }) => JSON.stringify(metadata) !== before.get(id)));
  }

  async #requireOwnNumbers(db: Transaction<StudioTables>, projectUid: string): Promise<void> {
    const rows = await db
      .selectFrom('studio_items')
      .select('metadata')
      .where('network', '=', this.#network)
      .where('project_uid', '=', projectUid)
      .execute();
    const numbers = new Set<number>();
    for (const { metadata } of rows) {
      const { mintNumber } = JSON.parse(metadata) as ItemMetadata;
      if (mintNumber === undefined) continue;
      if (numbers.has(mintNumber)) throw new PlanchetError('mint.number-taken', { number: mintNumber });
      numbers.add(mintNumber);
    }
  }

  async #draft(db: Transaction<StudioTables>, id: string) {
    const row = await db
      .selectFrom('studio_items')
      .selectAll()
      .where('network', '=', this.#network)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new PlanchetError('mint.item-missing');
    if (row.state !== 'draft' || row.job_id !== null) throw new PlanchetError('mint.item-in-mint');
    return row;
  }

  async #write(db: Transaction<StudioTables>, id: string, metadata: ItemMetadata): Promise<void> {
    await db
      .updateTable('studio_items')
      .set({ metadata: JSON.stringify(metadata) })
      .where('id', '=', id)
      .execute();
  }
}

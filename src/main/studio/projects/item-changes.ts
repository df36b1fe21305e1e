import type { Transaction } from 'kysely';
import { type Item, type ItemMetadata, type Network, PlanchetError } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Store } from '../../ports/store.ts';
import type { StudioTables } from '../tables.ts';
import { type ComputedChange, changesOf } from './collection.ts';
import { type ItemStore, mergedMetadata, metadataOf, toItem } from './items.ts';
import { checkedMetadata, checkRoyalties } from './metadata.ts';

export interface MetadataChange {
  readonly id: string;
  readonly metadata: ItemMetadata;
}

/** Changes to several drafts of a project at once: their metadata, their order, and what is computed over all of them. */
export class ItemChanges {
  readonly #network: Network;
  readonly #store: Store<StudioTables>;
  readonly #items: ItemStore;
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #turns = new Sequencer();

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
    for (const { metadata } of checked) checkRoyalties(metadata.royalties, this.#network);
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
  recompute(projectUid: string): Promise<void> {
    // Whoever asks while one runs is served by the next, so that many removals compute it twice and not each time.
    let next = this.#waiting.get(projectUid);
    if (next === undefined) {
      next = this.#turns.run(() => {
        this.#waiting.delete(projectUid);
        return this.#recompute(projectUid);
      });
      this.#waiting.set(projectUid, next);
    }
    return next;
  }

  /**
   * Writes what was computed elsewhere over a whole collection, all of it or none.
   * @returns whether each item is still what it was computed from; the others are left
   */
  async writeComputed(changes: readonly ComputedChange[]): Promise<boolean> {
    const checked = changes.map((change) => ({
      ...change,
      metadata: JSON.stringify(checkedMetadata(change.metadata)),
    }));
    return this.#store.db.transaction().execute(async (db) => {
      let written = 0n;
      for (const { id, before, metadata } of checked) {
        const { numUpdatedRows } = await db
          .updateTable('studio_items')
          .set({ metadata })
          .where('id', '=', id)
          .where('metadata', '=', before)
          .where('state', '=', 'draft')
          .where('job_id', 'is', null)
          .executeTakeFirst();
        written += numUpdatedRows;
      }
      return written === BigInt(checked.length);
    });
  }

  /** In one transaction, so that no change of a person in between is written over. */
  #recompute(projectUid: string): Promise<void> {
    return this.#store.db.transaction().execute(async (db) => {
      const rows = await db
        .selectFrom('studio_items')
        .select(['id', 'sub_type', 'metadata', 'state', 'job_id'])
        .where('network', '=', this.#network)
        .where('project_uid', '=', projectUid)
        .orderBy('position')
        .execute();
      for (const { id, metadata } of changesOf(rows)) await this.#write(db, id, checkedMetadata(metadata));
    });
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

import type { Transaction } from 'kysely';
import {
  type FileInfo,
  type Item,
  type ItemChange,
  type ItemMetadata,
  PlanchetError,
  type Project,
} from '../../../../contract/index.ts';
import { Sequencer } from '../../../async/sequencer.ts';
import type { QuietParts } from '../../parts.ts';
import type { ItemRow, StudioTables } from '../../tables.ts';
import { type ComputedChange, changesOf } from '../collection.ts';
import { fileOf, mergedMetadata, metadataOf, toItem } from '../item-rows.ts';
import type { ItemStore } from '../items.ts';
import { checkedMetadata, checkRoyalties } from '../metadata.ts';
import { absent, type Before, type ChangeLog } from './change-log.ts';
import { numberedCopies } from './copies.ts';
import { insertDrafts } from './draft-rows.ts';

export interface MetadataChange {
  readonly id: string;
  readonly metadata: ItemMetadata;
}

interface ItemChangesOptions extends QuietParts {
  readonly items: ItemStore;
  readonly log: ChangeLog;
}

/** Changes to several drafts of a project at once: their metadata, their order, and what is computed over all of them. */
export class ItemChanges {
  readonly #options: ItemChangesOptions;
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #sequencer = new Sequencer();

  constructor(options: ItemChangesOptions) {
    this.#options = options;
  }

  /**
   * All of them or none. What depends on the whole collection is computed again.
   * @returns the items in the order of the changes
   * @throws PlanchetError `not-found` | `conflict` (no longer a draft, or a mint number twice) | `metadata-invalid`
   */
  async update(changes: readonly MetadataChange[]): Promise<Item[]> {
    const checked = changes.map(({ id, metadata }) => ({ id, metadata: checkedMetadata(metadata) }));
    for (const { metadata } of checked) checkRoyalties(metadata.royalties, this.#options.network);
    const projects = new Set<string>();
    await this.#options.store.db.transaction().execute(async (db) => {
      const rows = [];
      for (const { id, metadata } of checked) {
        const row = await this.#options.items.draft(db, id);
        rows.push(row);
        projects.add(row.project_uid);
        await this.#write(db, id, mergedMetadata(metadataOf(row), metadata));
      }
      for (const projectUid of projects) await this.#requireOwnNumbers(db, projectUid);
      await this.#record(db, 'edited', rows, ({ metadata }) => ({ metadata }));
    });
    for (const projectUid of projects) await this.recompute(projectUid);
    return (await this.#options.items.rows(checked.map(({ id }) => id))).map(toItem);
  }

  /**
   * Puts drafts in this order, within the positions that they have now. A collection token stays first.
   * @param renumber gives the drafts with a mint number the same numbers again, in the new order
   * @throws PlanchetError `not-found` | `conflict` (no longer a draft)
   */
  async reorder(projectUid: string, ids: readonly string[], renumber: boolean): Promise<void> {
    await this.#options.store.db.transaction().execute(async (db) => {
      const rows = [];
      for (const id of new Set(ids)) {
        const row = await this.#options.items.draft(db, id);
        if (row.project_uid !== projectUid) throw new PlanchetError('mint.item-missing');
        if (row.sub_type !== 'collection') rows.push(row);
      }
      const places = rows.map(({ position }) => position).sort((a, b) => a - b);
      const numbers = rows.flatMap((row) => metadataOf(row).mintNumber ?? []).sort((a, b) => a - b);
      const before: Before[] = [];
      for (const [index, row] of rows.entries()) {
        const position = places[index] as number;
        const metadata = metadataOf(row);
        const mintNumber = renumber && metadata.mintNumber !== undefined ? numbers.shift() : metadata.mintNumber;
        const isMoved = position !== row.position;
        const isNumbered = mintNumber !== metadata.mintNumber;
        if (isMoved) await db.updateTable('studio_items').set({ position }).where('id', '=', row.id).execute();
        if (isNumbered) await this.#write(db, row.id, { ...metadata, mintNumber });
        const earlier = { position: row.position, ...(isNumbered && { metadata: row.metadata }) };
        if (isMoved || isNumbered) before.push({ id: row.id, before: earlier });
      }
      await this.#options.log.record(db, projectUid, 'reordered', before);
    });
    // The numbers decide the order of equal ranks.
    if (renumber) await this.recompute(projectUid);
  }

  /**
   * Gives drafts other files, all or none.
   * @param keepsOriginal keeps the files they had, to be put back by `putOriginals`
   * @throws PlanchetError `not-found` | `conflict` (no longer a draft)
   */
  async replaceFiles(changes: readonly { id: string; file: FileInfo }[], keepsOriginal: boolean): Promise<Item[]> {
    await this.#options.store.db.transaction().execute(async (db) => {
      const rows = [];
      for (const { id, file } of changes) {
        const row = await this.#options.items.draft(db, id);
        rows.push(row);
        const original = keepsOriginal ? (row.original ?? JSON.stringify(fileOf(row))) : null;
        await this.#setFile(db, id, file, original);
      }
      await this.#record(db, 'file', rows, fileColumns);
    });
    return (await this.#options.items.rows(changes.map(({ id }) => id))).map(toItem);
  }

  /** Gives drafts the files back that they had before `replaceFiles`. @throws PlanchetError `not-found` | `conflict` (no longer a draft) */
  async putOriginals(ids: readonly string[]): Promise<Item[]> {
    await this.#options.store.db.transaction().execute(async (db) => {
      const rows = [];
      for (const id of ids) {
        const row = await this.#options.items.draft(db, id);
        if (row.original === null) continue;
        rows.push(row);
        await this.#setFile(db, id, JSON.parse(row.original) as FileInfo, null);
      }
      await this.#record(db, 'file', rows, fileColumns);
    });
    return (await this.#options.items.rows(ids)).map(toItem);
  }

  async #setFile(db: Transaction<StudioTables>, id: string, file: FileInfo, original: string | null): Promise<void> {
    const { sha256, name, contentType, bytes } = file;
    const columns = { sha256, file_name: name, content_type: contentType, bytes, original };
    // The output at the token service is of the earlier file.
    await db
      .updateTable('studio_items')
      .set({ ...columns, output_uid: null, upload_intent: 0 })
      .where('id', '=', id)
      .execute();
  }

  /** Records what rows were before a change. */
  async #record(
    db: Transaction<StudioTables>,
    what: ItemChange['what'],
    rows: readonly ItemRow[],
    before: (row: ItemRow) => Partial<ItemRow>,
  ): Promise<void> {
    for (const [uid, some] of Map.groupBy(rows, (row) => row.project_uid)) {
      const entries = some.map((row) => ({ id: row.id, before: before(row) }));
      await this.#options.log.record(db, uid, what, entries);
    }
  }

  /**
   * Makes an edition of a draft: itself and further drafts of the same file, numbered in their names, and by mint numbers in a collection.
   * @param count drafts in the end, the first included
   * @throws PlanchetError `not-found` | `conflict` (no longer a draft, or the token of a collection)
   */
  async makeEdition(id: string, count: number, projectType: Project['type']): Promise<Item[]> {
    const rows = await this.#options.store.db.transaction().execute(async (db) => {
      const row = await this.#options.items.draft(db, id);
      if (row.sub_type === 'collection') throw new PlanchetError('mint.collection-token-exists');
      const others = await this.#of(db, row.project_uid).select('metadata').where('id', '!=', id).execute();
      const [first, ...further] = numberedCopies(metadataOf(row), count, {
        isNumbered: row.sub_type === 'collectionItem',
        others: others.map(({ metadata }) => JSON.parse(metadata) as ItemMetadata),
      }).map(checkedMetadata) as [ItemMetadata, ...ItemMetadata[]];
      await this.#write(db, id, first);
      const copies = further.map((metadata) => ({
        projectUid: row.project_uid,
        sha256: row.sha256,
        fileName: row.file_name,
        subType: row.sub_type as Item['subType'],
        metadata,
        file: fileOf(row),
      }));
      const created = await insertDrafts(db, this.#options, copies, projectType);
      const entries = [{ id, before: { metadata: row.metadata } }, ...created.map(absent)];
      await this.#options.log.record(db, row.project_uid, 'copied', entries);
      return [{ ...row, metadata: JSON.stringify(first) }, ...created];
    });
    return rows.map(toItem);
  }

  /** Brings what is computed over a whole collection up to date in its drafts. Collections without mint numbers have no such values. */
  recompute(projectUid: string): Promise<void> {
    // Calls during a computation share the next one, so that many removals cause two computations and not one each.
    let next = this.#waiting.get(projectUid);
    if (next === undefined) {
      next = this.#sequencer.run(() => {
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
    return this.#options.store.db.transaction().execute(async (db) => {
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

  /** In one transaction, so that no change by a person in between is overwritten. */
  #recompute(projectUid: string): Promise<void> {
    return this.#options.store.db.transaction().execute(async (db) => {
      const rows = await this.#of(db, projectUid)
        .select(['id', 'sub_type', 'metadata', 'state', 'job_id'])
        .orderBy('position')
        .execute();
      for (const { id, metadata } of changesOf(rows)) await this.#write(db, id, checkedMetadata(metadata));
    });
  }

  async #requireOwnNumbers(db: Transaction<StudioTables>, projectUid: string): Promise<void> {
    const rows = await this.#of(db, projectUid).select('metadata').execute();
    const numbers = new Set<number>();
    for (const { metadata } of rows) {
      const { mintNumber } = JSON.parse(metadata) as ItemMetadata;
      if (mintNumber === undefined) continue;
      if (numbers.has(mintNumber)) throw new PlanchetError('mint.number-taken', { number: mintNumber });
      numbers.add(mintNumber);
    }
  }

  #of(db: Transaction<StudioTables>, projectUid: string) {
    const items = db.selectFrom('studio_items').where('network', '=', this.#options.network);
    return items.where('project_uid', '=', projectUid);
  }

  async #write(db: Transaction<StudioTables>, id: string, metadata: ItemMetadata): Promise<void> {
    await db
      .updateTable('studio_items')
      .set({ metadata: JSON.stringify(metadata) })
      .where('id', '=', id)
      .execute();
  }
}

function fileColumns({ sha256, file_name, content_type, bytes, original }: ItemRow): Partial<ItemRow> {
  return { sha256, file_name, content_type, bytes, original };
}

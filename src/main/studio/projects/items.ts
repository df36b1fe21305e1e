import { sql, type Transaction } from 'kysely';
import {
  type FileInfo,
  type Item,
  mintStates,
  PlanchetError,
  type Project,
  type Token,
} from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import { pause } from '../../pause.ts';
import type { StudioParts } from '../parts.ts';
import type { ItemRow, StudioTables } from '../tables.ts';
import type { Bin } from './changes/bin.ts';
import { absent, type ChangeLog } from './changes/change-log.ts';
import { insertDrafts, type NewDraft, type NewItem } from './changes/draft-rows.ts';
import type { StoredItem } from './collection.ts';
import { COLLECTION, metadataOf, toItem, toToken } from './item-rows.ts';
import { checkedMetadata, checkRoyalties } from './metadata.ts';

/** Items read in one step: each may have 30 kB of metadata. */
const STORED_AT_ONCE = 200;

export interface ItemPage {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

export interface ItemStoreOptions extends StudioParts {
  bin: Bin;
  log: ChangeLog;
}

/** Items of projects. Only drafts can be changed here; the journal writes what a mint does to an item. */
export class ItemStore {
  readonly #options: ItemStoreOptions;

  constructor(options: ItemStoreOptions) {
    this.#options = options;
  }

  /** @param page only so many, those after a position. Without it, all. */
  async list(projectUid: string, page: ItemPage = {}): Promise<Item[]> {
    return (await this.rowsOf(projectUid, page)).map(toItem);
  }

  /** The same as they are stored. */
  rowsOf(projectUid: string, { after, limit }: ItemPage = {}): Promise<ItemRow[]> {
    let query = this.#query().where('project_uid', '=', projectUid).orderBy('position');
    if (after !== undefined) query = query.where('position', '>', after);
    if (limit !== undefined) query = query.limit(limit);
    return query.execute();
  }

  /** All items of a project as they are stored, some at a time. */
  async *stored(projectUid: string): AsyncGenerator<(StoredItem & { sha256: string })[]> {
    let last: { position: number; id: string } = { position: -1, id: '' };
    for (;;) {
      await pause();
      const rows = await this.#options.store.db
        .selectFrom('studio_items')
        .select(['id', 'position', 'sub_type', 'metadata', 'state', 'job_id', 'sha256'])
        .where('network', '=', this.#options.network)
        .where('project_uid', '=', projectUid)
        .where(sql<boolean>`(position, id) > (${last.position}, ${last.id})`)
        .orderBy('position')
        .orderBy('id')
        .limit(STORED_AT_ONCE)
        .execute();
      if (rows.length === 0) return;
      last = rows.at(-1) as typeof last;
      yield rows;
    }
  }

  async hasCollection(projectUid: string): Promise<boolean> {
    const found = this.#query().where('project_uid', '=', projectUid).where('sub_type', '=', 'collection');
    return (await found.limit(1).executeTakeFirst()) !== undefined;
  }

  /** @throws PlanchetError `not-found` */
  async get(id: string): Promise<Item> {
    const [row] = await this.rows([id]);
    return toItem(row as ItemRow);
  }

  /** Rows in the order of the ids. @throws PlanchetError `not-found` */
  async rows(ids: readonly string[]): Promise<ItemRow[]> {
    const rows = await this.existing(ids);
    if (rows.length < ids.length) throw unknownItem();
    return rows;
  }

  /** The same without those that were removed. */
  async existing(ids: readonly string[]): Promise<ItemRow[]> {
    const found = new Map<string, ItemRow>();
    // In slices, because a statement takes a limited number of values.
    for (const some of chunks(ids, 200)) {
      for (const row of await this.#query().where('id', 'in', some).execute()) found.set(row.id, row);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /**
   * @param file the stored file the item is made of
   * @throws PlanchetError `metadata-invalid` | `conflict` (the sub type does not belong into the project)
   */
  async create(input: NewItem, projectType: Project['type'], file: FileInfo): Promise<Item> {
    const { idempotencyKey, projectUid } = input;
    const item = this.#checked({ ...input, file });
    const row = await this.#options.store.db.transaction().execute(async (db) => {
      const known =
        idempotencyKey === undefined
          ? undefined
          : await db.selectFrom('studio_items').selectAll().where('id', '=', idempotencyKey).executeTakeFirst();
      if (known?.project_uid === projectUid && known.sha256 === file.sha256) return known;
      const id = known === undefined ? idempotencyKey : undefined;
      const created = await insertDrafts(db, this.#options, [{ ...item, id }], projectType);
      await this.#options.log.record(db, projectUid, 'added', created.map(absent));
      return created[0] as ItemRow;
    });
    return this.#published(toItem(row));
  }

  /**
   * Creates many drafts in one transaction. Views are told of the project, not of each item.
   * @param alongside further changes that stand or fall with the items
   * @returns their ids, in the order of the items
   * @throws PlanchetError `metadata-invalid` | `conflict`
   */
  async createMany(
    items: readonly NewDraft[],
    projectType: Project['type'],
    alongside: (db: Transaction<StudioTables>, ids: readonly string[]) => Promise<void>,
  ): Promise<string[]> {
    const checked = items.map((item) => this.#checked(item));
    return this.#options.store.db.transaction().execute(async (db) => {
      const created = await insertDrafts(db, this.#options, checked, projectType);
      for (const [uid, rows] of byProject(created)) await this.#options.log.record(db, uid, 'added', rows.map(absent));
      const ids = created.map(({ id }) => id);
      await alongside(db, ids);
      return ids;
    });
  }

  #checked(item: NewDraft): NewDraft {
    const metadata = checkedMetadata(item.metadata);
    checkRoyalties(metadata.royalties, this.#options.network);
    return { ...item, metadata };
  }

  /**
   * Puts removed drafts back where they were, all or none.
   * @returns their projects
   * @throws PlanchetError `not-found` if one is back already, or the bin was emptied
   */
  async restore(ids: readonly string[]): Promise<string[]> {
    const { store, bin, log } = this.#options;
    const projects = await store.db.transaction().execute(async (db) => {
      const rows: ItemRow[] = [];
      for (const id of ids) {
        const row = await bin.row(db, id);
        await bin.takeOut(db, row);
        rows.push(row);
      }
      const restored = byProject(rows);
      for (const [uid, back] of restored) await log.record(db, uid, 'restored', back.map(absent));
      return [...restored.keys()];
    });
    for (const id of ids) this.#published(await this.get(id));
    return projects;
  }

  /** Removes drafts, all or none, into the bin. @returns their projects @throws PlanchetError `not-found` | `conflict` */
  async remove(ids: readonly string[]): Promise<string[]> {
    const { store, bin, log } = this.#options;
    const removed = await store.db.transaction().execute(async (db) => {
      const rows: ItemRow[] = [];
      for (const id of new Set(ids)) {
        await this.draft(db, id);
        rows.push(await bin.put(db, id));
      }
      const gone = byProject(rows);
      for (const [uid, some] of gone) {
        const entries = some.map((row) => ({ id: row.id, before: row }));
        await log.record(db, uid, 'removed', entries);
      }
      return gone;
    });
    for (const [projectUid, rows] of removed)
      for (const { id } of rows) this.#options.events.publish({ type: 'item-removed', id, projectUid });
    return [...removed.keys()];
  }

  /** Tokens that were handed to the network, newest first. */
  async tokens(limit: number): Promise<Token[]> {
    const rows = await this.#options.store.db
      .selectFrom('studio_items')
      .innerJoin('studio_jobs', 'studio_jobs.id', 'studio_items.job_id')
      .selectAll('studio_items')
      .select(['studio_jobs.block_height', 'studio_jobs.created_at as minted_at'])
      .where('studio_items.network', '=', this.#options.network)
      .where('studio_items.state', 'in', mintStates.having('submitted'))
      .orderBy('studio_jobs.created_at', 'desc')
      .orderBy('studio_items.vout')
      .limit(limit)
      .execute();
    return rows.flatMap((row) => toToken(row, row.block_height, Number(row.minted_at)) ?? []);
  }

  /** Names of the tokens that transactions minted, by txid. */
  async namesOf(txids: readonly string[]): Promise<Map<string, string[]>> {
    const names = new Map<string, string[]>();
    if (txids.length === 0) return names;
    for (const row of await this.#query().where('txid', 'in', txids).orderBy('vout').execute()) {
      const txid = row.txid as string;
      names.set(txid, [...(names.get(txid) ?? []), metadataOf(row).name]);
    }
    return names;
  }

  /** Outpoint `<txid>_<vout>` of the project's collection token, once it is signed and unless it was refused. */
  async collectionId(projectUid: string): Promise<string | undefined> {
    const row = await this.#options.store.db
      .selectFrom('studio_items')
      .innerJoin('studio_jobs', 'studio_jobs.id', 'studio_items.job_id')
      .select(['studio_items.txid', 'studio_items.vout'])
      .where('studio_items.network', '=', this.#options.network)
      .where('studio_items.project_uid', '=', projectUid)
      .where('studio_items.sub_type', '=', COLLECTION)
      .where('studio_items.txid', 'is not', null)
      .where('studio_jobs.halted', '=', 0)
      .executeTakeFirst();
    return row === undefined ? undefined : `${row.txid}_${row.vout}`;
  }

  /** Mint numbers that several items of a project have, a draft among them: one that is restored may have that of another by now. */
  async sharedNumbers(projectUid: string): Promise<number[]> {
    const rows = await this.#options.store.db
      .selectFrom('studio_items')
      .select(sql<number>`json_extract(metadata, '$.mintNumber')`.as('number'))
      .where('network', '=', this.#options.network)
      .where('project_uid', '=', projectUid)
      .groupBy('number')
      .having(sql<boolean>`number is not null and count(*) > 1 and max(state = 'draft' and job_id is null)`)
      .execute();
    return rows.map(({ number }) => number);
  }

  /** Which of these outputs of the token service belong to items already. */
  async knownOutputs(uids: readonly string[]): Promise<Set<string>> {
    const known = new Set<string>();
    for (const some of chunks(uids, 200)) {
      const rows = await this.#query().where('output_uid', 'in', some).execute();
      for (const { output_uid } of rows) if (output_uid !== null) known.add(output_uid);
    }
    return known;
  }

  #query() {
    return this.#options.store.db.selectFrom('studio_items').selectAll().where('network', '=', this.#options.network);
  }

  /** A draft that no mint holds. @throws PlanchetError `not-found` | `conflict` */
  async draft(db: Transaction<StudioTables>, id: string): Promise<ItemRow> {
    const row = await db
      .selectFrom('studio_items')
      .selectAll()
      .where('network', '=', this.#options.network)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw unknownItem();
    if (row.state === 'draft' && row.job_id === null) return row;
    throw new PlanchetError('mint.item-in-mint');
  }

  #published(item: Item): Item {
    this.#options.events.publish({ type: 'item', item });
    return item;
  }
}

function unknownItem(): PlanchetError {
  return new PlanchetError('mint.item-missing');
}

const byProject = (rows: readonly ItemRow[]): Map<string, ItemRow[]> =>
  Map.groupBy(rows, ({ project_uid }) => project_uid);

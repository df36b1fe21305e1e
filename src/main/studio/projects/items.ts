import { randomUUID } from 'node:crypto';
import { type Insertable, sql, type Transaction } from 'kysely';
import {
  type Art,
  type Failure,
  type FileInfo,
  type Item,
  type ItemMetadata,
  type MintState,
  mintStates,
  type Network,
  PlanchetError,
  type Project,
  type Token,
} from '../../../contract/index.ts';
import { pause } from '../../pause.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { Store } from '../../ports/store.ts';
import type { ItemRow, StudioTables } from '../tables.ts';
import type { StoredItem } from './collection.ts';
import { checkedMetadata, checkRoyalties } from './metadata.ts';
import { RemovedItems } from './removed-items.ts';

/** Items read in one step: each may have 30 kB of metadata. */
const STORED_AT_ONCE = 200;

export interface NewItem {
  projectUid: string;
  sha256: string;
  fileName: string;
  metadata: ItemMetadata;
  subType?: Item['subType'] | undefined;
  /** Becomes the item's id: the same key and content give the same item. */
  idempotencyKey?: string | undefined;
}

interface NewDraft extends NewItem {
  readonly file: FileInfo;
  readonly id?: string | undefined;
}

export interface ItemPage {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

export interface ItemStoreOptions {
  network: Network;
  store: Store<StudioTables>;
  events: Events;
  clock: Clock;
}

/** Tokens in the making. Only drafts can be changed here; what a mint does to an item is written by the journal. */
export class ItemStore {
  readonly #options: ItemStoreOptions;
  readonly #removed: RemovedItems;

  constructor(options: ItemStoreOptions) {
    this.#options = options;
    this.#removed = new RemovedItems(options);
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
    const row = await this.#query().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw unknownItem();
    return toItem(row);
  }

  /** Rows in the order of the ids. @throws PlanchetError `not-found` */
  async rows(ids: readonly string[]): Promise<ItemRow[]> {
    const found = new Map<string, ItemRow>();
    // In slices, because a statement takes a limited number of values.
    for (let at = 0; at < ids.length; at += 200) {
      const slice = await this.#query()
        .where('id', 'in', ids.slice(at, at + 200))
        .execute();
      for (const row of slice) found.set(row.id, row);
    }
    return ids.map((id) => {
      const row = found.get(id);
      if (row === undefined) throw unknownItem();
      return row;
    });
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
      const [created] = await this.#insert(db, [{ ...item, id }], projectType);
      return created as ItemRow;
    });
    return this.#published(toItem(row));
  }

  /**
   * Creates many drafts in one transaction. Views learn of them by their project, not one by one.
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
      const ids = (await this.#insert(db, checked, projectType)).map(({ id }) => id);
      await alongside(db, ids);
      return ids;
    });
  }

  #checked(item: NewDraft): NewDraft {
    const metadata = checkedMetadata(item.metadata);
    checkRoyalties(metadata.royalties, this.#options.network);
    return { ...item, metadata };
  }

  /** Adds drafts behind those of their project. @throws PlanchetError `conflict` */
  async #insert(
    db: Transaction<StudioTables>,
    items: readonly NewDraft[],
    projectType: Project['type'],
  ): Promise<ItemRow[]> {
    const { network, clock } = this.#options;
    const projectUid = items[0]?.projectUid ?? '';
    // Each is found at once in the index: a large import comes here hundreds of times.
    const present = db.selectFrom('studio_items').where('network', '=', network).where('project_uid', '=', projectUid);
    const before = await present.select('position').orderBy('position', 'desc').limit(1).executeTakeFirst();
    const isCollection = present.select('id').where('sub_type', '=', 'collection').orderBy('position').limit(1);
    let hasCollection = projectType === 'collection' && (await isCollection.executeTakeFirst()) !== undefined;
    const rows = items.map(({ id = randomUUID(), file, ...item }, index) => {
      const sub_type = chooseSubType(item.subType, projectType, hasCollection);
      hasCollection ||= sub_type === 'collection';
      return {
        id,
        network,
        project_uid: projectUid,
        position: (before?.position ?? -1) + 1 + index,
        sub_type,
        sha256: file.sha256,
        file_name: item.fileName,
        content_type: file.contentType,
        bytes: file.bytes,
        metadata: JSON.stringify(item.metadata),
        state: 'draft',
        job_id: null,
        output_uid: null,
        upload_intent: 0,
        txid: null,
        vout: null,
        failure: null,
        created_at: clock.now(),
      } satisfies Insertable<ItemRow>;
    });
    for (let at = 0; at < rows.length; at += 500) {
      await db
        .insertInto('studio_items')
        .values(rows.slice(at, at + 500))
        .execute();
    }
    return rows as ItemRow[];
  }

  /** Puts drafts back that were removed a moment ago. @returns their projects @throws PlanchetError `not-found` */
  async restore(ids: readonly string[]): Promise<string[]> {
    const projects = await this.#removed.restore(ids);
    for (const id of ids) this.#published(await this.get(id));
    return projects;
  }

  /** @throws PlanchetError `not-found` | `conflict` */
  async remove(id: string): Promise<void> {
    const projectUid = await this.#options.store.db.transaction().execute(async (db) => {
      const row = await this.#draft(db, id);
      await this.#removed.keep(db, row);
      await db.deleteFrom('studio_items').where('id', '=', id).execute();
      return row.project_uid;
    });
    this.#options.events.publish({ type: 'item-removed', id, projectUid });
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
    const rows = await this.#options.store.db
      .selectFrom('studio_items')
      .selectAll()
      .where('network', '=', this.#options.network)
      .where('txid', 'in', txids)
      .orderBy('vout')
      .execute();
    for (const row of rows) {
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
      .where('studio_items.sub_type', '=', 'collection')
      .where('studio_items.txid', 'is not', null)
      .where('studio_jobs.halted', '=', 0)
      .executeTakeFirst();
    return row === undefined ? undefined : `${row.txid}_${row.vout}`;
  }

  /** Which of these outputs of the token service belong to items already. */
  async knownOutputs(uids: readonly string[]): Promise<Set<string>> {
    const known = new Set<string>();
    for (let at = 0; at < uids.length; at += 200) {
      const rows = await this.#query()
        .where('output_uid', 'in', uids.slice(at, at + 200))
        .execute();
      for (const { output_uid } of rows) if (output_uid !== null) known.add(output_uid);
    }
    return known;
  }

  #query() {
    return this.#options.store.db.selectFrom('studio_items').selectAll().where('network', '=', this.#options.network);
  }

  async #draft(db: Transaction<StudioTables>, id: string): Promise<ItemRow> {
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

function chooseSubType(
  asked: Item['subType'] | undefined,
  projectType: Project['type'],
  hasCollection: boolean,
): Item['subType'] {
  const fitting = projectType === 'single' ? 'single' : hasCollection ? 'collectionItem' : 'collection';
  const chosen = asked ?? fitting;
  if (projectType === 'single' && chosen !== 'single') {
    throw new PlanchetError('mint.single-project');
  }
  if (projectType === 'collection' && chosen === 'single') {
    throw new PlanchetError('mint.collection-project');
  }
  if (chosen === 'collection' && hasCollection) {
    throw new PlanchetError('mint.collection-token-exists');
  }
  return chosen;
}

function unknownItem(): PlanchetError {
  return new PlanchetError('mint.item-missing');
}

/** What is drawn of an item: its name and its file. */
export function artOf(row: ItemRow): Art {
  const { metadata, file } = toItem(row);
  return { name: metadata.name, file };
}

export function toItem(row: ItemRow): Item {
  return {
    id: row.id,
    projectUid: row.project_uid,
    subType: row.sub_type as Item['subType'],
    position: row.position,
    file: fileOf(row),
    metadata: metadataOf(row),
    state: row.state as MintState,
    jobId: row.job_id,
    outpoint: row.txid === null ? null : `${row.txid}_${row.vout}`,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
    createdAt: Number(row.created_at),
  };
}

/** @returns undefined for an item that has no outpoint yet */
export function toToken(row: ItemRow, blockHeight: number | null, at: number): Token | undefined {
  if (row.txid === null) return undefined;
  return {
    outpoint: `${row.txid}_${row.vout}`,
    txid: row.txid,
    name: metadataOf(row).name,
    projectUid: row.project_uid,
    itemId: row.id,
    file: fileOf(row),
    state: row.state as MintState,
    blockHeight,
    at,
  };
}

/** What an editor does not show stays. A rank that a person changes is theirs from then on. */
export function mergedMetadata(before: ItemMetadata, after: ItemMetadata): ItemMetadata {
  const merged: ItemMetadata = { ...before, ...after };
  if (merged.rank !== before.rank || merged.rarityLabel !== before.rarityLabel) delete merged.rankComputed;
  return merged;
}

export function metadataOf(row: ItemRow): ItemMetadata {
  return JSON.parse(row.metadata) as ItemMetadata;
}

function fileOf(row: ItemRow): FileInfo {
  return { sha256: row.sha256, name: row.file_name, contentType: row.content_type, bytes: Number(row.bytes) };
}

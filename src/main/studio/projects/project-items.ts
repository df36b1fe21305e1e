import type { Contract, Item, ItemChange, RemovedItem, Serves } from '../../../contract/index.ts';
import type { Events } from '../../ports/events.ts';
import type { Store } from '../../ports/store.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { StudioTables } from '../tables.ts';
import type { Bin } from './changes/bin.ts';
import type { ChangeLog } from './changes/change-log.ts';
import type { NewItem } from './changes/draft-rows.ts';
import type { ItemChanges, MetadataChange } from './changes/item-changes.ts';
import type { ItemPage, ItemStore } from './items.ts';
import type { ProjectStore } from './projects.ts';

type ReplacedFiles = Parameters<Serves<Contract['items']>['replaceFiles']>[0];

export interface ProjectItemsDeps {
  readonly items: ItemStore;
  readonly changes: ItemChanges;
  readonly bin: Bin;
  readonly log: ChangeLog;
  readonly store: Store<StudioTables>;
  readonly projects: ProjectStore;
  readonly files: Pick<ContentStore, 'info'>;
  readonly events: Events;
}

/** The items of projects. Every change is published with the project as well. */
export class ProjectItems implements Serves<Contract['items']> {
  readonly #deps: ProjectItemsDeps;

  constructor(deps: ProjectItemsDeps) {
    this.#deps = deps;
  }

  list(input: { projectUid: string } & ItemPage): Promise<Item[]> {
    return this.#deps.items.list(input.projectUid, input);
  }

  /** @throws PlanchetError `not-found` (project) | `file-not-found` | `metadata-invalid` | `conflict` (sub type against the project's type) */
  async create(input: NewItem): Promise<Item> {
    const { items, projects, files } = this.#deps;
    const project = await projects.get({ uid: input.projectUid });
    const item = await items.create(input, project.type, await files.info(input.sha256));
    await projects.publish(project.uid);
    return item;
  }

  /** @throws PlanchetError `not-found` | `conflict` (no longer a draft) | `metadata-invalid` */
  async update(change: MetadataChange): Promise<Item> {
    const [item] = await this.updateMany({ changes: [change] });
    this.#deps.events.publish({ type: 'item', item: item as Item });
    return item as Item;
  }

  /** All of them or none. @throws PlanchetError `not-found` | `conflict` (no longer a draft, a number twice) | `metadata-invalid` */
  updateMany({ changes }: { changes: readonly MetadataChange[] }): Promise<Item[]> {
    return this.#deps.changes.update(changes);
  }

  /** @throws PlanchetError `not-found` | `conflict` (no longer a draft) */
  reorder(input: { projectUid: string; ids: readonly string[]; renumber: boolean }): Promise<void> {
    return this.#deps.changes.reorder(input.projectUid, input.ids, input.renumber);
  }

  /**
   * Gives drafts other files, all or none. With `keepsOriginal` the files they had can be put back.
   * @throws PlanchetError `not-found` | `file-not-found` | `conflict` (no longer a draft)
   */
  async replaceFiles({ changes, keepsOriginal }: ReplacedFiles): Promise<Item[]> {
    const { files } = this.#deps;
    const read = [];
    for (const { id, sha256, fileName } of changes)
      read.push({ id, file: { ...(await files.info(sha256)), name: fileName } });
    return this.#published(await this.#deps.changes.replaceFiles(read, keepsOriginal));
  }

  /** Gives drafts the files back that they had before. @throws PlanchetError `not-found` | `conflict` (no longer a draft) */
  async putOriginals({ ids }: { ids: readonly string[] }): Promise<Item[]> {
    return this.#published(await this.#deps.changes.putOriginals(ids));
  }

  /** @throws PlanchetError `not-found` | `conflict` (no longer a draft, or the token of a collection) */
  async makeEdition({ id, count }: { id: string; count: number }): Promise<Item[]> {
    const { items, projects, changes } = this.#deps;
    const { projectUid } = await items.get(id);
    const { type } = await projects.get({ uid: projectUid });
    const made = await changes.makeEdition(id, count, type);
    await this.#changed(projectUid);
    return made;
  }

  async #published(items: Item[]): Promise<Item[]> {
    for (const projectUid of new Set(items.map((item) => item.projectUid)))
      await this.#deps.projects.publish(projectUid);
    return items;
  }

  /** Removes drafts into the bin, all or none. @throws PlanchetError `not-found` | `conflict` (no longer a draft) */
  async remove({ ids }: { ids: readonly string[] }): Promise<void> {
    for (const projectUid of await this.#deps.items.remove(ids)) await this.#changed(projectUid);
  }

  /** Puts removed drafts back, all or none. @throws PlanchetError `not-found` */
  async restore({ ids }: { ids: readonly string[] }): Promise<void> {
    for (const projectUid of await this.#deps.items.restore(ids)) await this.#changed(projectUid);
  }

  /** Takes the last change of a project's drafts back. @throws PlanchetError `not-found` where there is none */
  async undo({ projectUid }: { projectUid: string }): Promise<ItemChange> {
    const { log, events } = this.#deps;
    const { change, gone } = await log.undo(projectUid);
    for (const id of gone) events.publish({ type: 'item-removed', id, projectUid });
    await this.#changed(projectUid);
    return change;
  }

  readonly history = {
    /** The change that `undo` takes back, and how many removed drafts lie in the bin. */
    get: async ({ projectUid }: { projectUid: string }) => ({
      last: await this.#deps.log.last(projectUid),
      inBin: await this.#deps.bin.count(projectUid),
    }),
    /** Removed drafts, newest first. */
    bin: ({ projectUid, limit }: { projectUid: string; limit: number }): Promise<RemovedItem[]> =>
      this.#deps.bin.list(projectUid, limit),
    /** Forgets the removed drafts of a project for good. */
    emptyBin: async ({ projectUid }: { projectUid: string }): Promise<void> => {
      const { store, bin, log } = this.#deps;
      await store.db.transaction().execute(async (db) => {
        await bin.empty(db, projectUid);
        await log.forgetRemovals(db, projectUid);
      });
    },
  };

  /** Computes the collection again and publishes the project's counts after its items changed. */
  async #changed(projectUid: string): Promise<void> {
    await this.#deps.changes.recompute(projectUid);
    await this.#deps.projects.publish(projectUid);
  }
}

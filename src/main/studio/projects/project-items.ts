import type { Contract, Item, Serves } from '../../../contract/index.ts';
import type { Events } from '../../ports/events.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { ItemChanges, MetadataChange } from './item-changes.ts';
import type { ItemPage, ItemStore, NewItem } from './items.ts';
import type { ProjectStore } from './projects.ts';

export interface ProjectItemsDeps {
  readonly store: ItemStore;
  readonly changes: ItemChanges;
  readonly projects: ProjectStore;
  readonly files: Pick<ContentStore, 'info'>;
  readonly events: Events;
}

/** The items of projects: every change tells the views of their project as well. */
export class ProjectItems implements Serves<Contract['items']> {
  readonly #deps: ProjectItemsDeps;

  constructor(deps: ProjectItemsDeps) {
    this.#deps = deps;
  }

  list(input: { projectUid: string } & ItemPage): Promise<Item[]> {
    return this.#deps.store.list(input.projectUid, input);
  }

  /** @throws PlanchetError `not-found` (project) | `file-not-found` | `metadata-invalid` | `conflict` (sub type against the project's type) */
  async create(input: NewItem): Promise<Item> {
    const { store, projects, files } = this.#deps;
    const project = await projects.get({ uid: input.projectUid });
    const item = await store.create(input, project.type, await files.info(input.sha256));
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

  /** @throws PlanchetError `not-found` | `conflict` (no longer a draft) */
  async remove({ id }: { id: string }): Promise<void> {
    const { store, changes, projects } = this.#deps;
    const { projectUid } = await store.get(id);
    await store.remove(id);
    await changes.recompute(projectUid);
    await projects.publish(projectUid);
  }

  /** Puts drafts back that were removed a moment ago, all or none. @throws PlanchetError `not-found` */
  async restore({ ids }: { ids: readonly string[] }): Promise<void> {
    const { store, changes, projects } = this.#deps;
    for (const projectUid of await store.restore(ids)) {
      await changes.recompute(projectUid);
      await projects.publish(projectUid);
    }
  }
}

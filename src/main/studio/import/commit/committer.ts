import { lstat } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { ImportOptions, Project } from '../../../../contract/index.ts';
import { chunks } from '../../../chunks.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ItemChanges } from '../../projects/changes/item-changes.ts';
import type { ItemStore } from '../../projects/items.ts';
import type { ProjectStore } from '../../projects/projects.ts';
import type { ImportHead, ImportStore } from '../import-store.ts';
import type { SessionThread } from '../session/session-thread.ts';

/** Publishing a project counts all of its items, so it is not done after every slice. */
const PUBLISH_EVERY_MS = 2_000;

interface CommitterDeps {
  readonly items: ItemStore;
  readonly changes: ItemChanges;
  readonly projects: ProjectStore;
  readonly imports: ImportStore;
  readonly sessions: Pick<SessionThread, 'run'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

function namedIn(listed: readonly Project[], { projectName, projectType }: ImportOptions): string | null {
  return listed.find(({ name, type }) => name === projectName && type === projectType)?.uid ?? null;
}

export function createCommitter({ items, changes, projects, imports, sessions, clock, logger }: CommitterDeps) {
  /** The project to append to: the one that was named, else the one with the name and type. */
  async function findProject(options: ImportOptions): Promise<string | null> {
    if (options.projectUid !== null) return (await projects.get({ uid: options.projectUid })).uid;
    try {
      return namedIn(await projects.list(), options);
    } catch (error) {
      // The service is asked again when items are made.
      logger.debug({ err: error }, 'projects could not be listed for an import');
      return null;
    }
  }

  /** Gives the session the items of the project, whose numbers and contents its rows must not repeat. */
  async function tellProject({ id, projectUid }: ImportHead): Promise<void> {
    await sessions.run(id, 'clearItems', undefined);
    if (projectUid === null) return sessions.run(id, 'project', { collectionId: undefined, fields: new Map() });
    for await (const some of items.stored(projectUid)) await sessions.run(id, 'addItems', some);
    const [collectionId, fields] = [await items.collectionId(projectUid), await imports.fieldsOf(projectUid)];
    await sessions.run(id, 'project', { collectionId, fields });
  }

  /** Finds files that were changed on the disk since they were read. */
  async function changedFiles(id: string): Promise<Set<number>> {
    const changed = new Set<number>();
    for (let from = 0; ; ) {
      const used = await sessions.run(id, 'usedFiles', from);
      if (used.length === 0) return changed;
      from += used.length;
      for (const some of chunks(used, 64)) {
        await Promise.all(
          some.map(async ({ id: file, origin, bytes }) => {
            const info = await lstat(origin?.path ?? '').catch(() => undefined);
            // A deleted file can still be imported: its content was stored when it was read.
            if (info !== undefined && (Math.trunc(info.mtimeMs) !== origin?.modified || info.size !== bytes))
              changed.add(file);
          }),
        );
      }
    }
  }

  async function projectFor({ options, projectUid }: ImportHead): Promise<Project> {
    const known = projectUid ?? (await findProject(options));
    // Where the service could not be asked, another project of this name would be made.
    const uid = known ?? namedIn(await projects.listAll(), options);
    return uid === null
      ? projects.create({ name: options.projectName, type: options.projectType })
      : projects.get({ uid });
  }

  /** Brings what is computed over the whole collection up to date in its drafts, some at a time. */
  async function recompute(head: ImportHead, projectUid: string, signal: AbortSignal): Promise<void> {
    await tellProject(head);
    const count = await sessions.run(head.id, 'compute', undefined);
    for (let at = 0; at < count; ) {
      signal.throwIfAborted();
      const some = await sessions.run(head.id, 'computed', at);
      at += some.length;
      // A person changed an item meanwhile.
      if (!(await changes.writeComputed(some))) return changes.recompute(projectUid);
    }
  }

  return {
    findProject,
    tellProject,

    /** @throws PlanchetError `import.nothing-ready` | `import.pairing-open` */
    async requireSomething(head: ImportHead): Promise<void> {
      await tellProject(head);
      await sessions.run(head.id, 'set', { changed: await changedFiles(head.id) });
      await sessions.run(head.id, 'requireSomething', undefined);
    },

    /** Every slice of items is written together with its rows, so that an interrupted commit goes on with the remaining rows. */
    async commit(head: ImportHead, signal: AbortSignal): Promise<void> {
      const { id } = head;
      const project = await projectFor(head);
      head.projectUid = project.uid;
      await imports.saveHead(head);
      await tellProject(head);
      await sessions.run(id, 'set', { head, changed: await changedFiles(id) });
      const plan = await sessions.run(id, 'plan', undefined);
      head.total = plan.items;
      head.done = 0;
      let publishAt = clock.now() + PUBLISH_EVERY_MS;
      if (plan.collection !== undefined && !(await items.hasCollection(project.uid))) {
        const { file, fileName, metadata, subType } = plan.collection;
        const item = { projectUid: project.uid, sha256: file.sha256, file, fileName, metadata, subType };
        await items.createMany([item], project.type, async () => {});
      }
      while (head.done < plan.items) {
        signal.throwIfAborted();
        const slice = await sessions.run(id, 'planned', head.done);
        const inputs = slice.map((item) => ({ ...item, projectUid: project.uid, sha256: item.file.sha256 }));
        const made = await items.createMany(inputs, project.type, async (db, ids) => {
          const values = ids.map((item_id, index) => ({ import_id: id, row: slice[index]?.row ?? -1, item_id }));
          await db.insertInto('studio_import_items').values(values).execute();
        });
        const pairs = made.map((item, index): [number, string] => [slice[index]?.row ?? -1, item]);
        await sessions.run(id, 'imported', pairs);
        head.done += slice.length;
        if (clock.now() < publishAt) continue;
        publishAt = clock.now() + PUBLISH_EVERY_MS;
        await projects.publish(project.uid);
      }
      await projects.publish(project.uid);
      await imports.saveFieldsOf(project.uid, new Map(await sessions.run(id, 'usedFields', undefined)));
      await recompute(head, project.uid, signal);
      head.phase = 'done';
      await imports.saveHead(head);
    },
  };
}

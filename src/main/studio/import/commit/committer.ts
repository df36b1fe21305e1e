import { lstat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type ImportOptions, type Network, PlanchetError, type Project } from '../../../../contract/index.ts';
import type { Store } from '../../../ports/store.ts';
import type { ItemChanges } from '../../projects/item-changes.ts';
import type { ItemStore } from '../../projects/items.ts';
import type { ProjectStore } from '../../projects/projects.ts';
import type { StudioTables } from '../../tables.ts';
import type { ImportStore } from '../import-store.ts';
import type { FieldChoice } from '../rows/mapping.ts';
import { noProject, type ProjectFacts } from '../rows/rows.ts';
import { type ImportSession, isCounted } from '../session.ts';
import { planCommit } from './commit.ts';

/** Items written in one transaction. */
const SLICE = 500;

interface CommitterDeps {
  readonly network: Network;
  readonly store: Store<StudioTables>;
  readonly items: ItemStore;
  readonly changes: ItemChanges;
  readonly projects: ProjectStore;
  readonly imports: ImportStore;
  readonly logger: Logger;
}

/** Makes items of the rows of an import. */
export function createCommitter({ items, changes, projects, imports, logger }: CommitterDeps) {
  /** The project to append to: the one that was named, else the one with the name and type. */
  async function findProject(options: ImportOptions): Promise<string | null> {
    if (options.projectUid !== null) return (await projects.get({ uid: options.projectUid })).uid;
    try {
      const listed = await projects.list();
      return listed.find(({ name, type }) => name === options.projectName && type === options.projectType)?.uid ?? null;
    } catch (error) {
      // The service is asked again when items are made.
      logger.debug({ err: error }, 'projects could not be listed for an import');
      return null;
    }
  }

  /** What the rows of an import must not repeat. */
  async function factsOf(projectUid: string | null): Promise<ProjectFacts> {
    if (projectUid === null) return noProject;
    const existing = (await items.list(projectUid)).filter(({ subType }) => subType !== 'collection');
    return {
      collectionId: await items.collectionId(projectUid),
      items: existing.map(({ id, metadata }) => ({ id, metadata })),
      numbers: new Set(existing.flatMap(({ metadata }) => metadata.mintNumber ?? [])),
      hashes: new Set(existing.map(({ file }) => file.sha256)),
      fields: await imports.fieldsOf(projectUid),
    };
  }

  /** Finds files that were written again since they were read. */
  async function changedFiles(session: ImportSession): Promise<Set<number>> {
    const changed = new Set<number>();
    await session.prepare();
    const used = session.derived().rows.flatMap(({ file, itemId }) => (file?.origin && itemId === null ? [file] : []));
    for (let at = 0; at < used.length; at += 64) {
      await Promise.all(
        used.slice(at, at + 64).map(async ({ id, origin, bytes }) => {
          const info = await lstat(origin?.path ?? '').catch(() => undefined);
          // A file that is gone was stored when it was read: what was shown can still be imported.
          if (info !== undefined && (Math.trunc(info.mtimeMs) !== origin?.modified || info.size !== bytes))
            changed.add(id);
        }),
      );
    }
    return changed;
  }

  async function projectFor(session: ImportSession): Promise<Project> {
    const { options } = session.head;
    const uid = session.head.projectUid ?? (await findProject(options));
    return uid === null
      ? projects.create({ name: options.projectName, type: options.projectType })
      : projects.get({ uid });
  }

  return {
    findProject,
    factsOf,

    /** @throws PlanchetError `import.nothing-ready` | `import.pairing-open` */
    async requireSomething(session: ImportSession): Promise<void> {
      session.project = await factsOf(session.head.projectUid);
      session.changed = await changedFiles(session);
      session.touch();
      await session.prepare();
      const { rows } = session.derived();
      if (rows.some((row) => isCounted(row) && row.itemId === null)) return;
      if (session.wholeFindings().some(({ code }) => code === 'pairing-open')) {
        throw new PlanchetError('import.pairing-open');
      }
      const first = rows.flatMap((row) => session.problems(row)).find(({ severity }) => severity === 'error');
      throw new PlanchetError('import.nothing-ready', { problem: first?.message ?? '' });
    },

    async commit(session: ImportSession, signal: AbortSignal): Promise<void> {
      const { head } = session;
      const project = await projectFor(session);
      head.projectUid = project.uid;
      await imports.saveHead(head);
      session.project = await factsOf(project.uid);
      session.changed = await changedFiles(session);
      session.touch();
      await session.prepare();
      const plan = planCommit(session);
      head.total = plan.items.length;
      head.done = 0;
      const present = (await items.list(project.uid)).find(({ subType }) => subType === 'collection');
      if (plan.collection !== undefined && present === undefined) {
        const { file, fileName, metadata, subType } = plan.collection;
        const item = { projectUid: project.uid, sha256: file.sha256, file, fileName, metadata, subType };
        await items.createMany([item], project.type, async () => {});
      }
      const imported = new Map(session.body.imported);
      for (let at = 0; at < plan.items.length; at += SLICE) {
        signal.throwIfAborted();
        const slice = plan.items.slice(at, at + SLICE);
        const inputs = slice.map((item) => ({ ...item, projectUid: project.uid, sha256: item.file.sha256 }));
        const rowIds = slice.map(({ row }) => row?.id ?? -1);
        const ids = await items.createMany(inputs, project.type, async (db, made) => {
          const values = made.map((item_id, index) => ({ import_id: head.id, row: rowIds[index] as number, item_id }));
          await db.insertInto('studio_import_items').values(values).execute();
        });
        for (const [index, id] of ids.entries()) imported.set(rowIds[index] as number, id);
        head.done = at + slice.length;
        session.body = { ...session.body, imported: new Map(imported) };
        session.touch();
        await projects.publish(project.uid);
      }
      await imports.saveFieldsOf(project.uid, usedFields(session));
      await changes.recompute(project.uid);
      session.project = await factsOf(project.uid);
      session.touch();
      await session.prepare();
      head.phase = 'done';
      await imports.saveHead(head);
    },
  };
}

/** What earlier imports into the project had, then what this one's fields became. A field that nobody chose to leave out is looked at anew each time. */
function usedFields(session: ImportSession): Map<string, FieldChoice> {
  const fields = new Map(session.project.fields);
  for (const { field, target, trait } of session.fields()) {
    if (target !== 'ignore' || session.head.fields.has(field)) fields.set(field, { target, trait });
  }
  return fields;
}

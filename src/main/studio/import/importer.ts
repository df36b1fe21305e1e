import { randomUUID } from 'node:crypto';
import { basename, extname, join } from 'node:path';
import type { Logger } from 'pino';
import {
  type Contract,
  type ImportMapping,
  type ImportOptions,
  type ImportStatus,
  PlanchetError,
  type Serves,
  toFailure,
} from '../../../contract/index.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { Thumbnails } from '../content/thumbnails.ts';
import type { QuietParts } from '../parts.ts';
import type { ItemChanges } from '../projects/changes/item-changes.ts';
import type { ItemStore } from '../projects/items.ts';
import { checkRoyalties } from '../projects/metadata.ts';
import type { ProjectStore } from '../projects/projects.ts';
import { createCommitter } from './commit/committer.ts';
import { createReader } from './import-reader.ts';
import { type ImportHead, ImportStore } from './import-store.ts';
import { isForOne } from './rows/mapping.ts';
import { SessionGone, SessionThread } from './session/session-thread.ts';
import { ImportUploads } from './sources/uploads.ts';

/** Imports whose rows are kept in memory; the others are read again when they are asked for. */
const MAX_LOADED = 2;
/** How long the thread of the rows stays unused: they are read again from the database. Of imports that are done nothing more is asked. */
const IDLE_MS = 60_000;
const DONE_IDLE_MS = 2_000;

const NOT_WRITTEN = 'the state of an import was not written';

const NO_ROWS = {
  rows: 0,
  ready: 0,
  withErrors: 0,
  withWarnings: 0,
  excluded: 0,
  imported: 0,
  filesWithoutRow: 0,
  problems: [],
};

export interface ImporterDeps extends QuietParts {
  /** Uploads are kept in `<dataDir>/imports`. */
  readonly dataDir: string;
  readonly files: ContentStore;
  /** Whether a content claims to be a picture that no decoder opens. */
  readonly isUnreadable: Thumbnails['isUnreadable'];
  readonly items: ItemStore;
  readonly changes: ItemChanges;
  readonly projects: ProjectStore;
  /** The most that the rows of imports take in memory, where another amount than usual is wanted. */
  readonly importHeapMb?: number | undefined;
  /** Largest content in bytes; the setting may change. */
  readonly maxBytes: () => number;
  readonly logger: Logger;
}

export interface Importer extends Serves<Contract['import']> {
  /** Goes on with what an earlier run left. */
  start(): Promise<void>;
  /** Ends what runs; it goes on at the next start. */
  stop(): Promise<void>;
}

/**
 * Imports: reads what was brought, proposes what it means, shows what is wrong, and makes items of what is fine. Everything is in the
 * database, so an import goes on after a restart: reading starts again, a commit goes on with the rows that have no item yet.
 */
export function createImporter(deps: ImporterDeps): Importer {
  const { network, clock, logger } = deps;
  const store = new ImportStore(network, deps.store);
  const uploads = new ImportUploads(join(deps.dataDir, 'imports'));
  const heads = new Map<string, ImportHead>();
  /** Those whose rows are in the thread. */
  const loaded = new Map<string, Promise<void>>();
  const running = new Map<string, { promise: Promise<void>; abort: AbortController }>();
  const sessions = new SessionThread(deps.importHeapMb);
  /** How much is under way in the thread. */
  let working = 0;
  let cancelIdle: () => void = () => {};
  const committer = createCommitter({ ...deps, imports: store, sessions });
  const read = createReader({
    ...deps,
    store,
    uploads,
    proposedName: (id) => ask(id, (thread) => thread.run(id, 'proposedName', undefined)),
    findProject: (options) => committer.findProject(options),
  });

  function headOf(id: string): ImportHead {
    const head = heads.get(id);
    if (head === undefined) throw new PlanchetError('import.unknown');
    return head;
  }

  /** Has the rows of an import in the thread; whoever asks while they are loaded waits for the same. */
  async function ready(id: string): Promise<void> {
    const head = headOf(id);
    const loading = loaded.get(id) ?? load(head);
    loaded.delete(id);
    loaded.set(id, loading);
    for (const other of loaded.keys()) {
      if (loaded.size <= MAX_LOADED) break;
      if (other === id || running.has(other)) continue;
      loaded.delete(other);
      await sessions.drop(other);
    }
    loading.catch(() => loaded.delete(id));
    return loading;
  }

  async function load(head: ImportHead): Promise<void> {
    await sessions.open(head);
    for await (const part of store.body(head.id)) await sessions.run(head.id, 'add', part);
    await committer.tellProject(head);
  }

  /** Asks the thread, which may have ended since the rows were loaded. */
  function ask<Result>(id: string, question: (thread: SessionThread) => Promise<Result>): Promise<Result> {
    return inThread(async () => {
      await ready(id);
      const lost = loaded.get(id);
      return question(sessions).catch(async (error: unknown) => {
        if (!(error instanceof SessionGone) || !heads.has(id)) throw error;
        // Another question may have them loaded again already.
        if (loaded.get(id) === lost) loaded.delete(id);
        await ready(id);
        return question(sessions);
      });
    });
  }

  /** The thread ends some time after the last work in it. */
  async function inThread<Result>(work: () => Promise<Result>): Promise<Result> {
    cancelIdle();
    working++;
    try {
      return await work();
    } finally {
      working--;
      if (working === 0) {
        const isDone = [...loaded.keys()].every((id) => heads.get(id)?.phase === 'done');
        cancelIdle = clock.after(isDone ? DONE_IDLE_MS : IDLE_MS, () => void rest());
      }
    }
  }

  function rest(): Promise<void> {
    cancelIdle();
    loaded.clear();
    return sessions.close();
  }

  function editable(id: string): ImportHead {
    const head = headOf(id);
    if (head.phase === 'failed')
      throw new PlanchetError(head.failure ?? new PlanchetError('import.unknown').toFailure());
    if (running.has(id)) throw new PlanchetError('import.busy');
    return head;
  }

  /** Runs work of an import beside its callers; what it throws becomes the failure of the import. */
  function run(id: string, onFailure: ImportHead['phase'], work: (signal: AbortSignal) => Promise<void>): void {
    const abort = new AbortController();
    const promise = work(abort.signal)
      .catch(async (error: unknown) => {
        if (abort.signal.aborted) return;
        logger.warn({ err: error, import: id }, 'an import stopped');
        const head = heads.get(id);
        if (head === undefined) return;
        head.phase = onFailure;
        head.failure = toFailure(error);
        await store.saveHead(head);
      })
      .catch((error: unknown) => logger.error({ err: error, import: id }, NOT_WRITTEN))
      .finally(() => running.delete(id));
    running.set(id, { promise, abort });
  }

  /** Reads what was brought. Until that is done, the disk says that it was interrupted: only {@link stop} takes that back. */
  async function begin(head: ImportHead): Promise<void> {
    await store.saveHead({ ...head, failure: new PlanchetError('import.interrupted').toFailure() });
    heads.set(head.id, head);
    run(head.id, 'failed', async (signal) => {
      await read(head, signal);
      if (loaded.has(head.id)) await ask(head.id, () => tell(head));
      if (head.source.uploadId !== null) await uploads.remove(head.source.uploadId);
      await store.saveHead({ ...head, phase: 'ready' });
      // Last: whoever sees it may begin the commit at once.
      head.phase = 'ready';
    });
  }

  /** Tells the thread what was decided about an import. */
  async function tell(head: ImportHead): Promise<void> {
    await sessions.run(head.id, 'set', { head });
    await committer.tellProject(head);
  }

  function mappingOf(id: string): Promise<ImportMapping> {
    return ask(id, (thread) => thread.run(id, 'mapping', undefined));
  }

  return {
    async start() {
      await store.forgetDone(clock.now());
      for (const head of await store.heads()) heads.set(head.id, head);
      await uploads.start(new Set([...heads.values()].flatMap(({ source }) => source.uploadId ?? [])));
      for (const head of heads.values()) {
        if (head.phase === 'reading' && head.failure !== null) {
          // It may be what ended the program: a person begins it again, or does not.
          head.phase = 'failed';
          await store.saveHead(head);
        } else if (head.phase === 'reading') await begin(head);
        else if (head.phase === 'committing') {
          run(head.id, 'ready', (signal) => ask(head.id, () => committer.commit(head, signal)));
        }
      }
    },

    async stop() {
      const ended = [...running.keys()];
      for (const { abort } of running.values()) abort.abort();
      await Promise.all([...running.values()].map(({ promise }) => promise));
      for (const id of ended) {
        const head = heads.get(id);
        if (head?.phase !== 'reading') continue;
        // The disk goes on saying that it was interrupted.
        await store.saveHead(head).catch((err: unknown) => logger.error({ err, import: id }, NOT_WRITTEN));
      }
      await rest();
    },

    upload: {
      begin: () => uploads.begin(),
      append: async ({ uploadId, name, offset, piece }) =>
        uploads.append({ uploadId, name, offset, piece: new Uint8Array(await piece.arrayBuffer()) }),
      abort: ({ uploadId }) => uploads.remove(uploadId),
    },

    /** @throws PlanchetError `import.path-relative` | `import.unknown` (upload) */
    async open(input) {
      const { paths = [], uploadId = null } = input;
      if (uploadId !== null) uploads.path(uploadId);
      const head: ImportHead = {
        id: randomUUID(),
        phase: 'reading',
        source: { paths, uploadId, table: input.table ?? null },
        options: {
          projectName: input.projectName ?? defaultName(paths),
          projectType: input.projectType,
          projectUid: input.projectUid ?? null,
          table: '',
          folder: null,
          nameTemplate: null,
          collectionDescription: '',
          cover: null,
          royalties: [],
          allowDuplicates: false,
          pairByOrder: false,
          rarity: true,
        },
        fields: new Map(),
        findings: [],
        facts: { tables: [], collection: null },
        done: 0,
        total: 0,
        projectUid: null,
        failure: null,
        createdAt: clock.now(),
      };
      await begin(head);
      return statusOf(head.id);
    },

    list: async () => {
      const unfinished = [...heads.values()].filter(({ phase }) => phase !== 'done').slice(0, 20);
      return Promise.all(unfinished.map(({ id }) => statusOf(id)));
    },

    status: ({ id }) => statusOf(id),

    mapping: {
      get: async ({ id }) => mappingOf(readable(id)),
      set: async (input) => {
        const { cover = null } = input.options ?? {};
        if (cover !== null && !(await store.hasFile(editable(input.id).id, cover))) {
          throw new PlanchetError('import.cover-missing', { id: cover });
        }
        const columns = (await mappingOf(editable(input.id).id)).fields;
        // Nothing is awaited until all is decided, so that of two calls neither undoes the other.
        const head = editable(input.id);
        const options: ImportOptions = { ...head.options, ...input.options };
        if (options.table !== '' && !head.facts.tables.some(({ name }) => name === options.table)) {
          throw new PlanchetError('import.table-missing', { table: options.table });
        }
        checkRoyalties(input.options?.royalties, network);
        const fields = new Map(options.table === head.options.table ? head.fields : []);
        const named = options.table === head.options.table ? columns : undefined;
        for (const { field, target, trait } of input.fields ?? []) {
          if (named !== undefined && !named.some((one) => one.field === field)) {
            const known = named.map((one) => one.field).join(', ');
            throw new PlanchetError('import.unknown-field', { field, columns: known.slice(0, 500) || 'none' });
          }
          // A column takes the place of the one that was proposed for the same meaning.
          if (isForOne(target)) {
            for (const other of named ?? []) {
              if (other.target === target && other.field !== field)
                fields.set(other.field, { target: 'ignore', trait: '' });
            }
          }
          fields.set(field, { target, trait: trait ?? '' });
        }
        head.options = options;
        head.fields = fields;
        const projectUid = await committer.findProject(options);
        if (head.options === options) head.projectUid = projectUid;
        await store.saveHead(headOf(head.id));
        await ask(head.id, () => tell(head));
        return mappingOf(head.id);
      },
    },

    rows: async (input) => ask(readable(input.id), (thread) => thread.run(input.id, 'rows', input)),

    files: async (input) => ask(readable(input.id), (thread) => thread.run(input.id, 'files', input)),

    traits: async ({ id }) => ask(readable(id), (thread) => thread.run(id, 'traits', undefined)),

    /** @throws PlanchetError `import.edit-unknown` | `import.busy` | `import.unknown` */
    async edit({ id, edits }) {
      editable(id);
      const changes = await ask(id, (thread) => thread.run(id, 'storedEdits', edits));
      // A commit may have begun meanwhile.
      editable(id);
      await store.saveEdits(id, changes);
      await ask(id, (thread) => thread.run(id, 'edit', changes));
      const touched = edits.map(({ row }) => row);
      return ask(id, (thread) => thread.run(id, 'rowsOf', touched));
    },

    /** @throws PlanchetError `import.nothing-ready` | `import.busy` | `import.unknown` */
    async commit({ id }) {
      const head = editable(id);
      await ask(id, () => committer.requireSomething(head));
      // Another call may have begun meanwhile.
      if (running.has(id)) throw new PlanchetError('import.busy');
      if (!heads.has(id)) throw new PlanchetError('import.unknown');
      head.phase = 'committing';
      head.failure = null;
      const saved = store.saveHead(head);
      run(id, 'ready', async (signal) => {
        await saved;
        await ask(id, () => committer.commit(head, signal));
      });
      await saved;
      return statusOf(id);
    },

    /** What runs is ended first. Contents that no item uses are removed with the next start. */
    async discard({ id }) {
      const head = headOf(id);
      const work = running.get(id);
      work?.abort.abort();
      heads.delete(id);
      loaded.delete(id);
      await inThread(() => sessions.drop(id));
      await work?.promise;
      await store.remove(id);
      if (head.source.uploadId !== null) await uploads.remove(head.source.uploadId);
    },
  };

  async function statusOf(id: string): Promise<ImportStatus> {
    const head = headOf(id);
    const { projectName } = head.options;
    const { phase, done, total, projectUid, failure, createdAt } = head;
    const told = { id, phase, done, total, projectName, projectUid, failure, createdAt };
    if (phase === 'reading' || phase === 'failed') return { ...NO_ROWS, ...told };
    return { ...(await ask(id, (thread) => thread.run(id, 'status', undefined))), ...told };
  }

  function readable(id: string): string {
    const { phase, failure } = headOf(id);
    if (phase === 'reading') throw new PlanchetError('import.busy');
    if (phase === 'failed' && failure !== null) throw new PlanchetError(failure);
    return id;
  }
}

function defaultName(paths: readonly string[]): string {
  const path = paths.length === 1 ? (paths[0] ?? '') : '';
  return basename(path, extname(path)).trim().slice(0, 120) || 'Imported';
}

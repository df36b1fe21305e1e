import { create } from 'zustand';
import type { Failure, Item } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { uploadFile } from '../../../api/upload/upload.ts';
import { nameFromFile } from '../../../lib/format.ts';
import { newKey } from '../../../lib/new-key.ts';
import { claim, finish, forget, leftBehind, type PendingUpload, remember } from './pending-uploads.ts';

/** Two at a time keep the connection busy without slowing each other down. */
const CONCURRENT = 2;

type UploadPhase = 'waiting' | 'sending' | 'finishing' | 'failed' | 'cancelled';

export interface Upload {
  readonly id: number;
  /** The key under which its item is created. */
  readonly key: string;
  readonly projectUid: string;
  readonly file: File;
  readonly phase: UploadPhase;
  readonly sent: number;
  /** When its first byte left. */
  readonly startedAt: number;
  readonly failure: Failure | null;
  readonly controller: AbortController;
}

type OnAdded = (item: Item) => void;

interface Uploads {
  list: readonly Upload[];
  /** Drops of an earlier page of which the browser did not keep all files. Those that are not done have to be dropped again. */
  missing: readonly PendingUpload[];
  add(projectUid: string, files: readonly File[], onAdded: OnAdded): void;
  /** Resumes the unfinished uploads of earlier pages. */
  resume(projectUid: string, onAdded: OnAdded): Promise<void>;
  /** Tries a failed one again, perhaps with another content type. */
  retry(id: number, file: File, onAdded: OnAdded): void;
  /** Gives up the missing files. */
  leaveOut(projectUid: string): void;
  cancel(id: number): void;
  dismiss(id: number): void;
}

let nextId = 1;

/** Uploads continue while other pages are open. A finished upload leaves the list and appears in its project. */
export const useUploads = create<Uploads>((set, get) => {
  const change = (id: number, changes: Partial<Upload>): void =>
    set((state) => ({ list: state.list.map((one) => (one.id === id ? { ...one, ...changes } : one)) }));
  const drop = (id: number): void => set((state) => ({ list: state.list.filter((one) => one.id !== id) }));
  /** Ends one that shall not be added any more. */
  const end = ({ id, key }: Upload): void => {
    drop(id);
    forget([key]);
  };
  const listeners = new Map<number, (item: Item) => void>();

  /** Items of a collection take their place in the order they arrive, so they are created one after another. */
  let creating: Promise<unknown> = Promise.resolve();
  const createItem = (upload: Upload, sha256: string): Promise<Item> => {
    const made = creating.then(() =>
      client.items.create({
        projectUid: upload.projectUid,
        sha256,
        fileName: upload.file.name,
        metadata: { name: nameFromFile(upload.file.name), description: '', traits: [] },
        idempotencyKey: upload.key,
      }),
    );
    creating = made.catch(() => {});
    return made;
  };

  const run = async (upload: Upload): Promise<void> => {
    try {
      const info = await uploadFile(client.files, upload.file, {
        signal: upload.controller.signal,
        onProgress: (sent) => change(upload.id, { sent, phase: sent >= upload.file.size ? 'finishing' : 'sending' }),
      });
      const item = await createItem(upload, info.sha256);
      listeners.get(upload.id)?.(item);
      drop(upload.id);
      finish(upload.key);
    } catch (error) {
      if (upload.controller.signal.aborted) end(upload);
      else change(upload.id, { phase: 'failed', failure: failureOf(error) });
    } finally {
      listeners.delete(upload.id);
      next();
    }
  };

  const next = (): void => {
    const busy = get().list.filter((one) => one.phase === 'sending' || one.phase === 'finishing').length;
    for (const upload of get()
      .list.filter((one) => one.phase === 'waiting')
      .slice(0, Math.max(0, CONCURRENT - busy))) {
      change(upload.id, { phase: 'sending', startedAt: Date.now() });
      void run(upload);
    }
  };

  const enqueue = (uploads: readonly Pick<Upload, 'key' | 'projectUid' | 'file'>[], onAdded: OnAdded): void => {
    const added = uploads.map((upload): Upload => {
      const id = nextId;
      nextId += 1;
      listeners.set(id, onAdded);
      return {
        ...upload,
        id,
        phase: 'waiting',
        sent: 0,
        startedAt: 0,
        failure: null,
        controller: new AbortController(),
      };
    });
    set((state) => ({ list: [...state.list, ...added] }));
    next();
  };

  return {
    list: [],
    missing: [],
    add(projectUid, files, onAdded) {
      const left = new Set(get().missing);
      const drop = newKey();
      void claim(drop);
      const pending = files.map((file, position) => {
        const { name, size } = file;
        const before = [...left].find((one) => one.projectUid === projectUid && one.name === name && one.size === size);
        if (before !== undefined) left.delete(before);
        const fresh: PendingUpload = {
          key: newKey(),
          projectUid,
          drop,
          name,
          size,
          position,
          addedAt: Date.now(),
        };
        const { isDone: _, ...named } = before ?? fresh;
        return { ...named, file };
      });
      // A file that is here now keeps its key while others of its drop are missing, in case it is dropped again with them.
      const came = (one: PendingUpload): PendingUpload => (left.has(one) ? one : { ...one, isDone: true });
      set((state) => ({ missing: incomplete(state.missing.map(came)) }));
      remember(pending);
      enqueue(pending, onAdded);
    },
    async resume(projectUid, onAdded) {
      for await (const uploads of leftBehind(projectUid)) {
        const kept = uploads.flatMap(({ file, ...one }) => (file === undefined ? [] : [{ ...one, file }]));
        const missing = incomplete(uploads.filter(({ file }) => file === undefined));
        set((state) => ({ missing: [...state.missing, ...missing] }));
        enqueue(kept, onAdded);
      }
    },
    retry(id, file, onAdded) {
      const upload = get().list.find((one) => one.id === id);
      drop(id);
      if (upload !== undefined) enqueue([{ ...upload, file }], onAdded);
    },
    leaveOut(projectUid) {
      const { missing } = get();
      forget(missing.filter((one) => one.projectUid === projectUid).map(({ key }) => key));
      set({ missing: missing.filter((one) => one.projectUid !== projectUid) });
    },
    cancel(id) {
      const upload = get().list.find((one) => one.id === id);
      upload?.controller.abort();
      if (upload?.phase === 'waiting') {
        listeners.delete(id);
        end(upload);
      }
    },
    dismiss(id) {
      const upload = get().list.find((one) => one.id === id);
      if (upload !== undefined) end(upload);
    },
  };
});

/** Uploads of the drops that lack a file. */
function incomplete(uploads: readonly PendingUpload[]): PendingUpload[] {
  const drops = new Set(uploads.filter(({ isDone }) => isDone !== true).map(({ drop }) => drop));
  return uploads.filter(({ drop }) => drops.has(drop));
}

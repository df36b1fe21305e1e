import { create } from 'zustand';
import type { Failure, Item } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { uploadFile } from '../../../api/upload/upload.ts';
import { nameFromFile } from '../../../lib/format.ts';

/** Two at a time keep the connection busy without slowing each other down. */
const CONCURRENT = 2;

type UploadPhase = 'waiting' | 'sending' | 'finishing' | 'failed' | 'cancelled';

export interface Upload {
  readonly id: number;
  readonly projectUid: string;
  readonly file: File;
  readonly phase: UploadPhase;
  readonly sent: number;
  /** When its first byte left. */
  readonly startedAt: number;
  readonly failure: Failure | null;
  readonly controller: AbortController;
}

interface Uploads {
  list: readonly Upload[];
  add(projectUid: string, files: readonly File[], onAdded: (item: Item) => void): void;
  cancel(id: number): void;
  dismiss(id: number): void;
}

let nextId = 1;

/** Uploads continue while other pages are open. A finished upload leaves the list and appears in its project. */
export const useUploads = create<Uploads>((set, get) => {
  const change = (id: number, changes: Partial<Upload>): void =>
    set((state) => ({ list: state.list.map((one) => (one.id === id ? { ...one, ...changes } : one)) }));
  const drop = (id: number): void => set((state) => ({ list: state.list.filter((one) => one.id !== id) }));
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
    } catch (error) {
      if (upload.controller.signal.aborted) drop(upload.id);
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

  return {
    list: [],
    add(projectUid, files, onAdded) {
      const added = files.map((file): Upload => {
        const id = nextId;
        nextId += 1;
        listeners.set(id, onAdded);
        return {
          id,
          projectUid,
          file,
          phase: 'waiting',
          sent: 0,
          startedAt: 0,
          failure: null,
          controller: new AbortController(),
        };
      });
      set((state) => ({ list: [...state.list, ...added] }));
      next();
    },
    cancel(id) {
      const upload = get().list.find((one) => one.id === id);
      upload?.controller.abort();
      if (upload?.phase === 'waiting') {
        listeners.delete(id);
        drop(id);
      }
    },
    dismiss: drop,
  };
});

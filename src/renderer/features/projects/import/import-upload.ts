import { create } from 'zustand';
import type { Failure } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { sendPieces } from '../../../api/upload/send-pieces.ts';
import { routes } from '../../../lib/routes.ts';

const CONCURRENT = 4;
/** Tables, metadata and archives: they may describe other files. */
const DESCRIBES = /\.(?:csv|tsv|json|zip)$/i;

/** A dropped file with the path inside its folder, as browsers give it. */
interface PathFile extends File {
  readonly path?: string;
  readonly relativePath?: string;
}

/** Path of a file below what was dropped or chosen. */
export function pathOf(file: PathFile): string {
  const path = file.webkitRelativePath || file.relativePath || file.path || file.name;
  return path.replace(/^(?:\.?\/)+/, '');
}

/** Whether a file may describe others and has to be asked about before it is made into a token. */
export function mayDescribe(file: File): boolean {
  return DESCRIBES.test(file.name);
}

/** Opens an import that was sent, unless the person has gone elsewhere by then: the page of imports lists it. */
export function openImport(id: string | undefined, navigate: (to: string) => void): void {
  if (id !== undefined && location.hash === `#${routes.import}`) navigate(routes.importOf(id));
}

interface SendOptions {
  readonly projectUid?: string;
  readonly projectName?: string;
  readonly projectType?: 'single' | 'collection';
}

/** A name for the project: the folder or archive that was brought. */
export function nameOf(files: readonly File[]): string | undefined {
  const [first] = files;
  if (first === undefined) return undefined;
  const [folder, ...rest] = pathOf(first).split('/');
  const name = rest.length > 0 ? folder : files.length === 1 ? first.name.replace(/\.zip$/i, '') : undefined;
  return name?.trim().slice(0, 120) || undefined;
}

interface ImportUpload {
  phase: 'idle' | 'sending' | 'failed';
  done: number;
  total: number;
  failure: Failure | null;
  /** Sends the files and starts to read them. @returns the id of the import, undefined where it was cancelled or failed */
  send(files: readonly File[], options?: SendOptions): Promise<string | undefined>;
  cancel(): void;
}

let current: AbortController | undefined;

async function sendFile(uploadId: string, file: File, signal: AbortSignal): Promise<void> {
  const name = pathOf(file);
  await sendPieces(file, {
    append: (offset, piece) => client.import.upload.append({ uploadId, name, offset, piece }, { signal }),
    signal,
  });
}

/** Files on their way into an import. It continues while other pages are open. */
export const useImportUpload = create<ImportUpload>((set, get) => ({
  phase: 'idle',
  done: 0,
  total: 0,
  failure: null,
  async send(files, options = {}) {
    get().cancel();
    const controller = new AbortController();
    current = controller;
    const { signal } = controller;
    set({ phase: 'sending', done: 0, total: files.length, failure: null });
    let uploadId: string | undefined;
    try {
      ({ uploadId } = await client.import.upload.begin(undefined, { signal }));
      const queue = [...files];
      const work = async (): Promise<void> => {
        for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
          signal.throwIfAborted();
          await sendFile(uploadId as string, file, signal);
          set(({ done }) => ({ done: done + 1 }));
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT }, work));
      const projectName = options.projectName ?? nameOf(files);
      const { id } = await client.import.open({
        uploadId,
        ...options,
        ...(projectName === undefined ? {} : { projectName }),
      });
      set({ phase: 'idle' });
      return id;
    } catch (error) {
      if (uploadId !== undefined) void client.import.upload.abort({ uploadId }).catch(() => {});
      if (!signal.aborted) set({ phase: 'failed', failure: failureOf(error) });
      return undefined;
    }
  },
  cancel() {
    current?.abort();
    current = undefined;
    set({ phase: 'idle', failure: null });
  },
}));

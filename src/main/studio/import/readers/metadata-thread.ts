import type { Piscina } from 'piscina';
import { PlanchetError, phrase, phraseText } from '../../../../contract/index.ts';
import { openImportThread } from '../import-thread.ts';
import { baseName, type ReadRecord } from '../model.ts';
import type { MetadataOutcome, UnreadMetadata } from './metadata.ts';
import type { ReadOutcome } from './metadata-worker.ts';

/** Most memory for the values of one file. */
const MAX_HEAP_MB = 2_048;
/** Shorter contents are copied: moving one takes longer, and small ones share a buffer. */
const HANDED_OVER_FROM = 100_000;

/**
 * The thread that reads tables and JSON of one import, so that they cannot hold up the main thread. The rows of tables stay there until they are
 * taken, in pieces. It starts with the first file and is ended by {@link close}, or when the reading is cancelled, also inside one file.
 */
export class MetadataThread {
  readonly #signal: AbortSignal;
  #pool: Promise<Piscina> | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * @returns in the order of the files
   * @throws PlanchetError `import.table-unreadable` where a file needs more memory than it gets; what the signal was aborted with
   */
  async read(files: readonly UnreadMetadata[]): Promise<MetadataOutcome[]> {
    const signal = this.#signal;
    signal.throwIfAborted();
    const own = files
      .map(({ bytes }) => bytes)
      .filter(({ length, buffer }) => length >= HANDED_OVER_FROM && length === buffer.byteLength);
    const transferList = own.map(({ buffer }) => buffer as ArrayBuffer);
    try {
      const outcomes = (await (await this.#open()).run(files, { name: 'read', signal, transferList })) as ReadOutcome[];
      return outcomes.map((one): MetadataOutcome => {
        if (!('table' in one)) return one as MetadataOutcome;
        const { number, format, rows } = one.table;
        return { read: { kind: 'table', table: { format, rows, pieces: () => this.#rows(number, rows) } } };
      });
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      const [largest] = files.toSorted((a, b) => b.bytes.length - a.bytes.length);
      const reason = phraseText(phrase('import.word.memory'));
      throw new PlanchetError('import.table-unreadable', { table: baseName(largest?.path ?? ''), reason });
    }
  }

  async close(): Promise<void> {
    await (await this.#pool)?.destroy();
    this.#pool = undefined;
  }

  async *#rows(table: number, rows: number): AsyncGenerator<readonly ReadRecord[]> {
    for (let from = 0; from < rows; ) {
      const options = { name: 'take', signal: this.#signal };
      const piece = (await (await this.#open()).run({ table, from }, options)) as ReadRecord[];
      from += piece.length;
      yield piece;
    }
  }

  #open(): Promise<Piscina> {
    this.#pool ??= openImportThread({ worker: workerUrl(), maxHeapMb: MAX_HEAP_MB });
    return this.#pool;
  }
}

/** The worker beside this file: TypeScript when run from source, JavaScript when built. */
function workerUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./metadata-worker.ts', import.meta.url)
    : new URL('./metadata-worker.js', import.meta.url);
}

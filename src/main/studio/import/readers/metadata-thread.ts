import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { PlanchetError, phrase, phraseText } from '../../../../contract/index.ts';
import { Sequencer } from '../../../async/sequencer.ts';
import { baseName, type ReadRecord, type ReadTable } from '../model.ts';
import type { MetadataOutcome, UnreadMetadata } from './metadata.ts';
import type { ReadOutcome } from './metadata-worker.ts';

/** The most that the values of the largest file take. */
const MAX_HEAP_MB = 2_048;
/** Shorter contents are copied: handing one over takes longer, and small ones share their memory. */
const HANDED_OVER_FROM = 100_000;

/**
 * The thread that reads tables and JSON of other people, so that nothing in them holds up this one. What it read comes back in pieces. It starts with
 * the first import and is ended by {@link close}, or by a reading that is cancelled, also inside one file.
 */
export class MetadataThread {
  #pool: Piscina | undefined;
  /** One reading at a time: the thread keeps what it read until it is taken. */
  readonly #readings = new Sequencer();

  /**
   * @returns in the order of the files
   * @throws PlanchetError `import.table-unreadable` where a file needs more memory than it gets; what `signal` was aborted with
   */
  read(files: readonly UnreadMetadata[], signal: AbortSignal): Promise<MetadataOutcome[]> {
    return this.#readings.run(() => this.#read(files, signal));
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  async #read(files: readonly UnreadMetadata[], signal: AbortSignal): Promise<MetadataOutcome[]> {
    signal.throwIfAborted();
    const pool = this.#open();
    const own = files
      .map(({ bytes }) => bytes)
      .filter(({ length, buffer }) => length >= HANDED_OVER_FROM && length === buffer.byteLength);
    const transferList = own.map(({ buffer }) => buffer as ArrayBuffer);
    try {
      const outcomes = (await pool.run(files, { name: 'read', signal, transferList })) as ReadOutcome[];
      const whole: MetadataOutcome[] = [];
      for (const [file, one] of outcomes.entries()) {
        if (!('table' in one)) {
          whole.push(one);
          continue;
        }
        const { format, rows } = one.table;
        const records: ReadRecord[] = [];
        while (records.length < rows) {
          const piece = (await pool.run({ file, from: records.length }, { name: 'take', signal })) as ReadRecord[];
          records.push(...piece);
        }
        whole.push({ read: { kind: 'table', table: { format: format as ReadTable['format'], records } } });
      }
      return whole;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      const [largest] = files.toSorted((a, b) => b.bytes.length - a.bytes.length);
      const reason = phraseText(phrase('import.word.memory'));
      throw new PlanchetError('import.table-unreadable', { table: baseName(largest?.path ?? ''), reason });
    }
  }

  #open(): Piscina {
    this.#pool ??= new Piscina({
      filename: fileURLToPath(workerUrl()),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // Flags such as --watch or --input-type of the main thread mean nothing to a worker and may stop it.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    return this.#pool;
  }
}

/** The worker beside this file: TypeScript when run from source, JavaScript when built. */
function workerUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./metadata-worker.ts', import.meta.url)
    : new URL('./metadata-worker.js', import.meta.url);
}

import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';

export interface ImportThreadOptions {
  /** The code that the thread runs. */
  readonly worker: URL;
  /** The most that its values take; where they need more, the thread ends and its work fails with `ERR_WORKER_OUT_OF_MEMORY`. */
  readonly maxHeapMb: number;
  /** How many pieces of work may wait for each other in the thread. */
  readonly tasksAtOnce?: number;
}

/**
 * MB of new values. A thread that is out of memory gets 16 MB more to end in. V8's default young generation is larger than that: promoted at that
 * moment, it ends the whole process.
 */
const NEW_VALUES_MB = 24;

/**
 * One thread beside the host's own, which starts with the first work and stays until it is destroyed. Its library is read here: most starts
 * of the program import nothing.
 */
export async function openImportThread({ worker, maxHeapMb, tasksAtOnce = 1 }: ImportThreadOptions): Promise<Piscina> {
  const { Piscina: Pool } = await import('piscina');
  return new Pool({
    filename: fileURLToPath(worker),
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: tasksAtOnce,
    idleTimeout: Number.POSITIVE_INFINITY,
    // Flags such as --watch or --input-type of the main thread mean nothing to a worker and may stop it.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: NEW_VALUES_MB },
  });
}

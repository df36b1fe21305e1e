import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';

export interface ImportThreadOptions {
  /** The code that the thread runs. */
  readonly worker: URL;
  /** The most that its values take; where they need more, the thread ends and its work fails with `ERR_WORKER_OUT_OF_MEMORY`. */
  readonly maxHeapMb: number;
  /** How many pieces of work may wait for each other in the thread. */
  readonly tasksAtOnce?: number;
}

/** One thread beside the host's own, which starts with the first work and stays until it is destroyed. */
export function openImportThread({ worker, maxHeapMb, tasksAtOnce = 1 }: ImportThreadOptions): Piscina {
  return new Piscina({
    filename: fileURLToPath(worker),
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: tasksAtOnce,
    idleTimeout: Number.POSITIVE_INFINITY,
    // Flags such as --watch or --input-type of the main thread mean nothing to a worker and may stop it.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
}

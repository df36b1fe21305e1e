import type { Piscina } from 'piscina';
import { PlanchetError } from '../../contract/index.ts';

/** Work is given up after its thread ended this often: the work may be the cause. */
const ATTEMPTS = 2;

export interface ThreadsOptions {
  /** Path of the code that the threads run. */
  readonly filename: string;
  /** Threads at most. */
  readonly size: number;
  readonly resourceLimits: { readonly maxYoungGenerationSizeMb: number };
}

export interface Work {
  /** Name of the exported function that runs it. */
  readonly name: string;
  /** Makes the input. It is called again for a second thread, since buffers that were moved are gone. */
  readonly task: () => unknown;
  /** The buffers of the input that are moved to the thread instead of copied. */
  readonly moved?: (task: unknown) => readonly ArrayBuffer[];
  /** The longest time it may run, in milliseconds. */
  readonly limitMs?: number;
}

/**
 * Threads that start with the first work and stay for the next. They do not keep the process alive. Work whose thread ended early, for lack of
 * memory or by a defect, is given to a new thread once.
 */
export class Threads {
  readonly #options: ThreadsOptions;
  readonly #slots: Slots;
  /** Read with the first work: a pool whose threads are another's has none of its own. */
  #library: Promise<typeof import('piscina')> | undefined;
  #pool: Piscina | undefined;
  #isClosed = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
    this.#slots = new Slots(options.size);
  }

  /**
   * @returns what the function answered; undefined where the time ran out, as nothing but the end of its thread stops it
   * @throws PlanchetError `cancelled` once closed; else what the function threw
   */
  async run(work: Work): Promise<unknown> {
    this.#library ??= import('piscina');
    const { Piscina } = await this.#library;
    for (let attempt = 1; ; attempt++) {
      const task = await work.task();
      await this.#slots.take();
      const stop = new AbortController();
      const timer = work.limitMs === undefined ? undefined : setTimeout(() => stop.abort(), work.limitMs);
      try {
        if (this.#isClosed) throw new PlanchetError('host.stopping');
        return await this.#open(Piscina).run(task, {
          name: work.name,
          signal: stop.signal,
          transferList: [...(work.moved?.(task) ?? [])],
        });
      } catch (error) {
        if (this.#isClosed) throw new PlanchetError('host.stopping');
        if (stop.signal.aborted) return undefined;
        if (attempt === ATTEMPTS) throw error;
      } finally {
        clearTimeout(timer);
        this.#slots.free();
      }
    }
  }

  /** Ends all threads; what still runs fails with `cancelled`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.destroy();
  }

  #open(Pool: typeof Piscina): Piscina {
    if (this.#pool !== undefined) return this.#pool;
    const { filename, size, resourceLimits } = this.#options;
    const pool = new Pool({
      filename,
      minThreads: 0,
      maxThreads: size,
      idleTimeout: Number.POSITIVE_INFINITY,
      // Flags such as --watch or --input-type of the main thread mean nothing to a worker and may stop it.
      execArgv: [],
      resourceLimits,
    });
    // The library does not replace a thread that ended before it took its work. A new pool takes the waiting work then.
    const replace = (): void => {
      if (this.#pool === pool) this.#pool = undefined;
      void pool.destroy();
    };
    pool.on('error', replace);
    pool.on('workerDestroy', () => {
      queueMicrotask(() => {
        if (pool.threads.length === 0 && pool.queueSize > 0) replace();
      });
    });
    this.#pool = pool;
    return pool;
  }
}

/** Limits the work under way to the number of threads, in order: the time limit of work must not run while it waits. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  free(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

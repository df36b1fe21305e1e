import type { Piscina } from 'piscina';
import { PlanchetError, phrase, phraseText } from '../../../../contract/index.ts';
import type { ImportHead } from '../import-store.ts';
import { openImportThread } from '../import-thread.ts';
import type { SessionAnswer, SessionCalls, SessionTask } from './session-worker.ts';

/** Most memory for the rows of imports. */
const MAX_HEAP_MB = 3_072;
/** Calls under way in the thread: one import can be shown while another is computed. */
const CALLS_AT_ONCE = 16;

type Input<Call extends keyof SessionCalls> = Parameters<SessionCalls[Call]>[1];
type Output<Call extends keyof SessionCalls> = ReturnType<SessionCalls[Call]>;

function outOfMemory(cause?: unknown): PlanchetError {
  const reason = phraseText(phrase('import.word.memory'));
  return new PlanchetError('import.table-unreadable', { table: '', reason }, { cause });
}

/** Thrown if the thread lost the session because it ended for lack of memory: the session is opened again from the database. */
export class SessionGone extends PlanchetError {
  constructor() {
    super(outOfMemory().toFailure());
  }
}

/**
 * The thread that holds the sessions of imports with their rows, mappings and problems; only what is shown or created is sent back. It starts
 * with the first session. If it ends for lack of memory, all sessions are lost.
 */
export class SessionThread {
  readonly #maxHeapMb: number;
  #pool: Promise<Piscina> | undefined;

  constructor(maxHeapMb = MAX_HEAP_MB) {
    this.#maxHeapMb = maxHeapMb;
  }

  async open(head: ImportHead): Promise<void> {
    await this.#do('open', head);
  }

  async drop(id: string): Promise<void> {
    await (await this.#pool)?.run(id, { name: 'drop' });
  }

  /**
   * @throws SessionGone; PlanchetError `import.table-unreadable` where the thread ended meanwhile, as the rows of one import need more memory
   *   than it gets; else what the call throws
   */
  async run<Call extends keyof SessionCalls>(id: string, call: Call, input: Input<Call>): Promise<Output<Call>> {
    const answer = (await this.#do('run', { id, call, input } satisfies SessionTask)) as SessionAnswer;
    if ('isGone' in answer) throw new SessionGone();
    if ('failure' in answer) throw new PlanchetError(answer.failure);
    return answer.output as Output<Call>;
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await (await pool)?.destroy();
  }

  async #do(name: 'open' | 'run', input: unknown): Promise<unknown> {
    const pool = this.#open();
    try {
      return await (await pool).run(input, { name });
    } catch (error) {
      if (this.#pool !== pool) throw new PlanchetError('host.stopping');
      if ((error as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw outOfMemory(error);
    }
  }

  #open(): Promise<Piscina> {
    this.#pool ??= openImportThread({ worker: workerUrl(), maxHeapMb: this.#maxHeapMb, tasksAtOnce: CALLS_AT_ONCE });
    return this.#pool;
  }
}

/** The worker beside this file: TypeScript when run from source, JavaScript when built. */
function workerUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./session-worker.ts', import.meta.url)
    : new URL('./session-worker.js', import.meta.url);
}

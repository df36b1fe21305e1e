import type { Piscina } from 'piscina';
import { PlanchetError, phrase, phraseText } from '../../../../contract/index.ts';
import type { ImportHead } from '../import-store.ts';
import { openImportThread } from '../import-thread.ts';
import type { SessionAnswer, SessionCalls, SessionTask } from './session-worker.ts';

/** The most that the rows of the largest imports take. */
const MAX_HEAP_MB = 3_072;
/** Calls that wait for each other in the thread: one import is looked at while another is computed. */
const CALLS_AT_ONCE = 16;

type Input<Call extends keyof SessionCalls> = Parameters<SessionCalls[Call]>[1];
type Output<Call extends keyof SessionCalls> = ReturnType<SessionCalls[Call]>;

/** Thrown where the thread has no such session any more: it is opened again from the database. */
export class SessionGone extends Error {}

/**
 * The thread that understands imports: their rows, mappings and problems are there alone, and only what is shown or made comes back. It starts
 * with the first session. Where it ends for want of memory, all sessions are gone.
 */
export class SessionThread {
  #pool: Piscina | undefined;

  async open(head: ImportHead): Promise<void> {
    await this.#open().run(head, { name: 'open' });
  }

  async drop(id: string): Promise<void> {
    await this.#pool?.run(id, { name: 'drop' });
  }

  /**
   * @throws SessionGone; PlanchetError `import.table-unreadable` where the rows need more memory than they get; else what the call throws
   */
  async run<Call extends keyof SessionCalls>(id: string, call: Call, input: Input<Call>): Promise<Output<Call>> {
    const pool = this.#open();
    try {
      const answer = (await pool.run({ id, call, input } satisfies SessionTask, { name: 'run' })) as SessionAnswer;
      if ('isGone' in answer) throw new SessionGone();
      if ('failure' in answer) throw new PlanchetError(answer.failure);
      return answer.output as Output<Call>;
    } catch (error) {
      if (this.#pool !== pool) throw new PlanchetError('host.stopping');
      if ((error as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      const reason = phraseText(phrase('import.word.memory'));
      throw new PlanchetError('import.table-unreadable', { table: '', reason }, { cause: error });
    }
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }

  #open(): Piscina {
    this.#pool ??= openImportThread({
      worker: workerUrl(),
      maxHeapMb: MAX_HEAP_MB,
      tasksAtOnce: CALLS_AT_ONCE,
    });
    return this.#pool;
  }
}

/** The worker beside this file: TypeScript when run from source, JavaScript when built. */
function workerUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./session-worker.ts', import.meta.url)
    : new URL('./session-worker.js', import.meta.url);
}

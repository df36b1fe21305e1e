import { AsyncLocalStorage } from 'node:async_hooks';

/** On whose behalf something is asked that many share. */
export interface Asker {
  /** Equal for those that have one share together. */
  readonly name: string;
  /** As a person knows it. */
  readonly title: string;
  /** The longest wait for a turn that is worth beginning, in milliseconds. */
  readonly mostWaitMs: number;
  /** Requests that it was given a turn for. */
  asked: number;
  /** Requests that wait for their turn. */
  waiting: number;
}

/** An asker would wait longer for its turn than is worth beginning. */
export class TooManyWait extends Error {
  override readonly name = 'TooManyWait';
  /** Its name as a person knows it. */
  readonly asker: string;
  /** Milliseconds until a turn is likely. */
  readonly waitMs: number;
  constructor({ title }: Asker, waitMs: number) {
    super(`too many requests of ${title} wait`);
    this.asker = title;
    this.waitMs = waitMs;
  }
}

const current = new AsyncLocalStorage<Asker | undefined>();

/** Does work on behalf of an asker; of the program itself where it is undefined. What the work waits for is done for it too. */
export function askingFor<T>(asker: Asker | undefined, work: () => T): T {
  return current.run(asker, work);
}

/** On whose behalf the code runs; undefined for the program's own. */
export function whoAsks(): Asker | undefined {
  return current.getStore();
}

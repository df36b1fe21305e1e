import { AsyncLocalStorage } from 'node:async_hooks';

/** On whose behalf a service is asked that many clients share. */
export interface Asker {
  /** Equal for those that use one share of it together. */
  readonly name: string;
  /** Name to show. */
  readonly title: string;
  /** The longest wait for a turn that is worth beginning, in milliseconds. */
  readonly mostWaitMs: number;
  /** Requests that it was given a turn for. */
  asked: number;
  /** Requests that wait for their turn. */
  waiting: number;
}

/** How far the answer to one call has come. */
export interface Progress {
  /** Requests that were sent for it. */
  sent: number;
  /** Its requests that wait for their turn. */
  readonly waiting: Set<Turn>;
  /** How much is read of what comes in many parts; undefined where nothing does. */
  parts: { readonly what: PartKind; readonly read: number; readonly of: number } | undefined;
}

type PartKind = 'transactions' | 'pages';

/** A turn that is waited for. */
export interface Turn {
  /** Number of turns that come first at present. Later ones may still overtake it. */
  before(): number;
  /** Milliseconds until it is likely. */
  inMs(): number;
}

/** An asker would wait longer for its turn than is worth beginning. */
export class TooManyWait extends Error {
  override readonly name = 'TooManyWait';
  /** Name of the asker to show. */
  readonly asker: string;
  /** Milliseconds until a turn is likely. */
  readonly waitMs: number;
  constructor({ title }: Asker, waitMs: number) {
    super(`too many requests of ${title} wait`);
    this.asker = title;
    this.waitMs = waitMs;
  }
}

const current = new AsyncLocalStorage<{ readonly asker: Asker | undefined; readonly progress: Progress | undefined }>();

/**
 * Does work on behalf of an asker; of the program itself where it is undefined. What the work waits for is done for it too.
 * @param progress of the call that the work answers
 */
export function askingFor<T>(asker: Asker | undefined, work: () => T, progress?: Progress): T {
  return current.run({ asker, progress }, work);
}

/** On whose behalf the code runs; undefined for the program's own. */
export function whoAsks(): Asker | undefined {
  return current.getStore()?.asker;
}

/** The progress of the call that the code works for; undefined where it works for none. */
export function progressNow(): Progress | undefined {
  return current.getStore()?.progress;
}

/** Notes how much of what comes in parts is read for the call that the code works for. */
export function noteParts(what: PartKind, read: number, of: number): void {
  const progress = progressNow();
  if (progress !== undefined) progress.parts = { what, read, of };
}

import { type Command, InvalidArgumentError } from 'commander';
import { type Failure, PlanchetError, parseDuration } from '../../../contract/index.ts';
import type { Output } from './run.ts';

/** After this time the command says what it waits for. */
export const SILENT_MS = 3_000;

export interface TimeoutOption {
  /** Milliseconds after which the command gives up waiting; left out, it waits on. */
  timeout?: number | undefined;
}

export function withTimeout(command: Command): Command {
  return command.option(
    '--timeout <duration>',
    'stop waiting after so long, such as 90s or 10m (default: wait on)',
    readDuration,
  );
}

/** The clock of a wait, in milliseconds. */
export interface WaitTime {
  now(): number;
  sleep(ms: number): Promise<void>;
}

const systemTime: WaitTime = {
  // Monotonic, so that a change of the system's clock does not count.
  now: () => performance.now(),
  // The timer keeps the process alive.
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export interface WaitOptions<T> extends TimeoutOption {
  /** What is waited on, as a sentence begins with it: `The document 1a2b`. */
  readonly what: string;
  /** Milliseconds between two checks. */
  readonly every: number;
  readonly look: () => Promise<T>;
  readonly isOver: (value: T) => boolean;
  /** What it waits for, as a whole sentence; null says nothing. */
  readonly reason: (value: T) => string | null;
  readonly note: Output['note'];
  readonly time?: WaitTime;
}

/** The time that is left of a `--timeout`, for a command that waits for several things in turn. */
export class Deadline {
  readonly #time: WaitTime;
  readonly #end: number;
  readonly #timeout: number | undefined;

  constructor({ timeout }: TimeoutOption, time: WaitTime = systemTime) {
    this.#time = time;
    this.#timeout = timeout;
    this.#end = timeout === undefined ? Number.POSITIVE_INFINITY : time.now() + timeout;
  }

  /** Milliseconds; infinite where there is no limit. */
  get left(): number {
    return this.#end - this.#time.now();
  }

  /** @throws PlanchetError `timeout` once it has passed; what was begun is kept */
  check(what: string, reason: string | null): void {
    if (this.left > 0) return;
    throw new PlanchetError('cli.wait-over', { what, duration: inWords(this.#timeout ?? 0), reason: reason ?? '' });
  }
}

/**
 * Looks again and again until something is over, and says on the way what it waits for.
 * @throws PlanchetError `timeout` where that takes longer than the option allows; what was begun is kept
 */
export async function waitUntil<T>(first: T, options: WaitOptions<T>): Promise<T> {
  const { what, every, look, isOver, reason, note, time = systemTime } = options;
  const deadline = new Deadline(options, time);
  const started = time.now();
  let told: string | null = null;
  let value = first;
  while (!isOver(value)) {
    const why = reason(value);
    deadline.check(what, why);
    if (why !== null && why !== told && time.now() - started >= SILENT_MS) {
      note(`  ${why}`);
      told = why;
    }
    await time.sleep(Math.min(every, Math.max(1, deadline.left)));
    value = await look();
  }
  return value;
}

interface StateWait<Job> extends Pick<WaitOptions<Job>, 'what' | 'look' | 'note' | 'timeout'> {
  readonly wait: string;
  readonly every?: number;
}

/** Waits until a job is in the state that was asked for. @throws PlanchetError why it failed, and as {@link waitUntil} */
export async function waitForState<Job extends { readonly failure: Failure | null; readonly state: string }>(
  first: Job,
  { wait, every = 150, ...options }: StateWait<Job>,
): Promise<Job> {
  const job = await waitUntil(first, {
    ...options,
    every,
    isOver: ({ failure, state }) => failure !== null || state === 'mined' || state === wait,
    reason: ({ state }) => reasonOfState(options.what, state),
  });
  if (job.failure !== null) throw new PlanchetError(job.failure);
  return job;
}

/** What a job waits for on its way to a block, by its state. @param what as a sentence begins with it */
export function reasonOfState(what: string, state: string): string {
  const isSent = ['submitted', 'seen'].includes(state);
  return isSent ? `${what} is at the miners and waits for a block.` : `${what} waits for a miner that takes it.`;
}

function readDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms === 0) throw new InvalidArgumentError('Write a duration above 0, such as 90s, 10m or 2h.');
  return ms;
}

/** `90000` → `90 s` */
function inWords(ms: number): string {
  return `${Number((ms / 1_000).toFixed(3))} s`;
}

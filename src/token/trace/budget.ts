import type { ScriptBounds, Steps } from '../../chain/index.ts';
import { type Sentence, sentence, sentenceOf } from '../../chain/index.ts';
import { ParameterError, type TokenErrorNumbers, TraceError } from '../errors.ts';

/** Limits of a trace. Histories and their scripts come from others, so each limit has a default. */
export interface TraceLimits {
  /** Transactions in the token's history; 10,000 by default. */
  readonly maxTransactions?: number;
  /** Transactions requested from `fetchTx`, including those that paid fees; by default 4 per {@link maxTransactions}, at least 100. */
  readonly maxFetches?: number;
  /** Total bytes of the fetched transactions; 64,000,000 by default. */
  readonly maxFetchedBytes?: number;
  /** Opcodes executed in all scripts of the history; 20,000,000 by default. */
  readonly maxOperations?: number;
  /** Bytes on each stack of one script, and of one script; 2,000,000 by default. */
  readonly maxStackBytes?: number;
  /** Bytes of a number used in arithmetic; 10,000 by default. */
  readonly maxNumberBytes?: number;
  /** Milliseconds of work, excluding the time waiting for `fetchTx`; 60,000 by default. */
  readonly maxDurationMs?: number;
  /** Aborts the trace; also passed to `fetchTx`. */
  readonly signal?: AbortSignal;
  /** Milliseconds of a monotonic clock; `performance.now` by default. */
  readonly now?: () => number;
}

type Limit = Exclude<keyof TraceLimits, 'signal' | 'now'>;

/** Limits that count up. */
type Counted = 'maxTransactions' | 'maxFetches' | 'maxFetchedBytes' | 'maxOperations';

/** Maximum time without yielding to the event loop, in milliseconds. */
const SLICE_MS = 10;
/** Inputs and outputs in the history: at least this many, and more if more transactions are allowed. */
const LEAST_PARTS = 100_000;
const PARTS_EACH = 20;

/** Opcodes of one script: the interpreter creates an object for each before it runs any. */
const SCRIPT_OPERATIONS = 200_000;

/** Counts the work of a trace, ends it if a limit is exceeded, and yields to the event loop. */
export class TraceBudget {
  readonly signal: AbortSignal | undefined;
  readonly scripts: ScriptBounds;
  readonly #limits: Readonly<Record<Limit, number>>;
  readonly #now: () => number;
  readonly #used: Record<Counted, number> = { maxTransactions: 0, maxFetches: 0, maxFetchedBytes: 0, maxOperations: 0 };
  readonly #maxParts: number;
  #parts = 0;
  /** When work resumed after the last wait, and after the last yield. */
  #resumedAt: number;
  #turnedAt: number;
  #workedMs = 0;

  /** @throws TokenError `parameter-invalid` */
  constructor(options: TraceLimits) {
    this.#limits = readLimits(options);
    this.#maxParts = Math.max(LEAST_PARTS, PARTS_EACH * this.#limits.maxTransactions);
    const { maxStackBytes: stackBytes, maxNumberBytes: numberBytes } = this.#limits;
    this.scripts = { operations: SCRIPT_OPERATIONS, stackBytes, numberBytes };
    this.signal = readSignal(options.signal);
    this.#now = readClock(options.now);
    this.#resumedAt = this.#now();
    this.#turnedAt = this.#resumedAt;
  }

  /** Remaining number of fetches and bytes. */
  get left(): { readonly fetches: number; readonly bytes: number } {
    const { maxFetches, maxFetchedBytes } = this.#limits;
    return { fetches: maxFetches - this.#used.maxFetches, bytes: maxFetchedBytes - this.#used.maxFetchedBytes };
  }

  /** @throws TokenError `trace-limit` */
  take(limit: Counted, count: number, txid: string): void {
    this.#used[limit] += count;
    if (this.#used[limit] > this.#limits[limit]) throw this.#exceeded(limit, txid, this.#used[limit]);
  }

  /** Counts inputs and outputs of the history. @throws TokenError `trace-limit` */
  takeParts(count: number, txid: string): void {
    this.#parts += count;
    if (this.#parts <= this.#maxParts) return;
    const most = this.#maxParts;
    const why = sentence('the history has more than {most} inputs and outputs', { most });
    throw new TraceError('trace-limit', 'maxTransactions', stoppedAt(txid, why), { parts: this.#parts, most });
  }

  /**
   * Runs work in steps.
   * @param isCounted true if each step is one opcode
   * @throws TokenError `trace-limit`, `trace-aborted`
   */
  async run<T>(steps: Steps<T>, txid: string, isCounted = false): Promise<T> {
    for (;;) {
      const step = steps.next();
      const paused = this.pause(txid);
      if (paused) await paused;
      if (step.done === true) return step.value;
      if (isCounted) this.take('maxOperations', 1, txid);
    }
  }

  /** Yields to the event loop if the time slice is over. @throws TokenError `trace-limit`, `trace-aborted` */
  pause(txid: string): Promise<void> | undefined {
    const now = this.#now();
    const workedMs = this.#workedMs + now - this.#resumedAt;
    if (workedMs > this.#limits.maxDurationMs) throw this.#exceeded('maxDurationMs', txid, Math.ceil(workedMs));
    return now - this.#turnedAt < SLICE_MS ? undefined : this.#turn(txid);
  }

  /** Waits for an external operation. @throws TokenError `trace-aborted` */
  async waitFor<T>(started: () => Promise<T>, txid: string): Promise<T> {
    this.requireGoing(txid);
    try {
      return await (this.signal ? orAborted(started, this.signal, () => this.#aborted(txid)) : started());
    } finally {
      this.#resumedAt = this.#now();
    }
  }

  /** Counts the elapsed work. @throws TokenError `trace-aborted` */
  requireGoing(txid: string): void {
    if (this.signal?.aborted) throw this.#aborted(txid);
    const now = this.#now();
    this.#workedMs += now - this.#resumedAt;
    this.#resumedAt = now;
  }

  async #turn(txid: string): Promise<void> {
    this.requireGoing(txid);
    await new Promise((resolve) => {
      if (globalThis.setImmediate) globalThis.setImmediate(resolve);
      else globalThis.setTimeout(resolve, 0);
    });
    this.#resumedAt = this.#now();
    this.#turnedAt = this.#resumedAt;
    this.requireGoing(txid);
  }

  /** The error of a script that exceeded a resource limit. */
  exceededBy(bound: keyof ScriptBounds, txid: string, reason: string): TraceError {
    const limit = { operations: 'maxOperations', stackBytes: 'maxStackBytes', numberBytes: 'maxNumberBytes' } as const;
    return new TraceError('trace-limit', limit[bound], stoppedAt(txid, reason), { most: this.scripts[bound] });
  }

  #aborted(txid: string): TraceError {
    const message = sentence('The trace was stopped at transaction {txid}.', { txid });
    return new TraceError('trace-aborted', 'signal', message, {}, { cause: this.signal?.reason });
  }

  #exceeded(limit: Limit, txid: string, used: number): TraceError {
    const most = this.#limits[limit];
    const numbers: TokenErrorNumbers = { used, most };
    const why = sentence('{what} of {most} ({limit}) was exceeded', {
      what: sentenceOf(WORDS[limit], {}),
      most,
      limit,
    });
    return new TraceError('trace-limit', limit, stoppedAt(txid, why), numbers);
  }
}

function stoppedAt(txid: string, why: string | Sentence): Sentence {
  return sentence('The trace stopped at transaction {txid}: {why}.', { txid, why });
}

const WORDS: Readonly<Record<Limit, string>> = {
  maxTransactions: 'the limit of transactions in the history',
  maxFetches: 'the limit of transactions to fetch',
  maxFetchedBytes: 'the limit of bytes to fetch',
  maxOperations: 'the limit of opcodes to run',
  maxStackBytes: 'the limit of bytes on a stack',
  maxNumberBytes: 'the limit of bytes of a number',
  maxDurationMs: 'the limit of milliseconds of work',
};

const DEFAULTS: Readonly<Record<Exclude<Limit, 'maxFetches'>, number>> = {
  maxTransactions: 10_000,
  maxFetchedBytes: 64_000_000,
  maxOperations: 20_000_000,
  maxStackBytes: 2_000_000,
  maxNumberBytes: 10_000,
  maxDurationMs: 60_000,
};

function readLimits(options: TraceLimits): Record<Limit, number> {
  const read = (name: Limit, absent: number): number => {
    const value: unknown = options[name];
    if (value === undefined || value === null) return absent;
    if (typeof value === 'number' && value >= 1 && (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY))
      return value;
    throw new ParameterError('parameter-invalid', name, 'The option {field} is not a whole number from 1.', {
      given: typeof value === 'number' ? value : Number.NaN,
    });
  };
  const maxTransactions = read('maxTransactions', DEFAULTS.maxTransactions);
  return {
    maxTransactions,
    maxFetches: read('maxFetches', Math.max(100, 4 * maxTransactions)),
    maxFetchedBytes: read('maxFetchedBytes', DEFAULTS.maxFetchedBytes),
    maxOperations: read('maxOperations', DEFAULTS.maxOperations),
    maxStackBytes: read('maxStackBytes', DEFAULTS.maxStackBytes),
    maxNumberBytes: read('maxNumberBytes', DEFAULTS.maxNumberBytes),
    maxDurationMs: read('maxDurationMs', DEFAULTS.maxDurationMs),
  };
}

function readSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal === null) return undefined;
  if (signal instanceof AbortSignal) return signal;
  throw new ParameterError('parameter-invalid', 'signal', 'The option signal is not an AbortSignal.');
}

function readClock(now: unknown): () => number {
  if (now === undefined || now === null) return () => performance.now();
  if (typeof now === 'function') return now as () => number;
  throw new ParameterError('parameter-invalid', 'now', 'The option now is not a function.');
}

async function orAborted<T>(started: () => Promise<T>, signal: AbortSignal, aborted: () => Error): Promise<T> {
  let stop: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(aborted());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([started(), stopped]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
